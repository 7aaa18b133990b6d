package call

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"ctxfs/mounts/control"
)

// readWords reads the files that words name: "@path" and "--flag=@path" stand
// for the text of a file, "-" for standard input, "@@text" for "@text". Their
// reader is whoever runs the command, who may be allowed to read less than the
// background process is.
func readWords(args []string, stdin io.Reader) ([]Word, error) {
	words := make([]Word, 0, len(args))
	for _, arg := range args {
		word := Word{Text: arg}
		flag, value := "", arg
		if strings.HasPrefix(arg, "--") {
			name, given, ok := strings.Cut(arg, "=")
			if !ok {
				words = append(words, word)
				continue
			}
			flag, value = name+"=", given
		}
		rest, isFile := strings.CutPrefix(value, "@")
		var err error
		switch {
		case arg == "-":
			word, err = readWord("", "standard input", func() ([]byte, error) { return io.ReadAll(stdin) })
		case isFile && strings.HasPrefix(rest, "@"):
			word.Text = flag + rest
		case isFile && rest != "":
			word, err = readWord(flag, rest, func() ([]byte, error) { return os.ReadFile(rest) })
			if os.IsNotExist(err) {
				err = &control.Fault{
					Message: fmt.Sprintf("%s names a file that does not exist", arg),
					Hint:    fmt.Sprintf("for the text itself write %s@%s", flag, value),
				}
			}
		}
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

func readWord(flag, path string, read func() ([]byte, error)) (Word, error) {
	body, err := read()
	if err != nil {
		return Word{}, err
	}
	if !utf8.Valid(body) {
		return Word{}, &control.Fault{
			Message: path + " is not text (UTF-8), and arguments are",
			Hint:    "give the path of the file to a tool that reads files, or encode it: base64 " + path,
		}
	}
	text := string(body)
	return Word{Text: flag, Path: path, Body: &text}, nil
}
