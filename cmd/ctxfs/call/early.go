package call

import (
	"context"
	"os"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
)

// OwnHelp tells whether the words ask for help on the command itself.
func OwnHelp(args []string) bool {
	return len(args) == 0 || len(args) == 1 && (args[0] == "-h" || args[0] == "--help")
}

// Early is the command for those words, in this process's environment.
func Early(args []string) int {
	s := console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	p, err := places.Find(os.LookupEnv)
	if err != nil {
		console.Complain(s.Err, err)
		return console.ExitFailed
	}
	p.Note = console.Notes(s.Err)
	return Run(context.Background(), p, os.LookupEnv, s, args)
}
