package shells

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestUndisturbed: what users can see of their shell is as without us.
func TestUndisturbed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, shell, rc string
		steps           []step
	}{
		{"bash", "bash", `unset HISTFILE`, []step{
			{line: "false", exit: 1}, {line: "echo $?", output: "1\n"},
			{line: "echo a b", output: "a b\n"}, {line: "echo $_", output: "b\n"},
			{line: "echo \"$PS1|$PS2|$PROMPT_DIRTRIM\"", output: "ok> |> |\n"},
			{line: "trap", output: ""},
			{line: "echo $- ${-//[^ueTE]/}", output: "himBHs\n"},
			{line: "env | grep -ci ctxfs", output: "0\n", exit: 1},
			{line: "export -f | grep -ci ctxfs", output: "0\n", exit: 1},
			{line: "shopt -q login_shell", exit: 1},
			{line: "set -e"}, {line: "! true", exit: 1}, {line: "echo alive", output: "alive\n"}, {line: "set +e"},
			{line: "trap 'echo ERR' ERR"}, {line: "false", exit: 1, output: "ERR\n"}, {line: "true | false", exit: 1, output: "ERR\n"}, {line: "true"},
			{line: "set -a"}, {line: "true"}, {line: "bash --norc -ic 'echo ${PS0@P}'", output: "\n"},
		}},
		{"bash with a prompt of statuses", "bash", `_seen() { seen="$? ${PIPESTATUS[*]}"; }; PROMPT_COMMAND=_seen`, []step{
			{line: "true"}, {line: "echo $seen", output: "0 0\n"},
			{line: "(exit 3)", exit: 3}, {line: "echo $seen", output: "3 3\n"},
			{line: "(exit 3) | (exit 4)", exit: 4}, {line: "echo $seen", output: "4 3 4\n"},
			{line: "true | false | true"}, {line: "echo $seen", output: "0 0 1 0\n"},
			{line: "false | true | true | false", exit: 1}, {line: "echo $seen", output: "1 1 0 0 1\n"},
			{line: "set -o pipefail; false | true", exit: 1}, {line: "echo $seen", output: "1 1 0\n"},
		}},
		{"bash whose prompt command is exported", "bash", `export PROMPT_COMMAND='seen=$?'; export PS0='<'`, []step{
			{line: "true", output: ""},
			{line: `bash --norc -uc 'eval "$PROMPT_COMMAND"; echo "$seen"'`, output: "0\n"},
			{line: `bash --norc -ic 'eval "$PROMPT_COMMAND"; echo "$seen${PS0@P}"'`, output: "0<\n"},
			{line: "declare -p PROMPT_COMMAND | head -n 1 | cut -c 1-10", output: "declare -x\n"},
		}},
		{"bash with preexec functions", "bash", preexec, []step{
			{line: "true", output: "preexec: true\n"},
			{line: "echo a | cat; echo b", output: "preexec: echo a | cat; echo b\na\nb\n"},
			{line: ""}, {line: ""},
			{line: "false", output: "preexec: false\n", exit: 1},
			{line: "echo $seen", output: "preexec: echo $seen\n1 1\n"},
			{line: "(exit 2) | true", output: "preexec: (exit 2) | true\n"},
			{line: "echo $seen", output: "preexec: echo $seen\n0 2 0\n"},
		}},
		{"zsh", "zsh", "RPS1=", []step{
			{line: "false", exit: 1}, {line: "echo $?", output: "1\n"},
			{line: "echo a b", output: "a b\n"}, {line: "echo $_", output: "b\n"},
			{line: "echo \"$PS1|$+ZDOTDIR|${(t)ZDOTDIR}\"", output: "ok> |0|\n"},
			{line: "sched; trap", output: ""},
			{line: "env | grep -ci ctxfs", output: "0\n", exit: 1},
			{line: "[[ -o login ]]", exit: 1},
			{line: "setopt err_exit"}, {line: "! true", exit: 1}, {line: "echo alive", output: "alive\n"}, {line: "unsetopt err_exit"},
			{line: "TRAPZERR() { echo ERR }"}, {line: "false", exit: 1, output: "ERR\n"}, {line: "true"},
		}},
		{"zsh with a prompt of statuses", "zsh", `seen() { seen="$? $pipestatus" }; precmd_functions=(seen); precmd() { first="$?" }`, []step{
			{line: "true"}, {line: "echo $seen $first", output: "0 0 0\n"},
			{line: "(exit 3) | (exit 4)", exit: 4}, {line: "echo $seen $first", output: "4 3 4 4\n"},
		}},
		{"fish", "fish", "", []step{
			{line: "false", exit: 1}, {line: "echo $status", output: "1\n"},
			{line: "env | grep -ci ctxfs", output: "0\n", exit: 1},
			{line: "status is-login", exit: 1},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.file(".bashrc", "PS1='ok> '\n"+c.rc+"\n")
			h.file(".zshrc", "PS1='ok> '\n"+c.rc+"\n")
			h.fish(c.rc)
			s := h.start(Options{Shell: find(t, c.shell)})
			if c.rc == preexec {
				s.warm(2)
			}
			s.play(h.dir, c.steps)
		})
	}
}

