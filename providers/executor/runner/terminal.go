package runner

import "os"

// Terminal is a recorded terminal that an agent runs in. Its standard input and its
// errors are the terminal; its standard output is read by the runner, which shows it
// there.
type Terminal interface {
	ID() string
	Dir() string // of the recording
	Log() string // the path of the clean log
	// Slave is the side of the terminal that is the agent's, Environ the environment for
	// it.
	Slave() *os.File
	Environ() []string
	Started(pid int)
	Show(output []byte)
	// Close ends it, with the agent's exit code and the name of the signal that ended it.
	Close(exit int, signal string)
}

// Open opens a terminal that is recorded under a name, for a command in a folder.
type Open func(name string, argv []string, dir string, environ []string) (Terminal, error)
