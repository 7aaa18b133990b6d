// Command ctxfs shows everything that a coding agent may need as one folder of
// files.
package main

import (
	"context"
	"os"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	_ "ctxfs/cmd/ctxfs/early"
	_ "ctxfs/cmd/ctxfs/enter"
	_ "ctxfs/cmd/ctxfs/quick"
)

func main() {
	streams := console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(run(context.Background(), cli.New(streams, os.LookupEnv), os.Args[1:]))
}
