// Package shells starts the user's shell so that it marks where each prompt and
// each command begins and ends, without changing any of the user's files.
//
// # How
//
// A shell is started with a file of ctxfs in place of one of the user's, which that
// file then reads: bash by --rcfile (a login shell in POSIX mode by ENV, a mode
// that it leaves at once), zsh by ZDOTDIR, fish by --init-command. Prompts and
// traps are never touched; hooks are added first before a prompt and last before a
// command, and put back if they are lost. In bash, where others take PROMPT_COMMAND
// apart, the hook goes back to the front only once, and bash-preexec calls it as
// one of its functions. Other shells, bash before 4.4, and zsh where the system's
// zshenv sets ZDOTDIR, are started without marks.
//
// # The marks
//
// They are those of FinalTerm (OSC 133), which terminals either understand or
// ignore, with the parameter ctx, the secret that a program's own marks lack:
//
//	D;<exit>;ctx=…                  a command has ended
//	A;ctx=…;cwd=…                   a prompt begins; OSC 7 follows with the folder
//	C;ctx=…;cwd=…;cmdline_url=…     a command begins, and with it its output
//	C;ctx=…;cwd=…;last=…;prompt=…   the same, its text unknown: see [Typed]
//
// Values are percent-encoded. D comes only after C. A C without a D before it
// means that the end of the previous command was missed (the user cleared the
// hooks in it): its exit code is unknown. No D follows the last C if the shell
// itself ends in the command (exit, exec, a signal); fish marks exit. A nested
// shell, also a remote one, has no marks of its own: it is one command.
//
// # Cost
//
// One write per prompt and one per command, and in bash two forks (one from 5.3
// on): see BenchmarkCommand. Bash runs one more process for each part of a
// pipeline, to pass PIPESTATUS on to the user's PROMPT_COMMAND.
//
// # Known gaps
//
// Bash gives no text for a command that is not in its history. While the user
// has PROMPT_COMMAND read-only, commands of bash have no end of their own.
// Output of other handlers of fish_postexec counts as the command's.
package shells
