# A hook that goes first at every prompt, and keeps the status.
__polite() { seen=$?; PROMPT_COMMAND=$'__polite\n'${PROMPT_COMMAND//__polite$'\n'/}; return "$seen"; }
PROMPT_COMMAND=$'__polite\n'${PROMPT_COMMAND-}
