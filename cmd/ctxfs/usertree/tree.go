// Package usertree is the tree of one user, with its providers and the operations
// that can be asked of it: what the background process serves, and what a command
// uses directly if there is no such process.
//
// The order of its parts: tree.go ([Tree]), pages.go (the files in the root:
// AGENTS.md, STATUS.md), operations.go (questions about the tree), then the
// calls of tools: callline.go and callhelp.go (the command line of ctxfs call,
// which can be split only with the tool's schema), call.go (a call by that
// command), agentcall.go (a call by a gateway), progress.go.
package usertree

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/providers"
	"ctxfs/providers/caller"
	"ctxfs/providers/mcp"
	"ctxfs/providers/readonly"
)

// Options are the settings of a [Tree].
type Options struct {
	Places    places.Places
	Environ   func() []string
	LookupEnv func(string) (string, bool)
	// Offline starts and watches nothing.
	Offline bool
	// Hide reports whether a path on disk is in one of ctxfs's own views, and left
	// out; may be nil.
	Hide func(path string) bool
	// MountPoint returns where the tree is mounted now, "" if nowhere; a nil
	// MountPoint means nowhere.
	MountPoint func() string
	Log        *slog.Logger // nil logs nothing
}

// Tree is the tree of one user with its providers.
type Tree struct {
	*fs.Tree
	opts       Options
	providers  *providers.List
	servers    *mcp.Provider // whose tools are called
	operations fs.Operations
	pages      *pages
	built      time.Time // the time of what is part of the program
}

// New makes the tree from configuration files and caches. It starts nothing and
// is quick.
func New(opts Options) *Tree {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	self := opts.Places.Program
	if self == "" {
		opts.Log.Warn("tools cannot be called by programs, since the path of this one is not known")
	}
	t := &Tree{opts: opts, built: builtAt(self)}
	root := fs.NewFolder(t.built, nil)
	t.Tree = fs.NewTree(root, fs.TreeOptions{Confined: readonly.In(opts.Places.State).Process, Settled: t.settled})
	t.pages = newPages(root, t)
	p := opts.Places
	t.providers = providers.New(providers.Options{
		Home: p.Home, Config: p.Config, Cache: p.Cache, State: p.State, LookupEnv: opts.LookupEnv,
		Environ: func() []string { return caller.UserEnviron(p.State, opts.Environ()) },
		Program: self, ProgramEnv: []string{"HOME=" + p.Home, "XDG_STATE_HOME=" + filepath.Dir(p.State)},
		Env:           t.env,
		Hide:          opts.Hide,
		Offline:       opts.Offline,
		ResultsFolder: t.resultsFolder,
		MountPoint:    t.mountPoint,
		Page:          t.agentsPage,
		Settled:       t.Settled,
		Changed:       t.pages.renew,
		Log:           opts.Log,
	})
	t.servers = providers.Of[*mcp.Provider](t.providers)[0]
	t.operations = append(t.ownOperations(), t.providers.Operations()...)
	t.pages.open()
	return t
}

// env returns the environment of the provider with that folder.
func (t *Tree) env(folder string) fs.Env {
	return fs.Env{
		Changed: func(path string) {
			t.Changed(folder + "/" + path)
			t.pages.renew()
		},
		Log: t.opts.Log.With("provider", folder),
		Now: time.Now, Built: t.built,
	}
}

// settled implements the Settled of the tree's options: providers first, then the pages.
func (t *Tree) settled(ctx context.Context) error {
	if err := t.providers.Settled(ctx); err != nil {
		return err
	}
	return t.pages.worker.Settled(ctx)
}

// builtAt returns when the program at a path was built: the time of its file.
func builtAt(program string) time.Time {
	info, err := os.Stat(program)
	if err != nil {
		return time.Now() // replaced while it runs
	}
	return info.ModTime()
}

// resultsFolder returns the folder where users find long results: in a mount, if
// there is one, since that is what agents may read, or else on disk.
func (t *Tree) resultsFolder() string {
	if dir := t.mountPoint(); dir != "" {
		return filepath.Join(dir, "results")
	}
	return filepath.Join(t.opts.Places.State, "results")
}

// mountPoint returns where the tree is mounted, or "".
func (t *Tree) mountPoint() string {
	if t.opts.MountPoint == nil {
		return ""
	}
	return t.opts.MountPoint()
}

// agentsPage returns the text of AGENTS.md.
func (t *Tree) agentsPage(ctx context.Context) (string, error) {
	f, size, err := t.file(ctx, agentsName)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.copy(ctx, f, size, &text)
	return text.String(), err
}

// Providers returns the providers of the tree.
func (t *Tree) Providers() *providers.List { return t.providers }

// Operations returns everything that can be asked of the tree.
func (t *Tree) Operations() fs.Operations { return t.operations }

// RenewPages makes the files in the root again, now.
func (t *Tree) RenewPages() { t.pages.make() }

// Close ends the providers and waits for them.
func (t *Tree) Close() {
	t.pages.worker.Close()
	if err := t.providers.Close(); err != nil {
		t.opts.Log.Warn("a provider did not close cleanly", "error", err)
	}
}
