package main

import (
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/fstest"
)

// TestOnlyACompletionRegistersCompletions: cobra never forgets them, so a process that runs
// many commands would grow with each.
func TestOnlyACompletionRegistersCompletions(t *testing.T) {
	t.Parallel()
	for _, completes := range []bool{true, false} {
		cmd, _, err := newRoot(&cli.App{Completes: completes}).Find([]string{"find"})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := cmd.GetFlagCompletionFunc("in"); got != completes {
			t.Errorf("registered: %v, want %v", got, completes)
		}
	}
}

// TestCompletionOfBin completes what stands in a folder bin of a mount, in real
// shells.
func TestCompletionOfBin(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	b.mount()
	b.ready("zoo")
	for shell, script := range map[string]string{
		"bash": `
			before() { before=called; }
			complete -D -F before
			eval "$(ctxfs completion bash)"; eval "$(ctxfs completion bash)"
			compopt() { :; }
			press() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); __ctxfs_default "$1" "${!#}" ""; echo "${COMPREPLY[@]}"; }
			press ~/.agentctx/mcps/zoo/bin/feed_animal --an
			press ~/.agentctx/mcps/zoo/bin/feed_animal --animal z
			cd ~/.agentctx/mcps/zoo/bin && press ./feed_animal --ki
			press other x; echo $before`,
		"fish": `
			ctxfs completion fish | source
			complete -C "$HOME/.agentctx/mcps/zoo/bin/feed_animal --an"
			complete -C "$HOME/.agentctx/mcps/zoo/bin/feed_animal --animal z"
			cd ~/.agentctx/mcps/zoo/bin; complete -C "./feed_animal --ki"
			echo called`,
		"zsh": `
			zmodload zsh/zpty
			zpty z zsh -f -i
			zpty -w z 'stty -echo; autoload -Uz compinit; compinit -D; eval "$(ctxfs completion zsh)"; cd ~/.agentctx/mcps/zoo/bin
				got() { print -r -- "GOT:$BUFFER:"; BUFFER=; zle .accept-line }; zle -N got; bindkey "^G" got; echo rea""dy'
			zpty -r z got '*ready*'
			for line in "$HOME/.agentctx/mcps/zoo/bin/feed_animal --an" "$HOME/.agentctx/mcps/zoo/bin/feed_animal --animal z" "./feed_animal --ki"; do
				zpty -w -n z "$line"$'\t\C-g'
				zpty -r z got '*GOT:*:*' && print -r -- "${got##*GOT:}"
			done
			zpty -d z; echo called`,
	} {
		t.Run(shell, func(t *testing.T) {
			need(t, shell)
			r := b.do("timeout", "100", shell, "-c", script)
			if !containsAll(r.out, []string{"--animal", "zebra", "--kilos", "called"}) || strings.Contains(r.out, "lion") {
				t.Errorf("exit %d\n%v", r.code, r)
			}
		})
	}
}

// TestCompletionWithoutHelp completes the command in a bash that has nothing of
// the package bash-completion.
func TestCompletionWithoutHelp(t *testing.T) {
	t.Parallel()
	need(t, "bash")
	b := zoo(t, "")
	b.mount()
	b.ready("zoo")
	r := b.do("timeout", "100", "bash", "--norc", "-c", `
		eval "$(ctxfs completion bash)"
		compopt() { :; }
		press() {
			COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
			shift
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
			__start_ctxfs
			echo "$COMP_LINE: ${COMPREPLY[*]}"
		}
		mkdir -p folder
		press "ctxfs unm" ctxfs unm
		press "ctxfs call zo" ctxfs call zo
		press "ctxfs call zoo feed_animal --an" ctxfs call zoo feed_animal --an
		press "ctxfs call zoo feed_animal --note=a:b --animal z" ctxfs call zoo feed_animal --note = a : b --animal z
		press "ctxfs call zoo feed_animal --note a: --an" ctxfs call zoo feed_animal --note a : --an
		press "ctxfs call zoo feed_animal --animal=z" ctxfs call zoo feed_animal --animal = z
		press "--project fo" ctxfs call --project fo
		press "zoo feed_animal --project fo" ctxfs call zoo feed_animal --project fo
		press "--project . zo" ctxfs call --project . zo
		press "ctxfs answ" ctxfs answ
		press "ctxfs tasks ca" ctxfs tasks ca
		press "ctxfs call --continue t" ctxfs call --continue t
		press "ctxfs sync fo" ctxfs sync fo`)
	fstest.Contains(t, r.out, "unm: unmount", "call zo: zoo", "--project . zo: zoo", "feed_animal --an: --animal", "a: --an: --animal", "--animal z: zebra", "--animal=z: zebra", "sync fo: folder", "answ: answer", "tasks ca: cancel", "--project fo: folder", "zoo feed_animal --project fo: folder")
	if t.Failed() || r.err != "" {
		t.Errorf("exit %d\n%v", r.code, r)
	}
}
