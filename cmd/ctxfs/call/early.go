package call

import (
	"context"
	"os"

	"ctxfs/cmd/ctxfs/places"
)

// Libraries of this program work for milliseconds before main begins (a JSON
// Schema library compiles its own schemas: 4 of the 6 ms that the program takes
// to start). A call takes less than that, and is made thousands of times. Go
// initialises packages in the order of their paths as far as what they import
// lets it (The Go Programming Language Specification, "Program
// initialization"), and this one imports little: so a call is made before the
// libraries begin. This is the one init of the program. Were the order another,
// it would still be right, and slower; TestCallsStartEarly watches over it.
func init() {
	if len(os.Args) > 2 && os.Args[1] == "call" && !OwnHelp(os.Args[2:]) {
		os.Exit(Early(os.Args[2:]))
	}
}

// OwnHelp tells whether the words ask for help on the command itself.
func OwnHelp(args []string) bool {
	return len(args) == 0 || len(args) == 1 && (args[0] == "-h" || args[0] == "--help")
}

// Early is the command for those words, in this process's environment.
func Early(args []string) int {
	s := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	p, err := places.Find(os.LookupEnv)
	if err != nil {
		Complain(s.Err, err)
		return ExitFailed
	}
	return Run(context.Background(), p, os.LookupEnv, s, args)
}
