# What bash-preexec 0.5 and 0.6 do: an installer at the end of PROMPT_COMMAND
# takes itself out at the first prompt, goes first and last, and calls preexec
# from a DEBUG trap, for the first command that does not stand in PROMPT_COMMAND.
bash_preexec_imported=defined
__bp_installer=$'__bp_trap="$(trap -p DEBUG)"\ntrap - DEBUG\n__bp_install'
__bp_return() { return ${1:+"$1"}; }
__bp_interactive_mode() { __bp_mode=on; }
__bp_precmd_invoke_cmd() {
	__bp_code=$? BP_PIPESTATUS=("${PIPESTATUS[@]}")
	((${__bp_within:-0} > 0)) && return
	local __bp_within=1 name
	for name in "${precmd_functions[@]}"; do
		if type -t "$name" >/dev/null; then
			__bp_return "$__bp_code"
			"$name"
		fi
	done
	__bp_return "$__bp_code"
}
__bp_preexec_invoke_exec() {
	((${__bp_within_exec:-0} > 0)) && return
	local __bp_within_exec=1 name line lines IFS=$'\n;'
	[[ -t 1 && -z ${COMP_LINE-} && -n ${__bp_mode-} ]] || return 0
	((BASH_SUBSHELL)) || __bp_mode=
	read -rd '' -a lines <<<"${PROMPT_COMMAND[*]-}"
	for line in "${lines[@]}"; do
		line=${line#"${line%%[![:space:]]*}"}
		if [[ ${line%"${line##*[![:space:]]}"} == "$BASH_COMMAND" ]]; then
			__bp_mode=
			return
		fi
	done
	line=$(HISTTIMEFORMAT= builtin history 1)
	[[ -n $line ]] || return 0
	for name in "${preexec_functions[@]-}"; do
		if type -t "$name" >/dev/null; then
			"$name" "${line#*[[:digit:]][* ] }"
		fi
	done
	__bp_return 0 "$1"
}
__bp_install() {
	[[ ${PROMPT_COMMAND[*]-} == *__bp_precmd_invoke_cmd* ]] && return 1
	trap '__bp_preexec_invoke_exec "$_"' DEBUG
	local before
	before=$(sed "s/[^']*'\(.*\)'[^']*/\1/" <<<"${__bp_trap-}")
	if [[ -n $before ]]; then
		eval "__bp_original_debug_trap() { $before"$'\n}'
		preexec_functions+=(__bp_original_debug_trap)
	fi
	HISTCONTROL=${HISTCONTROL-}
	HISTCONTROL=${HISTCONTROL//ignorespace/}
	export HISTCONTROL=${HISTCONTROL//ignoreboth/ignoredups}
	local rest=${PROMPT_COMMAND-}
	rest=${rest//$__bp_installer/:}
	[[ $rest == : ]] && rest=
	PROMPT_COMMAND=__bp_precmd_invoke_cmd${rest:+$'\n'$rest}
	PROMPT_COMMAND+=('__bp_interactive_mode')
	precmd_functions+=(precmd)
	preexec_functions+=(preexec)
	__bp_precmd_invoke_cmd
	__bp_interactive_mode
}
PROMPT_COMMAND=${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}$__bp_installer
