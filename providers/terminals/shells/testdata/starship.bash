# What starship does: it keeps the PROMPT_COMMAND that it finds and runs that
# itself, sets PS1 at each prompt, and has a DEBUG trap for the time of a command,
# or the functions of bash-preexec where that is.
starship_preexec() {
	local before=$_
	if [[ ${starship_ready-} == yes ]]; then
		starship_ready=no
		ran=$((${ran-0} + 1))
	fi
	: "$before"
}
starship_precmd() {
	starship_code=$? starship_pipe=("${PIPESTATUS[@]}")
	if [[ -n ${starship_others-} ]]; then
		(exit "$starship_code")
		eval "$starship_others"
	fi
	local jobs=0
	for jobs in $(jobs -p); do :; done
	PS1=$'\\[\e[1;32m\\]~\\[\e[0m\\] '"$starship_code"$'\nok> '
	starship_ready=yes
}
if [[ -n ${bash_preexec_imported-} ]]; then
	preexec_functions+=(starship_preexec)
	precmd_functions+=(starship_precmd)
else
	trap 'starship_preexec "$_"' DEBUG
	starship_others=${PROMPT_COMMAND-}
	PROMPT_COMMAND=starship_precmd
fi
