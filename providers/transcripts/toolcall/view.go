package toolcall

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"ctxfs/providers/internal/lazyjson"
)

// View is a command of a shell that shows a file, or a part of one, and does nothing
// else: cat, head, nl, sed -n 1,9p, and nl piped into one of the last. Agents without a tool for reading read so.
type View struct {
	Path string
	// From and To are the first and the last line that are shown; To is 0 for the end.
	From, To int
}

// View returns the file that the command line of a call shows; nil if that is not all
// that it does.
func (c *Call) View() *View {
	if c.Command == "" || len(c.Command) > maxCommand {
		return nil
	}
	words, ok := split(c.Command)
	if !ok {
		return nil
	}
	dir := c.dir()
	if len(words) > 3 && words[0] == "cd" && words[2] == "&&" {
		dir, words = under(dir, words[1]), words[3:]
	}
	v := &View{From: 1}
	var end []string // what the output is piped into
	if i := slices.Index(words, "|"); i >= 0 {
		words, end = words[:i], words[i+1:]
	}
	if len(words) < 2 || slices.Contains(words, "&&") || slices.ContainsFunc(end, func(w string) bool { return w == "&&" || w == "|" }) {
		return nil
	}
	if end != nil && (words[0] != "cat" && words[0] != "nl" || !v.of(append(end, ""))) {
		return nil
	}
	if !v.of(words) {
		return nil
	}
	v.Path = words[len(words)-1]
	if v.Path == "" || strings.HasPrefix(v.Path, "-") {
		return nil
	}
	v.Path = under(dir, v.Path)
	return v
}

// dir returns the folder in which the command line of a call runs; "" if the call does
// not name it.
func (c *Call) dir() string {
	for _, name := range []string{"workdir", "cwd", "dir_path", "directory"} {
		if v := c.Input.Get(name); v.Type == lazyjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

// Removes returns the files and folders that the command line of a call removes, as far
// as it names them: those of rm and git rm, and what mv moves away.
func (c *Call) Removes() (paths []string) {
	if !strings.Contains(c.Command, "rm ") && !strings.Contains(c.Command, "mv ") || len(c.Command) > maxCommand {
		return nil
	}
	words, ok := split(c.Command)
	if !ok || slices.Contains(words, "|") {
		return nil
	}
	dir := c.dir()
	for len(words) > 0 {
		command := words
		if i := slices.Index(words, "&&"); i >= 0 {
			command, words = words[:i], words[i+1:]
		} else {
			words = nil
		}
		if len(command) > 1 && command[0] == "git" {
			command = command[1:]
		}
		if len(command) < 2 {
			continue
		}
		args := slices.DeleteFunc(slices.Clone(command[1:]), func(w string) bool { return strings.HasPrefix(w, "-") })
		switch {
		case command[0] == "cd" && len(args) == 1:
			dir = under(dir, args[0])
		case command[0] == "mv" && len(args) > 1:
			args = args[:len(args)-1]
			fallthrough
		case command[0] == "rm":
			for _, arg := range args {
				paths = append(paths, under(dir, arg))
			}
		}
	}
	return paths
}

// of reads the words of a command whose last word is a file.
func (v *View) of(words []string) (ok bool) {
	if len(words) < 2 {
		return false
	}
	args := words[1 : len(words)-1]
	switch words[0] {
	case "cat":
		ok = len(args) == 0 || len(args) == 1 && (args[0] == "-n" || args[0] == "--")
	case "nl":
		ok = len(args) == 1 && args[0] == "-ba"
	case "head":
		v.To = 10
		if len(args) == 2 && args[0] == "-n" {
			args = []string{"-" + args[1]}
		}
		if len(args) == 1 {
			v.To, _ = strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(args[0], "-n"), "-"))
		}
		ok = len(args) < 2 && v.To > 0
	case "sed":
		ok = len(args) == 2 && args[0] == "-n" && v.lines(args[1])
	}
	return ok
}

// maxCommand is the length of the longest command line that is looked at, in bytes.
const maxCommand = 4 << 10

// lines reads the lines of a program of sed: "1,200p".
func (v *View) lines(program string) bool {
	lines, ok := strings.CutSuffix(program, "p")
	from, to, two := strings.Cut(lines, ",")
	var err, errTo error
	v.From, err = strconv.Atoi(from)
	switch v.To = v.From; {
	case two && to == "$":
		v.To = 0
	case two:
		v.To, errTo = strconv.Atoi(to)
	}
	return ok && err == nil && errTo == nil && v.From > 0
}

func under(dir, name string) string {
	if dir == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") {
		return name
	}
	return path.Join(dir, name)
}

// split splits a command line into words; ok is false if it is more than words, quotes,
// and &&, or |.
func split(line string) (words []string, ok bool) {
	var word strings.Builder
	begun := false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t':
			end()
		case '\'', '"':
			n := strings.IndexByte(line[i+1:], c)
			if n < 0 || c == '"' && strings.ContainsAny(line[i+1:i+1+n], "$`\\") {
				return nil, false
			}
			word.WriteString(line[i+1 : i+1+n])
			begun = true
			i += n + 1
		case '&':
			if !strings.HasPrefix(line[i:], "&& ") || begun {
				return nil, false
			}
			words = append(words, "&&")
			i++
		case '|':
			if !strings.HasPrefix(line[i:], "| ") || begun {
				return nil, false
			}
			words = append(words, "|")
		case ';', '<', '>', '$', '`', '*', '?', '(', ')', '{', '}', '[', '\\', '\n', '\r', '#', '!':
			return nil, false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	end()
	return words, true
}
