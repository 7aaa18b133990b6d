package call

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxfs/fs"
	"ctxfs/fs/form"
	"ctxfs/mounts/control"
)

// ReadWords returns the words of a command line with the files that they name:
// "@path" and "--flag=@path" stand for the text of a file, "-" for standard input,
// "@@text" for "@text". They are read here and not in the background process, which
// may be allowed to read more than the user of this command. Abs returns an absolute path,
// as [filepath.Abs] does.
func ReadWords(args []string, stdin io.Reader, abs func(string) (string, error)) ([]form.Word, error) {
	words := make([]form.Word, 0, len(args))
	for _, arg := range args {
		word := form.Word{Text: arg}
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
			word, err = readWord(flag, rest, func() ([]byte, error) {
				path, err := abs(rest)
				if err != nil {
					return nil, err
				}
				return os.ReadFile(path)
			})
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

// noFile is the error for a word that names a missing file. Its hint says what else
// may have been meant: in other programs "@-" is standard input.
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

func readWord(flag, path string, read func() ([]byte, error)) (form.Word, error) {
	body, err := read()
	if err != nil {
		return form.Word{}, err
	}
	if !utf8.Valid(body) {
		return form.Word{}, &control.Fault{
			Message: path + " is not text (UTF-8), and arguments are",
			Hint:    "give the path of the file to a tool that reads files, or encode it: base64 " + path,
		}
	}
	text := string(body)
	return form.Word{Text: flag, Path: path, Body: &text}, nil
}

// namedProject returns where the folder is that the last --project in a command line
// names: in a sandbox its path may be that of another folder for the background
// process. It is the zero Standpoint if there is no such folder.
func namedProject(args []string, abs func(string) (string, error)) (at fs.Standpoint) {
	for i, arg := range args {
		dir, ok := strings.CutPrefix(arg, "--project=")
		if arg == "--project" && i+1 < len(args) {
			dir, ok = args[i+1], true
		}
		if !ok {
			continue
		}
		at = fs.Standpoint{}
		if dir, err := abs(dir); err == nil {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				at = fs.StandpointAt(real)
			}
		}
	}
	return at
}

// Option is an option of ctxfs call.
type Option struct {
	Name  string
	Value string // the name of its value, or ""
	About string
	// Alone reports that the option stands without a tool.
	Alone bool
}

// Options returns the options of the command itself. Before the name of the tool
// they are always options. After it the tool's own argument of that name takes
// precedence, and after "--" everything is an argument of the tool. But --help or
// -h with nothing else for the tool always asks for help: a user who asks for help
// does not want the tool to be called.
func Options() []Option {
	return []Option{
		{Name: "json", About: "print the server's whole answer as JSON"},
		{Name: "yes", About: "call it although it asks for confirmation"},
		{Name: "max-bytes", Value: "N", About: "longer results go to a file (0: none does; default 12000)"},
		{Name: "project", Value: "DIR", About: "for the project of this folder (default: of the one you are in)"},
		{Name: "detach", About: "let it go on as a task, and print the ID of the task"},
		{Name: "continue", Value: "ID", About: "wait for the result of a task; give no tool", Alone: true},
		{Name: "timeout", Value: "DURATION", About: "give up after so long without news of it (90s, 10m)"},
		{Name: "help", About: "show its arguments"},
	}
}

// TakesValue reports whether a word, such as "--timeout", is an option of the command
// whose value is the next word.
func TakesValue(word string) bool {
	name, isOption := strings.CutPrefix(word, "--")
	return isOption && slices.ContainsFunc(Options(), func(o Option) bool { return o.Name == name && o.Value != "" })
}
