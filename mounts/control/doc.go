// Package control is the conversation between commands and the user's one
// background process, over a socket in the runtime folder ([Dial], [Start],
// [Listen]).
//
// It imports the standard library only, and of that not much: a command that
// is done when the process has answered, such as a tool's call, is as quick to
// start as what it imports.
package control
