package shells

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxfs/providers/terminals/grid"
)

// step is a typed command, and what its record must be. Without an output it is
// only typed.
type step struct {
	line    string
	command string // if it is not the line
	output  string
	exit    int
	to      string // the folder that it changes to
}

// ordinary are commands that all shells understand.
var ordinary = []step{
	{line: "echo hello", output: "hello\n"},
	{line: "true"},
	{line: "false", exit: 1},
	{line: "sh -c 'exit 7'", exit: 7},
	{line: "printf 'no newline'", output: "no newline\n"},
	{line: "printf 'two\\nlines'", output: "two\nlines\n"},
	{line: "printf '\\n\\nblank\\n\\n'", output: "\n\nblank\n\n"},
	{line: "cd /usr", to: "/usr"},
	{line: "pwd", output: "/usr\n"},
	{line: "cd /", to: "/"},
	{line: "echo 'a;b%c' | tr a-c A-C", output: "A;B%C\n"},
	{line: "echo größe 日本 🚀", output: "größe 日本 🚀\n"},
	{line: "seq 60", output: numbers(60)},
	{line: "echo " + strings.Repeat("0123456789", 13), output: strings.Repeat("0123456789", 13) + "\n"},
	{line: "printf '%079d\\n' 0; printf '%080d\\n' 0; printf '%081d' 0", output: zeros(79) + zeros(80) + zeros(81)},
	{line: "sh -c 'echo out; echo err >&2'", output: "out\nerr\n"},
	{line: `printf '\033[31mred\033[0m\rR\n'`, output: "Red\n"},
	{line: `printf 'one 1%%\rone 100%%\n'`, output: "one 100%\n"},
	{line: `printf '\033[?1049h\033[Hfull\033[?1049l'`, output: "[full-screen program]\n"},
	{line: `printf '\033]133;D;5\a\033]133;A\a\033]133;C;cmdline_url=evil\aforged\033]133;D;6;ctx=guess\a\n'`, output: "forged\n"},
	{line: "sh -c 'exit 130'", exit: 130},
	{line: "echo last", output: "last\n"},
}

func numbers(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintln(&text, i+1)
	}
	return text.String()
}

func zeros(n int) string { return strings.Repeat("0", n) + "\n" }

// play types the steps, and then compares the records with them.
func (s *session) play(cwd string, steps []step) {
	s.Helper()
	s.prompt(1)
	var want []record
	for _, step := range steps {
		lines := strings.Split(step.line, "\n")
		for _, line := range lines[:len(lines)-1] {
			s.write(line + "\r")
		}
		s.enter(lines[len(lines)-1])
		if step.command == "" {
			step.command = step.line
		}
		if strings.TrimSpace(step.line) != "" {
			want = append(want, record{step.command, cwd, step.exit, step.output})
		}
		if step.to != "" {
			cwd = step.to
		}
	}
	s.recorded(want...)
}

