// Package rules shows the rules of all coding agents as one folder: files such as
// AGENTS.md, CLAUDE.md or .cursor/rules/*.mdc in which users and projects tell agents
// what to do.
//
// There is a folder for those of the user, and one for each workspace (package
// workspaces), with a file for each rule and the same front matter whatever its format.
// Equal rules of several agents are one file. Beside them, for/ answers for any path
// which rules hold there.
//
// The order of the parts: package read reads one file, package scope knows when each
// agent reads it, package locate finds them all; here group.go makes one rule of equal
// ones, card.go writes their files, snapshot.go is all that is shown at one moment,
// worker.go makes the next one when something has changed, page.go answers for one path,
// and for.go is the folder of such pages.
//
// What a project says is marked as long as the user has not trusted it (package trust).
package rules

import (
	"context"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/ignore"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/rules/locate"
)

// Options are the settings of a provider.
type Options struct {
	Env fs.Env
	// Home is the user's home folder.
	Home string
	// OS is the system as in runtime.GOOS.
	OS string
	// LookupEnv is os.LookupEnv.
	LookupEnv func(key string) (string, bool)
	// Hide reports whether a path is to be left out, such as one of our own mounts; it
	// may be nil.
	Hide       func(path string) bool
	Workspaces *workspaces.Set
	Projects   *project.Resolver
	Trust      *trust.Store
	// Watch keeps the provider current, once it is started. Without it, for a command
	// that reads once, rules are looked for when they are first asked for.
	Watch bool
}

// Provider is the folder of rules.
type Provider struct {
	opts    Options
	machine agents.Machine
	root    *folder
	prober  *fs.Prober
	ignored []byte // the user's patterns of what git ignores
	current atomic.Pointer[snapshot]
	heads   atomic.Pointer[map[string]bool] // names of entries that may be rules
	first   sync.Once
	watcher *watch.Watcher // nil where nothing is watched

	looking sync.Mutex // held while a snapshot is made
	finder  *locate.Finder
	trees   map[string]*locate.Tree // by folder
	watched *watch.Set
	folders map[string]*fs.Folder // of the sections, by name

	worker *rounds.Worker
	ctx    context.Context
	cancel context.CancelFunc
}

const (
	// patience is how long a folder may take to answer.
	patience = 2 * time.Second
	// pollPause is the time between two looks at all workspaces: a new file in a folder
	// that has no other rules is found then.
	pollPause = time.Minute
)

// New returns a provider that knows the user's rules. Those of workspaces follow after
// Start or, without Watch, when they are first asked for.
func New(opts Options) *Provider {
	opts.Env = opts.Env.WithDocuments()
	if opts.Env.Log == nil {
		opts.Env.Log = slog.Default()
	}
	p := &Provider{
		opts: opts, machine: agents.Machine{Home: opts.Home, OS: opts.OS, LookupEnv: opts.LookupEnv},
		prober: fs.NewProber(patience), trees: make(map[string]*locate.Tree),
		folders: make(map[string]*fs.Folder),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.worker = rounds.NewWorker(rounds.Options{Round: func(context.Context) { p.look(true) }, Most: p.mostPause, Rest: calm, Share: share})
	p.ignored = ignore.User(opts.Home, p.machine.Path("${XDG_CONFIG_HOME:-~/.config}"))
	p.finder = p.newFinder()
	p.root = newFolder(p)
	p.current.Store(new(snapshot))
	p.heads.Store(new(map[string]bool))
	var unwatched error
	if opts.Watch {
		p.watcher, unwatched = watch.New(watch.Options{Changed: func([]string) { p.worker.Poke() }, Hide: opts.Hide, Log: opts.Env.Log})
	}
	p.watched = watch.NewSet(p.watcher, unwatched)
	p.look(false)
	opts.Trust.Notify(p.worker.Poke)
	opts.Workspaces.Notice(p.noticed)
	return p
}

func (p *Provider) newFinder() *locate.Finder {
	return locate.New(locate.Options{Machine: p.machine, Hide: p.opts.Hide, GitIgnore: p.ignored})
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.root }

// Status implements fs.Provider. It looks for nothing.
func (p *Provider) Status() fs.Status {
	s := p.current.Load().status
	s.Problems = slices.Concat(s.Problems, p.opts.Trust.Problems())
	s.Items = slices.Clone(s.Items)
	return s
}

// Documents implements fs.Documented: one for every rule.
func (p *Provider) Documents(string) iter.Seq[fs.Document] { return p.shown().documents() }

// Brief implements fs.Briefer: the rules of the workspace that has the folder, by name.
func (p *Provider) Brief(dir string) []fs.Remark {
	return p.shown().brief(filepath.Clean(dir), p.opts.Trust.Trusts)
}

// Refresh implements fs.Overview.
func (p *Provider) Refresh() { p.worker.Poke() }

// Start implements fs.Starter.
func (p *Provider) Start() {
	if p.opts.Watch {
		p.worker.Poke()
		p.worker.Start()
	}
}

// Settled implements fs.Settler.
func (p *Provider) Settled(ctx context.Context) error {
	if err := p.watcher.Settled(ctx); err != nil {
		return err
	}
	return p.worker.Settled(ctx)
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.cancel()
	p.worker.Close()
	if p.watcher == nil {
		return nil
	}
	return p.watcher.Close()
}

// shown returns what is shown now. Without a watch the first call looks for it.
func (p *Provider) shown() *snapshot {
	if !p.opts.Watch {
		p.first.Do(func() { p.look(true) })
	}
	return p.current.Load()
}
