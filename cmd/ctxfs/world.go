package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers"
)

// world is the tree of one user with its providers: everything that is shown,
// wherever it is shown.
type world struct {
	tree      *fs.Tree
	providers *providers.List
	front     *frontPage
	log       *slog.Logger
	count     counter
	built     time.Time // the time of what is part of the program
	pages     string    // the path of the file that keeps what count made
	// resultsFolder returns the folder in which users find long results.
	resultsFolder func() string
}

type worldOptions struct {
	// offline starts and watches nothing.
	offline bool
	// hide leaves out paths on disk that are views of ours.
	hide func(path string) bool
	// mountPoint is where the tree is mounted now, "" if nowhere.
	mountPoint func() string
	// count makes AGENTS.md ahead of its readers; nil makes it when it is read.
	count counter
	log   *slog.Logger
}

// newWorld makes the tree from configuration files and caches. It starts
// nothing and is quick.
func (a *app) newWorld(opts worldOptions) *world {
	if opts.log == nil {
		opts.log = slog.New(slog.DiscardHandler)
	}
	self, err := os.Executable()
	if err != nil {
		opts.log.Warn("tools cannot be called by programs", "error", err)
	}
	built := builtAt(self)
	root := fs.NewFolder(built, nil)
	w := &world{built: built, tree: fs.NewTree(root, fs.TreeOptions{Log: opts.log}), log: opts.log, count: opts.count, pages: filepath.Join(a.Cache, "pages.json")}
	w.front = newFrontPage(root, w)
	w.resultsFolder = func() string {
		if opts.mountPoint != nil {
			if dir := opts.mountPoint(); dir != "" {
				return filepath.Join(dir, "results")
			}
		}
		return filepath.Join(a.State, "results")
	}
	w.providers = providers.New(providers.Options{
		Home: a.Home, Config: a.Config, Cache: a.Cache, State: a.State, LookupEnv: a.LookupEnv,
		Program: self, ProgramEnv: []string{"HOME=" + a.Home, "XDG_STATE_HOME=" + filepath.Dir(a.State)},
		Env:     w.env,
		Hide:    opts.hide,
		Offline: opts.offline, ResultsFolder: w.resultsFolder,
		Changed: w.front.renew,
		Log:     opts.log,
	})
	w.front.open()
	return w
}

// env is what the provider with that folder is given.
func (w *world) env(folder string) fs.Env {
	return fs.Env{
		Changed: func(path string) {
			w.tree.Changed(folder + "/" + path)
			w.front.renew()
		},
		Log: w.log.With("provider", folder),
		Now: time.Now, Built: w.built,
	}
}

// builtAt is when the program at a path was built: the time of its file.
func builtAt(program string) time.Time {
	info, err := os.Stat(program)
	if err != nil {
		return time.Now() // replaced while it runs
	}
	return info.ModTime()
}

func (w *world) close() {
	w.front.close()
	if err := w.providers.Close(); err != nil {
		w.log.Warn("a provider did not end well", "error", err)
	}
}

// configuration stands among the providers where its files have faults.
const configuration = "configuration"

func (w *world) statuses() []providerStatus {
	var all []providerStatus
	if problems := w.providers.Problems(); len(problems) > 0 {
		all = append(all, providerStatus{Name: configuration, Status: fs.Status{
			State: "degraded", Summary: "parts of it are not used", Problems: problems,
		}})
	}
	for _, p := range w.providers.All() {
		all = append(all, providerStatus{Name: p.Folder, Status: p.Status()})
	}
	return all
}

// handlers are the requests that concern the tree and its providers.
func (w *world) handlers() map[string]mounts.Handler {
	local := &localSource{world: w}
	return map[string]mounts.Handler{
		"resource": w.resourceHandler(),
		"prompt":   w.promptHandler(),
		"tools":    w.toolsHandler(),
		"flags":    w.flagsHandler(),
		"session":  w.sessionHandler(),
		"sessions": w.sessionsHandler(),
		call.Op:    w.callHandler(),
		gatewayOp:  w.gatewayCallHandler(),
		"config":   w.configHandler,
		"trust":    w.trustHandler,
		"accept":   w.acceptHandler,
		"tmux":     w.tmuxHandler,
		"logins":   func(_ context.Context, c *control.Conn) error { return c.Reply(w.providers.Logins()) },
		"projects": func(_ context.Context, c *control.Conn) error { return c.Reply(w.providers.Projects()) },
		"list": func(ctx context.Context, c *control.Conn) error {
			var args pathArgs
			if err := c.Args(&args); err != nil {
				return err
			}
			entries, err := local.list(ctx, args.Path)
			if err != nil {
				return treeFault(args.Path, err)
			}
			return c.Reply(entries)
		},
		"find": func(ctx context.Context, c *control.Conn) error {
			var args findArgs
			if err := c.Args(&args); err != nil {
				return err
			}
			matches, err := local.find(ctx, args)
			if err != nil {
				return err
			}
			return c.Reply(matches)
		},
		"read": func(ctx context.Context, c *control.Conn) error {
			var args pathArgs
			if err := c.Args(&args); err != nil {
				return err
			}
			return local.send(ctx, args.Path, c)
		},
		"providers": func(_ context.Context, c *control.Conn) error { return c.Reply(w.statuses()) },
		"restart": func(_ context.Context, c *control.Conn) error {
			var args struct {
				Name string `json:"name"`
			}
			if err := c.Args(&args); err != nil {
				return err
			}
			if err := w.providers.Restart(args.Name); err != nil {
				return err
			}
			return c.Reply(struct{}{})
		},
	}
}

// treeFault words an error of the tree for people.
func treeFault(path string, err error) error {
	return &control.Fault{Message: fmt.Sprintf("%s: %s", path, cli.Cause(err))}
}

// tmuxHandler answers the request of "ctxfs term --tmux".
func (w *world) tmuxHandler(ctx context.Context, c *control.Conn) error {
	var args struct {
		Socket string `json:"socket"`
	}
	if err := c.Args(&args); err != nil {
		return err
	}
	adopted, err := w.providers.AdoptTmux(ctx, args.Socket)
	if err != nil {
		return err
	}
	return c.Reply(adopted)
}
