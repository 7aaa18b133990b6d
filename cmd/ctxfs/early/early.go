// Package early runs those commands that must start at once, or must be small,
// before the libraries of the program are initialised.
package early

import (
	"os"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/mounts/guard"
)

// Libraries of this program work for milliseconds before main begins (a JSON
// Schema library compiles its own schemas: 4 of the 6 ms that the program takes
// to start). A call takes less than that, and is made thousands of times; a
// guardian stays for as long as a mount. Go initialises packages in the order of
// their paths as far as what they import lets it (The Go Programming Language
// Specification, "Program initialization"), and this one imports little: so a
// call is made before the libraries begin. This is the one init of the program.
// Were the order another, it would still be right, and slower;
// TestCallsStartEarly watches over it.
func init() {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "call" && !call.OwnHelp(os.Args[2:]):
		os.Exit(call.Early(os.Args[2:]))
	case len(os.Args) > 1 && os.Args[1] == guard.Command:
		os.Exit(guard.Main(os.Stderr))
	}
}
