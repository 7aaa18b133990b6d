// Package agents says what each coding agent needs so that it uses ctxfs: a pointer in its
// instructions, hooks, permissions, what its sandbox must allow, or the gateway.
package agents

import "ctxfs/providers/internal/edit"

// Machine is the computer and the user whose agents are set up.
type Machine struct {
	// Home is the user's home folder, and OS the system as in runtime.GOOS.
	Home, OS string
	// LookupEnv looks up a variable of the user's environment.
	LookupEnv func(string) (string, bool)
	// Program is the absolute path of ctxfs as it is to be written into files.
	Program string
	// Mount is the absolute path of the mount point.
	Mount string
}

// Options say what is set up.
type Options struct {
	// Project is the folder of the project whose files are changed, "" for the user's.
	Project string
}

// Agent is a program that can be set up.
type Agent struct {
	// ID is its name in commands; Title is how people write it.
	ID, Title string
	// Installed reports whether it is on the machine, and where it was seen.
	Installed func(Machine) (where string, ok bool)
	// Changes returns what is to be done to files, and notes: what remains to be done by
	// hand, a sentence each.
	Changes func(Machine, Options) (changes []edit.Change, notes []string)
}

// All returns all agents, in the order in which they are offered.
func All() []Agent { return nil }
