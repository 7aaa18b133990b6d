# Marks where prompts and commands begin and end, for ctxfs. Bash reads this
# instead of ~/.bashrc (--rcfile), or as $ENV where it is a login shell; it
# reads the user's own files, and nothing of it is exported.
#
# The functions come first, so that no alias of the user's gets into them, and
# put options aside, so that set -u, -e and -x are no matter here.

__ctxfs_nonce=${CTXFS_NONCE-}
builtin unset CTXFS_NONCE

# What is put before the user's PROMPT_COMMAND. A line is one command, as
# bash-preexec expects of commands that are not to be taken for the user's. What
# the user's DEBUG trap prints for these commands is not shown. $? and PIPESTATUS
# are as they were for the commands that follow: a pipeline can only be restored
# by another one; "&& case" leaves both alone, and ERR traps and set -e too. The
# text does nothing in a shell that inherits it without the functions. It is
# short, as others search and replace in PROMPT_COMMAND with patterns that take
# bash time with the fourth power of its length.
__ctxfs_entry='{
"${__ctxfs_hook-:}" "$?" "${PIPESTATUS[@]}"
case "${__ctxfs_statuses-}" in
2) __ctxfs_of 0|__ctxfs_of 1&&case x in esac;;
3) __ctxfs_of 0|__ctxfs_of 1|__ctxfs_of 2&&case x in esac;;
4) __ctxfs_of 0|__ctxfs_of 1|__ctxfs_of 2|__ctxfs_of 3&&case x in esac;;
*) "${__ctxfs_restore-:}"&&case x in esac;;
esac
} >/dev/null 2>&1'

# What is put after it where the user's sets PS0 at each prompt.
__ctxfs_last='{
"${__ctxfs_keep-:}"
} >/dev/null 2>&1'
__ctxfs_hook=__ctxfs_prompt
__ctxfs_restore=__ctxfs_exit
__ctxfs_keep=__ctxfs_keep_ps0
__ctxfs_statuses=1
__ctxfs_pipe=(0)
__ctxfs_status=0
__ctxfs_open=0    # how many commands have begun since our last prompt
__ctxfs_left=     # PROMPT_COMMAND as we left it at the prompt
__ctxfs_changed=  # what others have made of it since, if anything
__ctxfs_history=0 # $HISTCMD at the prompt
__ctxfs_late=0    # 1: at the prompt before, ours was not first
__ctxfs_moved=0   # 1: ours has gone to the front again
__ctxfs_joined=0  # 1: bash-preexec has been told to call ours
__ctxfs_lost=     # how often PS0 lost ours: x each time
__ctxfs_folder=   # $PWD, and as it stands in marks
__ctxfs_cwd=
__ctxfs_null=
__ctxfs_one=1

# What is put after the user's PS0, which bash shows when it has read a command
# and is about to run it. (A DEBUG trap would also fire in completions, and the
# user's fires in ${ …; } of bash 5.3.) A command substitution cannot set
# variables of this shell. So the first half is a substring of length zero, whose
# arithmetic counts __ctxfs_open, and puts the hook back where it is lost: at the
# first place if that is empty, as an element of its own if the prompt before this
# command did not call it. It does the latter only once, and only if PROMPT_COMMAND
# was still as we left it when the command before began: who sets it anew at every
# prompt may free the elements that bash is walking through.
__ctxfs_ps0='${__ctxfs_hook+${__ctxfs_null:0:0*(1${__ctxfs_one/"${PROMPT_COMMAND[(__ctxfs_open==1)*(0==${#__ctxfs_changed[0]})*1048576]:=$__ctxfs_entry}${__ctxfs_changed[__ctxfs_open]:=${PROMPT_COMMAND#"$__ctxfs_left"}}"/}+(__ctxfs_open=__ctxfs_open+1))}$({ __ctxfs_command; } 2>/dev/null)}'

__ctxfs_exit() { return "$__ctxfs_status"; }
__ctxfs_of() { return "${__ctxfs_pipe[$1]}"; }

