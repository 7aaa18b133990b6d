# What nvm's own instructions have users add: cd looks for a file, and prints.
nvm_find() { [[ -e /usr/lib ]] && printf '%s\n' "${PWD%/}/.nvmrc"; }
cdnvm() {
	command cd "$@" || return
	nvm_file=$(nvm_find)
}
alias cd=cdnvm
cdnvm "$PWD"