// preexec does what bash-preexec does: it installs itself at the first prompt,
// takes its installer out of PROMPT_COMMAND, and calls preexec by a DEBUG trap
// for the first command after a prompt that is not of PROMPT_COMMAND.
const preexec = `
__bp_invoke() { seen="$? ${PIPESTATUS[*]}"; }
__bp_interactive() { __bp_mode=on; }
__bp_debug() {
	[[ -n ${__bp_mode-} ]] || return
	local line
	while IFS= read -r line; do
		line=${line#"${line%%[![:space:]]*}"}
		[[ $line == "$BASH_COMMAND" ]] && { __bp_mode=; return; }
	done <<<"${PROMPT_COMMAND//;/$'\n'}"
	__bp_mode=
	echo "preexec: $(HISTTIMEFORMAT= history 1 | sed 's/^ *[0-9]*[* ] //')"
}
__bp_installer=$'trap - DEBUG\n__bp_install'
__bp_install() {
	local existing=${PROMPT_COMMAND//"$__bp_installer"/:}
	trap '__bp_debug' DEBUG
	PROMPT_COMMAND=__bp_invoke$'\n'$existing
	PROMPT_COMMAND+=('__bp_interactive')
	__bp_interactive
}
PROMPT_COMMAND=$__bp_installer
`

// TestLogin: a login shell is one, and reads the files of one.
func TestLogin(t *testing.T) {
	t.Parallel()
	t.Run("bash", func(t *testing.T) {
		h := newHome(t)
		h.file(".bash_profile", "profile=read\n. ~/.bashrc\nreturn 1\n")
		h.file(".bashrc", "PS1='ok> '\nset -u\n")
		h.file(".bash_logout", "echo logged out\n")
		env := append(h.environment(), "ENV=mine", "XDG_DATA_DIRS=/data")
		s := h.start(Options{Shell: find(t, "bash"), Login: true, Env: env})
		s.play(h.dir, append([]step{
			{line: "shopt -q login_shell"},
			{line: "echo $profile $ENV $XDG_DATA_DIRS $0", output: "read mine /data bash\n"},
			{line: "shopt -qo posix", exit: 1},
			{line: "shopt -q inherit_errexit", exit: 1},
			{line: "echo ${HISTFILE#$HOME}", output: "/.bash_history\n"},
			{line: "env | grep -ciE 'ctxfs|posix|histfile'", output: "0\n", exit: 1},
		}, ordinary...))
		s.write("logout 4\r")
		if code := s.end(); code != 4 || !strings.Contains(s.shown(), "logged out") {
			t.Errorf("exit %d\n%q", code, s.shown())
		}
	})
	t.Run("zsh", func(t *testing.T) {
		h := newHome(t)
		for _, name := range []string{"zshenv", "zprofile", "zshrc", "zlogin"} {
			h.file("z/."+name, "read+=("+name+")\n")
		}
		h.file("z/.zshrc", "read+=(zshrc)\nPS1='ok> '\n")
		h.file("z/.zlogout", "echo logged out\n")
		s := h.start(Options{Shell: find(t, "zsh"), Login: true, Env: append(h.environment(), "ZDOTDIR="+h.dir+"/z")})
		s.play(h.dir, append([]step{
			{line: "[[ -o login ]]"},
			{line: "echo $read ${ZDOTDIR#$HOME} ${(t)ZDOTDIR}", output: "zshenv zprofile zshrc zlogin /z scalar-export\n"},
		}, ordinary...))
		s.write("logout 4\r")
		if code := s.end(); code != 4 || !strings.Contains(s.shown(), "logged out") {
			t.Errorf("exit %d\n%q", code, s.shown())
		}
	})
	t.Run("fish", func(t *testing.T) {
		h := newHome(t)
		h.fish("")
		s := h.start(Options{Shell: find(t, "fish"), Login: true})
		s.play(h.dir, append([]step{{line: "status is-login"}}, ordinary...))
	})
}

// TestBrokenFiles: a fault in the user's files has no further effect.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(".bashrc", "PS1='ok> '\nreadonly PS0 PROMPT_COMMAND='echo of the prompt'\nfalse\nset -e\n")
	h.file(".zshenv", "PS1='ok> '\nif\n")
	s := h.start(Options{Shell: find(t, "bash")})
	s.shows("ok>")
	s.write("echo still $((1 + 1))\r")
	s.shows("still 2")
	fstest.ContainsNot(t, s.shown(), "readonly")
	h = newHome(t)
	h.file(".zshenv", "if\n")
	h.file(".zshrc", "PS1='ok> '\n")
	h.start(Options{Shell: find(t, "zsh")}).play(h.dir, ordinary)
}