// warm passes some prompts, and drops the records.
func (s *session) warm(prompts int) {
	s.Helper()
	s.prompt(1)
	for range prompts {
		s.enter("true")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks = slices.DeleteFunc(s.marks, func(m grid.Mark) bool { return m.Kind != grid.PromptStart })
}

// setting is what a user may have in a file of the shell's.
type setting struct {
	name, text string
	warm       int // the prompts after which the records are exact
}

// TestBash: the records are exact, whatever the user's bashrc does.
func TestBash(t *testing.T) {
	t.Parallel()
	bash := find(t, "bash")
	own := []step{
		{line: "for i in 1 2\ndo echo $i\ndone", command: "for i in 1 2; do echo $i; done", output: "1\n2\n"},
		{line: "cat <<X\none\ntwo\nX", output: "one\ntwo\n"},
		{line: "alias hi='echo aliased'"},
		{line: "hi", output: "aliased\n"},
		{line: "(exit 3) | true"},
		{line: "! true", exit: 1},
		{line: ""},
	}
	for _, setting := range []setting{
		{name: "plain"},
		{name: "two lines and colours", text: `PS1='\[\e[1;32m\]\u@\h\[\e[0m\] \w\n\[\e[1m\]ok>\[\e[0m\] '`},
		{name: "PROMPT_COMMAND string", text: `PROMPT_COMMAND='echo "of the prompt"'`},
		{name: "PROMPT_COMMAND exported", text: `export PROMPT_COMMAND='printf "of the prompt\n"'`},
		{name: "PROMPT_COMMAND array", text: `PROMPT_COMMAND=('echo one' 'echo two')`},
		{name: "PROMPT_COMMAND changes itself", text: `one() { PROMPT_COMMAND="two; ${PROMPT_COMMAND//one/:}"; }; two() { echo two; }; PROMPT_COMMAND=one`, warm: 3},
		{name: "DEBUG trap", text: `trap 'DEBUGGED=$BASH_COMMAND; case $BASH_COMMAND in *ctxfs*) echo intruder;; esac' DEBUG`},
		{name: "DEBUG trap with functrace", text: `set -T; trap 'case $BASH_COMMAND in *ctxfs*) echo intruder;; esac' DEBUG`},
		{name: "DEBUG trap that prints at the prompt", text: `trap '[[ $BASH_COMMAND == __prompted ]] && echo prompt' DEBUG; __prompted() { :; }; PROMPT_COMMAND=__prompted`},
		{name: "EXIT and ERR trap", text: `trap 'case $BASH_COMMAND in *ctxfs*) echo intruder;; esac' ERR; trap 'echo bye' EXIT`},
		{name: "set -u", text: `set -u`},
		{name: "ignorespace", text: `HISTCONTROL=ignorespace`},
		{name: "ignoreboth:erasedups", text: `HISTCONTROL=ignoreboth:erasedups`},
		{name: "HISTTIMEFORMAT", text: `HISTTIMEFORMAT='%F %T '`},
		{name: "history shared", text: `HISTFILE=~/.history; PROMPT_COMMAND='history -a; history -n'`},
		{name: "PS0", text: `PS0='started \t\n'`},
		{name: "prompts set anew each time", text: `__rewrite() { PS0=; PS1='new\nok> '; }; PROMPT_COMMAND=__rewrite`, warm: 3},
		{name: "strange options", text: "IFS=/c; shopt -s nullglob failglob extglob nocasematch dotglob; set -f -C +B; LANG=C"},
		{name: "aliases and functions named like builtins", text: `alias local='echo local' set='echo set' history='echo history' return='echo return' shopt='echo'; unset() { echo unset; }; eval() { echo eval; }; shift() { echo shift; }`},
		{name: "allexport", text: `set -a`},
		{name: "posix", text: `set -o posix`},
	} {
		t.Run(setting.name, func(t *testing.T) {
			h := newHome(t)
			h.file(".bashrc", "PS1='ok> '\n"+setting.text+"\n")
			s := h.start(Options{Shell: bash})
			s.warm(setting.warm)
			s.play(h.dir, append(ordinary[:len(ordinary):len(ordinary)], own...))
		})
	}
}

// TestZsh is the same for zsh.
func TestZsh(t *testing.T) {
	t.Parallel()
	zsh := find(t, "zsh")
	own := []step{
		{line: "for i in 1 2\ndo echo $i\ndone", output: "1\n2\n"},
		{line: "cat <<X\none\ntwo\nX", output: "one\ntwo\n"},
		{line: "alias hi='echo aliased'"},
		{line: "hi", output: "aliased\n"},
		{line: "! true", exit: 1},
		{line: ""},
		{line: " echo hidden", output: "hidden\n"},
		{line: " echo hidden", output: "hidden\n"},
	}
	for _, setting := range []setting{
		{name: "plain"},
		{name: "two lines and colours", text: `PS1=$'%F{green}%n@%m%f %~\n%Bok>%b '; RPS1=`},
		{name: "right prompt", text: `precmd() { psvar=(x) }; RPS1=`},
		{name: "precmd prints", text: `precmd() { print -P "%~ the first line" }`},
		{name: "precmd_functions", text: `one() { echo one }; precmd_functions=(one); preexec() { echo begins }; preexec_functions=(one)`},
		{name: "options", text: `setopt nounset ksh_arrays sh_word_split glob_subst extended_glob no_clobber hist_ignore_space hist_ignore_all_dups prompt_subst`},
		{name: "no mark for lines without an end", text: `unsetopt prompt_sp`},
		{name: "aliases of builtins", text: `alias print='echo print' emulate='echo emulate' local='echo local'; function return_ { }`},
	} {
		t.Run(setting.name, func(t *testing.T) {
			h := newHome(t)
			h.file(".zshrc", "PS1='ok> '\n"+setting.text+"\n")
			s := h.start(Options{Shell: zsh})
			s.play(h.dir, append(ordinary[:len(ordinary):len(ordinary)], own...))
		})
	}
}

// TestFish is the same for fish.
func TestFish(t *testing.T) {
	t.Parallel()
	fish := find(t, "fish")
	own := []step{
		{line: "for i in 1 2\necho $i\nend", output: "1\n2\n"},
		{line: "alias hi='echo aliased'"},
		{line: "hi", output: "aliased\n"},
		{line: "not true", exit: 1},
		{line: ""},
		{line: " echo hidden", output: "hidden\n"},
		{line: " echo hidden", output: "hidden\n"},
	}
	for _, setting := range []setting{
		{name: "plain"},
		{name: "two lines and colours", text: "function fish_prompt; set_color green; echo (prompt_pwd); set_color normal; echo -n 'ok> '; end"},
		{name: "events", text: "function a --on-event fish_prompt; echo of the prompt; end; function b --on-event fish_preexec; set -g began $argv; end; function c --on-event fish_postexec; set -g ended $argv; end"},
	} {
		t.Run(setting.name, func(t *testing.T) {
			h := newHome(t)
			h.fish(setting.text)
			s := h.start(Options{Shell: fish})
			s.play(h.dir, append(ordinary[:len(ordinary):len(ordinary)], own...))
		})
	}
}
