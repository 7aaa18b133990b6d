package usertree

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/fs/form"
	"ctxfs/mounts/control"
)

// callLine is the command line of a call, split into the command's options and the
// tool's arguments.
type callLine struct {
	server, tool string
	args         []form.Word
	whole        bool // --json: the whole answer
	yes          bool
	help         bool
	via          string // "bin" if it comes from a file in a folder bin
	limit        int
	timeout      time.Duration
	project      string // the folder of a project, as it was written
	detached     bool   // the call goes on without its caller
	task         string // the ID of the task to go on with, instead of a call
}

// viaOption is the hidden option with which the programs in bin identify themselves
// as the caller in the log of calls.
const viaOption = "via"

// takesValue reports whether an option of the command has a value.
func takesValue(name string) bool { return name == viaOption || call.TakesValue("--"+name) }

// option removes an option of the command, with its value, from the front of words.
// Ok reports whether there was one.
func (l *callLine) option(words []form.Word) (rest []form.Word, ok bool, err error) {
	word := words[0]
	if word.Body != nil || !strings.HasPrefix(word.Text, "-") {
		return words, false, nil
	}
	name, value, given := strings.Cut(strings.TrimPrefix(word.Text, "--"), "=")
	if word.Text == "-h" {
		name = "help"
	}
	rest = words[1:]
	if takesValue(name) && !given {
		if len(rest) == 0 {
			return rest, true, fmt.Errorf("--%s needs a value", name)
		}
		value, rest = rest[0].Text, rest[1:]
	} else if given && !takesValue(name) {
		return words, false, nil
	}
	switch name {
	case "json":
		l.whole = true
	case "yes":
		l.yes = true
	case "help":
		l.help = true
	case viaOption:
		l.via = value
	case "project":
		if l.project = value; value == "" {
			return rest, true, fmt.Errorf("--project needs a folder")
		}
	case "detach":
		l.detached = true
	case "continue":
		if l.task = value; value == "" {
			return rest, true, fmt.Errorf("--continue needs the ID of a task")
		}
	case "max-bytes":
		if l.limit, err = strconv.Atoi(value); err != nil || l.limit < 0 {
			return rest, true, fmt.Errorf("--max-bytes must be a number of bytes, not %q", value)
		}
		if l.limit == 0 {
			l.limit = -1
		}
	case "timeout":
		if l.timeout, err = time.ParseDuration(value); err != nil || l.timeout <= 0 {
			return rest, true, fmt.Errorf("--timeout must be a duration such as 90s or 10m, not %q", value)
		}
	default:
		return words, false, nil
	}
	return rest, true, nil
}

// parseCallLine finds the server and the tool. The words after them are not split
// yet: whether an option there is the command's or the tool's depends on the
// tool's schema ([callLine.settle]).
func parseCallLine(words []form.Word, isServer func(string) bool) (*callLine, error) {
	l := new(callLine)
	var named []string
	for len(words) > 0 && len(named) < 2 {
		rest, own, err := l.option(words)
		if err != nil {
			return nil, badLine(err)
		}
		if own {
			words = rest
			continue
		}
		word := words[0]
		if word.Text == "--" && word.Body == nil {
			words = words[1:]
			continue
		}
		if word.Body == nil && strings.HasPrefix(word.Text, "--") {
			return nil, badLine(fmt.Errorf("unknown option %s", word.Text))
		}
		named, words = append(named, word.Text), words[1:]
		if len(named) == 1 {
			named = splitTool(named[0], isServer)
		}
	}
	if l.task != "" {
		l.args = words
		return l, l.checkTask(named)
	}
	switch len(named) {
	case 0:
		return nil, badLine(fmt.Errorf("which server, and which tool?"))
	case 1:
		return nil, &control.Fault{
			Message: fmt.Sprintf("which tool of %s?", named[0]),
			Hint:    "list them: ctxfs tools " + named[0],
		}
	}
	l.server, l.tool, l.args = named[0], named[1], words
	return l, nil
}

// splitTool splits "server/tool", as written in an index. Either name may contain
// slashes: the longest known server wins, or else the last slash separates the two.
func splitTool(word string, isServer func(string) bool) []string {
	last := strings.LastIndex(word, "/")
	if last <= 0 || isServer(word) {
		return []string{word}
	}
	for i := last; i > 0; i = strings.LastIndex(word[:i], "/") {
		if isServer(word[:i]) {
			return []string{word[:i], word[i+1:]}
		}
	}
	return []string{word[:last], word[last+1:]}
}

// settle removes the command's options from the words after the tool. Known reports
// whether the tool has an argument of that name.
func (l *callLine) settle(known func(string) bool) error {
	var args []form.Word
	for words := l.args; len(words) > 0; {
		if words[0].Text == "--" && words[0].Body == nil {
			l.args = append(args, words[1:]...)
			return nil
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(words[0].Text, "--"), "=")
		if words[0].Text == "-h" || name != viaOption && !known(name) {
			rest, own, err := l.option(words)
			if err != nil {
				return badLine(err)
			}
			if own {
				words = rest
				continue
			}
		}
		args, words = append(args, words[0]), words[1:]
	}
	if l.task != "" {
		return badLine(fmt.Errorf("--continue takes the ID of a task and no tool, so %s is too much", l.tool))
	}
	if len(args) == 1 && args[0].Text == "--help" && args[0].Body == nil {
		l.help, args = true, nil
	}
	l.args = args
	return nil
}

// patience returns how long to wait for a server about which nothing is known yet:
// the timeout, wherever it is in the line; 0 means the default.
func (l *callLine) patience() time.Duration {
	all := *l
	_ = all.settle(func(string) bool { return false }) // settle is called again once the tool is known
	return all.timeout
}

func badLine(err error) error {
	return &control.Fault{Message: err.Error(), Hint: "see how it is used: ctxfs call --help"}
}
