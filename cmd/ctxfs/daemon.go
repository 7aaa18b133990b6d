package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// idleTime is how long a background process waits for its first view.
const idleTime = 10 * time.Second

// gcPercent makes the garbage collector run more often than by default: the
// process mostly holds what it shows, for days, and should be small.
const gcPercent = 40

func (a *app) daemonCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "daemon",
		Short:  "the background process (started by mount)",
		Hidden: true,
		Args:   cli.Args(0),
		RunE:   func(cmd *cobra.Command, _ []string) error { return a.daemon(cmd.Context()) },
	}
}

// daemon serves until the last view is gone or a signal comes. Its first work
// is to take the seat: whoever else starts one sees that it is taken.
func (a *app) daemon(ctx context.Context) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGHUP)
	starter := control.NewStarter()
	a.Note = starter.Note
	seat, err := a.Process().Claim(ctx)
	starter.Claimed(err)
	if err != nil {
		return err
	}
	s, closeWorld := a.newServer(seat, idleTime)
	defer closeWorld()
	go endOnSignal(s, signals)
	s.Serve()
	return nil
}

// newServer makes the tree of this user and a server for it. Who calls must
// call Serve, then the returned function.
func (a *app) newServer(seat *control.Seat, idle time.Duration) (*mounts.Server, func()) {
	debug.SetGCPercent(gcPercent)
	log := slog.New(slog.NewTextHandler(a.Err, nil))
	self, _ := os.Executable()              // without it, AGENTS.md names as many things as surely fit
	var shown atomic.Pointer[mounts.Server] // the watches of the tree are there first
	w := a.newWorld(worldOptions{
		log: log, count: countedBy(self),
		hide: func(path string) bool {
			s := shown.Load()
			return s != nil && s.Shows(path)
		},
		mountPoint: func() string {
			if s := shown.Load(); s != nil {
				return s.MountPoint()
			}
			return ""
		},
	})
	s := mounts.NewServer(mounts.Options{
		Seat:     seat,
		Tree:     w.tree,
		Sources:  w.providers.Roots,
		Begin:    w.providers.Start,
		Handlers: w.handlers(),
		Guardian: guardian,
		Idle:     idle,
		Busy:     w.providers.Busy,
		Log:      log,
	})
	shown.Store(s)
	return s, w.close
}

// guardian is the command of a process that guards the mounts of this one; its
// argument is for people who look at the table of processes.
func guardian() *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", guard.Command, strconv.Itoa(os.Getpid())) // also where an upgrade has replaced it
	cmd.Args[0] = "ctxfs"
	cmd.Stderr = os.Stderr
	return cmd
}

func (a *app) restartCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restart [SERVER]",
		Short: "start an MCP server again, or all of them",
		Long: `Restart ends an MCP server, starts it again and lists its tools anew. Its
folder and its last known tools stay all the while.`,
		Args:              cli.Args(1),
		ValidArgsFunction: a.completeServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return a.restart(cmd.Context(), name)
		},
	}
	return cmd
}

func (a *app) restart(ctx context.Context, name string) error {
	c, err := a.Running(ctx)
	if c != nil {
		defer c.Close()
		err = c.Ask(ctx, "restart", map[string]string{"name": name}, nil)
	}
	if c == nil && err == nil || errors.Is(err, control.ErrGone) {
		return &control.Fault{Message: "ctxfs is not running, so no server is", Hint: "start it: ctxfs mount"}
	}
	if err != nil {
		return err
	}
	if name == "" {
		name = "every server"
	}
	a.Sayf("restarting %s; see how it goes: ctxfs status", name)
	return nil
}

// completeServer completes the one name of a server.
func (a *app) completeServer(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeServers(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeServers(ctx context.Context) []string {
	src, err := a.source(ctx)
	if err != nil {
		return nil
	}
	defer src.close()
	statuses, err := src.statuses(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, p := range statuses {
		if p.Name == "mcps" {
			for _, item := range p.Items {
				names = append(names, item.Name)
			}
		}
	}
	return names
}
