// Package agentrun is ctxfs agent run, on the side of its user: it reads the request, starts
// the run, waits for its end and prints what came of it.
//
// It imports little, and does all of that before the libraries of the program are
// initialised, as package early does with calls. It is not part of that package since it
// needs the library for flags, for which a call does not wait.
//
// In order: agentrun.go (the start, flags), run.go (a run from its start to its end),
// request.go (the request).
package agentrun

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/providers/executor/request"
)

// Flags are the flags of agent run.
type Flags struct {
	agent, repo, schema string
	timeout             time.Duration
	readOnly, worktree  bool
	detach, json        bool
	given, has          func(name string) bool
}

// Add adds the flags to those of a command, which are then parsed.
func (f *Flags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.agent, "agent", "", "the agent, or a kind of subagent")
	flags.StringVar(&f.repo, "repo", "", "the folder in which it works, instead of this one")
	flags.DurationVar(&f.timeout, "timeout", request.DefaultTimeout, "end it after this time")
	flags.BoolVar(&f.readOnly, "read-only", false, "it may read everything, and write nothing")
	flags.BoolVar(&f.worktree, "worktree", false, "it works in a git worktree of its own")
	flags.StringVar(&f.schema, "schema", "", "the `FILE` with a JSON Schema for its answer")
	flags.BoolVar(&f.detach, "detach", false, "print the id and return; it may still wait for its turn")
	flags.BoolVar(&f.json, "json", false, "with --detach, print as JSON")
	f.given = flags.Changed
	f.has = func(name string) bool { return flags.Lookup(name) != nil }
}

// init runs the command and does not return, unless the command line has a fault or asks for
// help: that is left to the rest of the program.
func init() {
	if len(os.Args) < 3 || os.Args[1] != "agent" || os.Args[2] != "run" {
		return
	}
	var f Flags
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	f.Add(flags)
	if flags.Parse(os.Args[3:]) != nil {
		return
	}
	p, err := places.Find(os.LookupEnv)
	if err != nil {
		return
	}
	s := console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	err = Run(context.Background(), s, p, &f, flags.Args())
	code, printed := console.ExitCode(err)
	if printed {
		console.Complain(os.Stderr, err)
	}
	os.Exit(code)
}
