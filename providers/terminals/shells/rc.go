package shells

import (
	"fmt"
	"path/filepath"
	"strings"

	"ctxfs/fs/wording"
)

// Names returns the shells that can print marks.
func Names() []string { return []string{"bash", "zsh", "fish"} }

// lineMark ends the line in a shell's file, and identifies it.
const lineMark = "# records each new terminal; undo: ctxfs setup shell --remove"

// createdMark is lineMark in a file that was created for the line.
const createdMark = lineMark + " (and this file, if nothing else is in it)"

// The lines that make each new interactive shell a recorded terminal; %[1]s is the
// path of ctxfs. The first conditions need no program; "setup shell --check"
// decides the rest. Only if it succeeds is the shell replaced with ctxfs, so that
// no fault of ctxfs leaves anyone without a shell.
const (
	bashLine = `if [[ $- == *i* && -t 0 && -t 1 && -z ${CTXFS_TERMINAL-} && -x %[1]s ]] && %[1]s setup shell --check >/dev/null 2>&1; then exec %[1]s term --shell bash $(shopt -q login_shell && echo --login); fi`
	zshLine  = `if [[ -o interactive && -t 0 && -t 1 && -z ${CTXFS_TERMINAL-} && -x %[1]s ]] && %[1]s setup shell --check >/dev/null 2>&1; then exec %[1]s term --shell zsh $([[ -o login ]] && echo --login); fi`
	fishLine = `if status is-interactive; and test -t 0; and test -t 1; and not set -q CTXFS_TERMINAL; and test -x %[1]s; and %[1]s setup shell --check >/dev/null 2>&1; exec %[1]s term --shell fish (status is-login; and echo --login); end`
)

// RCFile returns the file of commands that an interactive shell reads, and the
// line for it that makes each new terminal a recorded one, by the program at a
// path. The shell is one of [Names].
func RCFile(name, program, home string, lookupEnv func(string) (string, bool)) (path, line string) {
	below := func(variable, fallback string) string {
		if dir, ok := lookupEnv(variable); ok && filepath.IsAbs(dir) {
			return dir
		}
		return fallback
	}
	switch word := wording.ShellWord(program); name {
	case "bash":
		return filepath.Join(home, ".bashrc"), fmt.Sprintf(bashLine, word) + " " + lineMark
	case "zsh":
		return filepath.Join(below("ZDOTDIR", home), ".zshrc"), fmt.Sprintf(zshLine, word) + " " + lineMark
	default:
		return filepath.Join(below("XDG_CONFIG_HOME", filepath.Join(home, ".config")), "fish", "config.fish"),
			fmt.Sprintf(fishLine, fishWord(program)) + " " + lineMark
	}
}

// WithLine returns a file's text with the line at its beginning, and without any
// older one: commands before it would run twice, in the shell that is replaced and
// in the recorded one. If the file does not exist yet, the line says so.
func WithLine(text string, exists bool, line string) string {
	rest, found := WithoutLine(text)
	if found.Created || !exists {
		line = strings.TrimSuffix(line, lineMark) + createdMark
	}
	return line + "\n" + rest
}

// Found describes the line in a file.
type Found struct {
	Line bool
	// Created reports whether the file was created for the line.
	Created bool
}

// WithoutLine returns a file's text without the line, and what it found of the
// line.
func WithoutLine(text string) (rest string, found Found) {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		end := strings.TrimRight(line, "\r\n")
		switch created := strings.HasSuffix(end, createdMark); {
		case created || strings.HasSuffix(end, lineMark):
			found.Line, found.Created = true, found.Created || created
		default:
			kept.WriteString(line)
		}
	}
	return kept.String(), found
}
