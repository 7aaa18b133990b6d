package main

import (
	"strings"
	"testing"
)

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
			r := b.do("timeout", "40", shell, "-c", script)
			if !containsAll(r.out, []string{"--animal", "zebra", "--kilos", "called"}) || strings.Contains(r.out, "lion") {
				t.Errorf("exit %d\n%v", r.code, r)
			}
		})
	}
}