# Sets encoded to a text as it may stand in a mark. Marks are cut at 8 KiB.
__ctxfs_encode() {
	encoded=${1:0:8192}
	encoded=${encoded//%/%25}
	encoded=${encoded//;/%3B}
	encoded=${encoded//$'\n'/%0A}
	encoded=${encoded//$'\r'/%0D}
	encoded=${encoded//$'\t'/%09}
	encoded=${encoded//$'\e'/%1B}
	encoded=${encoded//$'\a'/%07}
	encoded=${encoded//[[:cntrl:]]/?}
}

# Before a prompt: the command has ended, with the status that is given first.
__ctxfs_prompt() {
	__ctxfs_status=$1
	local -
	builtin set +aeux
	builtin shift
	__ctxfs_pipe=("$@") __ctxfs_statuses=$#
	local mark= encoded
	if ((__ctxfs_open)); then
		mark=$'\e]133;D;'"$__ctxfs_status;ctx=$__ctxfs_nonce"$'\a'
	fi
	if [[ $PWD != "$__ctxfs_folder" ]]; then
		__ctxfs_encode "$PWD"
		__ctxfs_folder=$PWD __ctxfs_cwd=$encoded
	fi
	mark+=$'\e]133;A;ctx='"$__ctxfs_nonce;cwd=$__ctxfs_cwd"$'\a'
	encoded=${__ctxfs_cwd// /%20}
	encoded=${encoded//\#/%23}
	mark+=$'\e]7;file://'"$HOSTNAME${encoded//\?/%3F}"$'\a'
	builtin printf %s "$mark" >/dev/tty
	__ctxfs_open=0
	__ctxfs_history=${HISTCMD-0}
	__ctxfs_place
	__ctxfs_left=${PROMPT_COMMAND-} __ctxfs_changed=()
	return 0
}

# Called by bash-preexec, before other functions and with the command's status.
__ctxfs_precmd() { __ctxfs_prompt "$?" 0; }

# Keeps our two texts where they belong.
#
# Others move themselves to the front too, and two that both insist never come to
# an end. So ours goes to the front again once and no more. After that it is an
# element of its own, to which bash (from 5.1 on) tells the command's own status,
# or stays where it is. No element is taken away: bash is walking through them.
__ctxfs_place() {
	if __ctxfs_keep_ps0; then
		__ctxfs_lost+=x
	fi
	if [[ ${PROMPT_COMMAND@a} == *r* ]]; then
		builtin return
	fi
	if [[ $__ctxfs_lost == xx ]]; then
		__ctxfs_lost=added
		PROMPT_COMMAND=${PROMPT_COMMAND-}$'\n'$__ctxfs_last
	fi
	if __ctxfs_join; then
		builtin return
	fi
	if [[ ${PROMPT_COMMAND-} == "$__ctxfs_entry"* ]]; then
		__ctxfs_late=0
		builtin return
	fi
	# It is somewhere else, or nowhere. What installs itself at the next prompt
	# looks for its own text in PROMPT_COMMAND, so that this stays as it is for
	# one prompt more.
	if [[ ${PROMPT_COMMAND-} == *"$__ctxfs_entry"* ]] && ((!__ctxfs_late && !__ctxfs_moved)); then
		__ctxfs_late=1
		builtin return
	fi
	if ((__ctxfs_moved)); then
		__ctxfs_settle
		builtin return
	fi
	__ctxfs_moved=1
	__ctxfs_withdraw
	PROMPT_COMMAND=$__ctxfs_entry${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
}

# Makes ours an element of its own where it is not the beginning of one.
__ctxfs_settle() {
	local text
	if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
		builtin return
	fi
	for text in "${PROMPT_COMMAND[@]}"; do
		if [[ $text == "$__ctxfs_entry"* ]]; then
			builtin return
		fi
	done
	__ctxfs_withdraw
	PROMPT_COMMAND[1048576]=$__ctxfs_entry
}

# Has bash-preexec call ours, first of its functions, and tells whether it does:
# it takes PROMPT_COMMAND to pieces whenever something stands before its own text.
__ctxfs_join() {
	if [[ ${PROMPT_COMMAND[*]-} != *__bp_precmd_invoke_cmd* && ${PROMPT_COMMAND[*]-} != *__bp_install* ]] ||
		[[ ${precmd_functions@a} == *r* ]] || ! builtin declare -F __bp_precmd_invoke_cmd >/dev/null; then
		builtin return 1
	fi
	local name rest=() found=0
	if ((__ctxfs_joined)) && [[ " ${precmd_functions[*]} " != *" __ctxfs_precmd "* ]]; then
		__ctxfs_settle # those functions are set anew: not among them again
		builtin return 0
	fi
	for name in "${precmd_functions[@]}"; do
		if [[ $name == __ctxfs_precmd ]]; then
			found=1
		else
			rest+=("$name")
		fi
	done
	if [[ ${precmd_functions[0]-} != __ctxfs_precmd ]] && ((!found || !__ctxfs_moved)); then
		if ((found)); then
			__ctxfs_moved=1
		fi
		precmd_functions=(__ctxfs_precmd "${rest[@]}")
	fi
	__ctxfs_joined=1
	__ctxfs_withdraw
}

# Takes our text out of PROMPT_COMMAND.
__ctxfs_withdraw() {
	local i text
	for i in "${!PROMPT_COMMAND[@]}"; do
		text=${PROMPT_COMMAND[i]}
		if [[ $text != *"$__ctxfs_entry"* ]]; then
			continue
		fi
		text=${text//"$__ctxfs_entry"$'\n'/}
		text=${text//$'\n'"$__ctxfs_entry"/}
		text=${text//"$__ctxfs_entry"/}
		if [[ $i == 0 ]]; then
			PROMPT_COMMAND=$text # an index would make an array of it
		else
			PROMPT_COMMAND[i]=$text
		fi
	done
}

# Puts our text into PS0, and tells whether it was not there.
__ctxfs_keep_ps0() {
	if [[ ${PS0@a} == *r* ]]; then
		builtin return 1
	elif ! builtin shopt -q promptvars; then
		PS0=${PS0//"$__ctxfs_ps0"/} # it would be shown as it is
		builtin return 1
	elif [[ ${PS0-} == *"$__ctxfs_ps0"* ]]; then
		builtin return 1
	fi
	PS0=${PS0-}$__ctxfs_ps0
}

# Before a command: prints its mark.
__ctxfs_command() {
	local -
	builtin set +aeux
	local text= encoded mark known=$((HISTCMD - __ctxfs_history - __ctxfs_open + 1))
	if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 503)); then
		builtin eval 'text=${ HISTTIMEFORMAT= builtin history 1; }' # without a process
	else
		text=$(HISTTIMEFORMAT= builtin history 1)
	fi
	if ((__ctxfs_open == (${#__ctxfs_changed[0]} ? 2 : 3))); then
		builtin printf 'ctxfs: something sets PROMPT_COMMAND anew at every prompt: where commands end and with which code is not recorded any more\r\n'
	fi
	text=${text#"${text%%[0-9]*}"} # "  501  the text", or "* " if it was edited
	text=${text#"${text%%[^0-9]*}"}
	text=${text:2}
	# The history has not grown by just this command. Without HISTCONTROL and
	# HISTIGNORE it is the command before once more; else nobody can know.
	if ((known == 0)) && [[ -o history && -z ${HISTIGNORE-} && ${HISTCONTROL-} != *ignore[bs]* ]]; then
		known=1
	fi
	mark=$'\e]133;C;ctx='"$__ctxfs_nonce;cwd="
	__ctxfs_encode "$PWD"
	mark+=$encoded
	__ctxfs_encode "$text"
	if ((known == 1)) && [[ -n $text ]]; then
		mark+=";cmdline_url=$encoded"
	else
		# What was typed stands after the prompt's last line.
		mark+=";last=${encoded:0:2048}"
		__ctxfs_last_line "${PS1@P}"
		__ctxfs_encode "$encoded"
		mark+=";prompt=${encoded:0:1024}"
	fi
	mark+=$'\a'
	builtin printf %s "$mark"
}

# Sets encoded to the last line of an expanded prompt, without its escapes.
__ctxfs_last_line() {
	local text=$1 rest escape='^([^'$'\e'$'\a'']*)('$'\e''\[[0-?]*[ -/]*[@-~]|'$'\e''\][^'$'\a\e'']*('$'\a''|'$'\e''\\)|'$'\e''[ -/]*[0-~]|[[:cntrl:]])(.*)$'
	text=${text//[$'\001\002']/}
	text=${text##*$'\n'}
	encoded=
	while [[ $text =~ $escape ]]; do
		encoded+=${BASH_REMATCH[1]} rest=${BASH_REMATCH[4]}
		text=$rest
	done
	encoded+=$text
}

__ctxfs_install() {
	local -
	builtin set +aeux
	if [[ ${PROMPT_COMMAND@a} != *r* ]] && ! __ctxfs_join; then
		PROMPT_COMMAND=$__ctxfs_entry${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
	fi
	__ctxfs_place
}

# The user's own files, as bash reads them. The system's bashrc it has read.
if builtin shopt -q login_shell; then
	# Only in POSIX mode does a login shell read a file of ours.
	builtin set +o posix
	builtin shopt -u inherit_errexit
	if [[ -n ${CTXFS_ENV+x} ]]; then
		ENV=$CTXFS_ENV
		builtin unset CTXFS_ENV
	else
		builtin unset ENV
	fi
	if [[ ${HISTFILE-} == ~/.sh_history && ${HISTFILE@a} != *x* ]]; then
		HISTFILE=~/.bash_history
	fi
	if [[ -r /etc/profile ]]; then
		builtin source /etc/profile
	fi
	if [[ -r ~/.bash_profile ]]; then
		builtin source ~/.bash_profile
	elif [[ -r ~/.bash_login ]]; then
		builtin source ~/.bash_login
	elif [[ -r ~/.profile ]]; then
		builtin source ~/.profile
	fi
elif [[ -r ~/.bashrc ]]; then
	builtin source ~/.bashrc
fi

if [[ -n $__ctxfs_nonce ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
	__ctxfs_install
fi
