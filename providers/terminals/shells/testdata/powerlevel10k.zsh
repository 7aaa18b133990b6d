# What powerlevel10k does: it goes first and last in precmd_functions at every
# prompt, shows a prompt before zshrc has been read with output put aside until
# then, and draws the prompt again when a background job answers.
zmodload zsh/system
exec {p10k_out}>&1 {p10k_err}>&2
exec >/dev/null 2>&1
_p9k_first() {
	p10k_code=$?
	if (( $+p10k_out )); then
		exec >&$p10k_out 2>&$p10k_err
		exec {p10k_out}>&- {p10k_err}>&-
		unset p10k_out p10k_err
	fi
	return p10k_code
}
_p9k_precmd() {
	local -i code=p10k_code
	[[ $precmd_functions[1] == _p9k_first && $precmd_functions[-1] == _p9k_precmd ]] ||
		precmd_functions=(_p9k_first ${precmd_functions:#_p9k_(first|precmd)} _p9k_precmd)
	PROMPT='%F{4}%~%f '$code' ok> '
	exec {p10k_job}< <(print done)
	zle -F $p10k_job _p9k_answered
}
_p9k_answered() {
	zle -F $1
	exec {1}<&-
	PROMPT=${PROMPT/F\{4\}/F\{5\}}
	zle reset-prompt
	zle -R
}
_p9k_preexec() { p10k_ran=$(( ${p10k_ran-0} + 1 )); }
precmd_functions=(_p9k_first $precmd_functions _p9k_precmd)
preexec_functions+=(_p9k_preexec)
