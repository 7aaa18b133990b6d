# Two hooks of which each wants to be the first, at every prompt.
__front_a() { seen_a=$?; PROMPT_COMMAND=$'__front_a\n'${PROMPT_COMMAND//__front_a$'\n'/}; }
__front_b() { seen_b=$?; PROMPT_COMMAND=$'__front_b\n'${PROMPT_COMMAND//__front_b$'\n'/}; }
PROMPT_COMMAND=$'__front_a\n__front_b\n'
