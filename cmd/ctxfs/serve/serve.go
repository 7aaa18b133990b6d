// Package serve is the command serve: the gateway, which is an MCP server for
// agents that have no shell. [ctxfs/mounts/gateway] speaks the protocol; backend.go
// asks the background process for what the gateway shows.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/mounts/control"
	"ctxfs/mounts/gateway"
	"ctxfs/providers/caller"
	"ctxfs/providers/readonly"
)

// defaultAddress is the default address for HTTP. It is always the same, since it
// is part of the configuration of agents.
const defaultAddress = "127.0.0.1:4939"

// Command returns the command serve.
func Command(a *cli.App) *cobra.Command {
	var overHTTP bool
	var project string
	cmd := &cobra.Command{
		Use:   "serve [--project DIR] [--http [ADDR]]",
		Short: "be an MCP server, for agents that have no shell",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !overHTTP {
				return cli.Usage(cmd, errors.New("an address requires --http"))
			}
			return cli.Args(1)(cmd, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			address := defaultAddress
			if len(args) > 0 {
				address = args[0]
			}
			project, err := projectFolder(a, project)
			if err != nil {
				return cli.Usage(cmd, err)
			}
			err = serve(ctx, a, project, overHTTP, address)
			if ctx.Err() != nil {
				return nil // as it is ended
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&overHTTP, "http", false, "serve HTTP on a loopback address")
	cmd.Flags().StringVar(&project, "project", "", "call servers for the project of this `DIR`, whatever the client says")
	a.CompleteFlag(cmd, "project", cli.CompleteDirs)
	return cmd
}

// projectFolder returns the folder that --project names as an absolute path; "" stays
// "".
func projectFolder(a *cli.App, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	dir, err := a.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("--project must name an existing folder, not %s", dir)
	}
	return dir, nil
}

// serve serves until ctx ends, or, on standard input, until that does.
func serve(ctx context.Context, a *cli.App, project string, overHTTP bool, address string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	log := slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	b := &backend{app: a, life: ctx, who: call.Caller{Standpoint: a.Here()}, project: project}
	g := gateway.New(gateway.Options{Backend: b, Agents: agentsFor(b), Confined: readonly.In(a.State).PeerTCP, Version: places.Version, Log: log})
	if !overHTTP {
		_, b.who.Session = caller.Of(a.LookupEnv)
		if console.IsTerminal(a.In) {
			a.Notef("this is for programs that speak MCP; see how to set one up: ctxfs serve --help")
		}
		return g.ServeStdio(ctx, a.In, a.Out)
	}
	l, err := gateway.Listen(address)
	if fault := (*gateway.Fault)(nil); errors.As(err, &fault) {
		return &control.Fault{Message: fault.What, Hint: fault.Mend}
	}
	if err != nil {
		return err
	}
	a.Sayf("serving on http://%s%s", l.Addr(), gateway.Endpoint)
	a.Notef("end with Ctrl-C")
	return g.ServeHTTP(ctx, l)
}
