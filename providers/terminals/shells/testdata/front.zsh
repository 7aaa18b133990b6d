# Two functions of which each wants to be the first before every prompt, and
# last before every command.
front_a() { seen_a=$?; precmd_functions=(front_a ${precmd_functions:#front_a}) }
front_b() { seen_b=$?; precmd_functions=(front_b ${precmd_functions:#front_b}) }
last_a() { preexec_functions=(${preexec_functions:#last_a} last_a) }
last_b() { preexec_functions=(${preexec_functions:#last_b} last_b) }
precmd_functions=(front_a front_b)
preexec_functions=(last_a last_b)
