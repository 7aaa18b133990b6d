// Package control is how the one background process of a home is found and
// started, and the conversation between it and commands.
//
// The process belongs to the state folder. It locks that folder, and its socket
// lies there, so that whoever has the folder finds the process, by whatever
// path and in whatever environment ([Home.Dial]). Anybody may start it at any
// time ([Home.Start]): the first thing that a new process does is to take the
// lock and to listen ([Home.Claim]); one that comes too late ends, and who
// started it connects to the other.
//
// Who waits for a process looks at it from outside when no answer comes. One
// that cannot answer, because it is stopped for instance, is a [Silent] at once;
// one that is busy is waited for.
//
// It imports the standard library only, and of that not much: a command that
// is done when the process has answered, such as a tool's call, is as quick to
// start as what it imports.
package control
