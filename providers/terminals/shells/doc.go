// Package shells starts the user's shell so that it tells where each prompt and
// each command begins and ends, without a change to any file of the user's.
//
// # How
//
// A shell is started with one file of ours in place of one of the user's, which
// it then reads itself: bash by --rcfile (a login shell in POSIX mode by ENV,
// which it leaves at once), zsh by ZDOTDIR, fish by --init-command. The prompts
// are never touched, nor traps; hooks are added first before a prompt and last
// before a command, and put back if they are lost. In bash, where others take
// PROMPT_COMMAND to pieces, ours goes back to the front once and no more, and
// bash-preexec calls it as one of its functions. Other shells, bash before 4.4,
// and zsh where the system's zshenv sets ZDOTDIR, are started without marks.
//
// # The marks
//
// They are those of FinalTerm (OSC 133), which terminals know or ignore, with
// the parameter ctx, the secret that a program's own marks lack:
//
//	D;<exit>;ctx=…                  a command has ended
//	A;ctx=…;cwd=…                   a prompt begins; OSC 7 follows with the folder
//	C;ctx=…;cwd=…;cmdline_url=…     a command begins, and with it its output
//	C;ctx=…;cwd=…;last=…;prompt=…   the same, its text unknown: see [Typed]
//
// Values are percent-encoded. D comes only after C. A C without a D before it
// means that the end of the command before went unseen (the user cleared the
// hooks in it): its exit code is unknown. After the last C none comes if the
// shell itself ends in the command (exit, exec, a signal); fish tells of exit.
// A nested shell, also a remote one, has no marks of its own: it is one command.
//
// # Cost
//
// One write a prompt and one a command, and in bash two forks (one from 5.3 on): see
// BenchmarkCommand. Bash runs one more process for each part of a pipeline, to
// hand PIPESTATUS on to the user's PROMPT_COMMAND.
//
// # What stays open
//
// Bash tells no text for a command that is not in its history. While the user
// has PROMPT_COMMAND read-only, commands of bash have no end of their own.
// Output that other handlers of fish_postexec print counts as the command's.
package shells
