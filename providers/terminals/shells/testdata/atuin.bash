# What Atuin does: functions for bash-preexec, which it needs, keys of its own,
# and a prompt that a precmd function may print above.
__atuin_preexec() { ATUIN_HISTORY_ID=$((${ATUIN_HISTORY_ID-0} + 1)); }
__atuin_precmd() {
	local code=$?
	[[ -n ${ATUIN_HISTORY_ID-} ]] || return
	atuin_ended="$ATUIN_HISTORY_ID:$code"
	printf '\e]0;atuin\a'
}
__atuin_search() { READLINE_LINE='echo from history' READLINE_POINT=${#READLINE_LINE}; }
bind -x '"\C-r": __atuin_search'
source "${BASH_SOURCE%/*}/preexec-head.bash"
precmd_functions+=(__atuin_precmd)
preexec_functions+=(__atuin_preexec)
