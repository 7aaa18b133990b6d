# What oh-my-zsh does: hooks by add-zsh-hook that set the title and tell the
# folder, a prompt with substitutions, aliases, and plugins that wrap widgets.
autoload -Uz add-zsh-hook
setopt prompt_subst auto_cd interactive_comments
alias -g ...=../..
omz_precmd() { omz_code=$?; print -Pn '\e]2;%~\a'; }
omz_preexec() { emulate -L zsh; setopt extended_glob; print -n "\e]2;${(V)2}\a"; }
omz_urlencode() { print -n "\e]7;file://${HOST}${PWD}\e\\"; }
add-zsh-hook precmd omz_precmd
add-zsh-hook precmd omz_urlencode
add-zsh-hook preexec omz_preexec
PS1='%(?:%{%1G+%}:%{%1G-%}) $(omz_info) ok> '
omz_info() { print -n main; }
omz_accept() { zle .accept-line; }
zle -N accept-line omz_accept
