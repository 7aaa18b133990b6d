package shells

import (
	"fmt"
	"path/filepath"

	"ctxfs/fs/wording"
)

// Names returns the shells that can print marks.
func Names() []string { return []string{"bash", "zsh", "fish"} }

// LineMark is what identifies the line in a shell's file: its end.
const LineMark = "# records each new terminal; undo: ctxfs setup --undo shell"

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
		return filepath.Join(home, ".bashrc"), fmt.Sprintf(bashLine, word) + " " + LineMark
	case "zsh":
		return filepath.Join(below("ZDOTDIR", home), ".zshrc"), fmt.Sprintf(zshLine, word) + " " + LineMark
	default:
		return filepath.Join(below("XDG_CONFIG_HOME", filepath.Join(home, ".config")), "fish", "config.fish"),
			fmt.Sprintf(fishLine, fishWord(program)) + " " + LineMark
	}
}
