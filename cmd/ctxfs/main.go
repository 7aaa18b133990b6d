// Command ctxfs shows everything that a coding agent may need as one folder of
// files.
package main

import (
	"context"
	"os"

	_ "ctxfs/cmd/ctxfs/early"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
