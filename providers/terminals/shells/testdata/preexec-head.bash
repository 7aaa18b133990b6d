# What bash-preexec does since 2026: it makes sure at every prompt that all of
# PROMPT_COMMAND stands between its two commands. Its own are made colons first,
# and these taken out by a pattern that costs bash the fourth power of the
# text's length. The rest is that of preexec-0.bash.
source "${BASH_SOURCE%/*}/preexec-0.bash"
PROMPT_COMMAND=${PROMPT_COMMAND%"$__bp_installer"}
PROMPT_COMMAND=${PROMPT_COMMAND%$'\n'}
PROMPT_COMMAND+=('__bp_install "$_"')
__bp_without() {
	local name=$1 text=$2 next nl=$'\n' off=
	shopt -q extglob || off=1
	shopt -s extglob
	while
		next="${text//?(+([[:blank:]]))[";$nl"]*([[:blank:]]):*([[:blank:]])[";$nl"]*([[:blank:]])/$nl}"
		[[ $next != "$text" ]]
	do
		text=$next
	done
	text=${text#:*([[:blank:]])[";$nl"]}
	text=${text%[";$nl"]*([[:blank:]]):}
	[[ $text == : ]] && text=
	printf -v "$name" %s "$text"
	[[ -z $off ]] || shopt -u extglob
}
__bp_take_out() {
	local i rest
	for i in "${!PROMPT_COMMAND[@]}"; do
		__bp_without rest "${PROMPT_COMMAND[i]//"$1"/:}"
		if [[ -n $rest ]]; then
			PROMPT_COMMAND[i]=$rest
		else
			unset -v 'PROMPT_COMMAND[i]'
		fi
	done
}
__bp_enclose() {
	local IFS=$'\n' first='__bp_precmd_invoke_cmd "$_"' last=__bp_interactive_mode
	[[ ${PROMPT_COMMAND[*]-} == "$first"$'\n'*$'\n'"$last" ]] && return 1
	IFS=$' \t\n'
	__bp_take_out "$first"
	__bp_take_out "$last"
	PROMPT_COMMAND=$first${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
	PROMPT_COMMAND+=("$last")
}
__bp_interactive_mode() {
	[[ ${1-} == force || ${#FUNCNAME[*]} == 1 ]] || return 0
	__bp_mode=on
}
__bp_precmd_invoke_cmd() {
	__bp_code=$? BP_PIPESTATUS=("${PIPESTATUS[@]}")
	((${__bp_within:-0} > 0)) && return "$__bp_code"
	if ! __bp_enclose && [[ ${1-} != force ]] && ((${#FUNCNAME[*]} > 1)); then
		return "$__bp_code"
	fi
	local __bp_within=1 name
	for name in "${precmd_functions[@]}"; do
		if type -t "$name" >/dev/null; then
			__bp_return "$__bp_code"
			"$name"
		fi
	done
	__bp_return "$__bp_code"
}
__bp_install() {
	[[ ${PROMPT_COMMAND[*]-} == *'__bp_precmd_invoke_cmd "$_"'* ]] && return 1
	local code=$?
	trap '__bp_preexec_invoke_exec "$_"' DEBUG
	HISTCONTROL=${HISTCONTROL-}
	HISTCONTROL=${HISTCONTROL//ignorespace/}
	export HISTCONTROL=${HISTCONTROL//ignoreboth/ignoredups}
	__bp_take_out '__bp_install "$_"'
	__bp_enclose
	precmd_functions+=(precmd)
	preexec_functions+=(preexec)
	__bp_precmd_invoke_cmd force
	__bp_interactive_mode force
}
declare -ft __bp_install
