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
				err = noFile(flag, arg)
			}
		}
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

// noFile says what else may be meant by a word that ends in the name of a file.
// Other programs write standard input as "@-".
func noFile(flag, arg string) error {
	value := strings.TrimPrefix(arg, flag)
	hint := fmt.Sprintf("for the text itself write %s@%s", flag, value)
	if value == "@-" {
		input := "standard input is written -"
		if flag != "" {
			input += ": " + strings.TrimSuffix(flag, "=") + " -"
		}
		hint = input + "\n" + hint
	}
	return &control.Fault{Message: arg + " names a file that does not exist", Hint: hint}
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
