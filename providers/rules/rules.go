// Package rules shows the rules of all coding agents as one folder: files such as
// AGENTS.md, CLAUDE.md or .cursor/rules/*.mdc in which users and projects tell agents
// what to do.
//
// There is a folder for those of the user, and one for each workspace (package
// workspaces), with a file for each rule and the same front matter whatever its format.
// Equal rules of several agents are one file. Beside them, for/ has a page for any
// path, with the rules that hold there.
//
// The order of the parts: package read reads one file, package scope knows when each
// agent reads it, package locate finds them all; here group.go makes one rule of equal
// ones, card.go writes their files, snapshot.go is all that is shown at one moment,
// worker.go finds what the next one is made of, and package shelf shows it, page.go answers for one path,
// and for.go is the folder of such pages.
//
// What a project says is marked as long as the user has not trusted it (package trust).
package rules

import (
	"iter"
	"path/filepath"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/ignore"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/rules/locate"
)

// Options are the settings of a provider.
type Options struct {
	host.Host
	Workspaces *workspaces.Set
	Projects   *project.Resolver
	Trust      *trust.Store
}

// Provider is the folder of rules.
type Provider struct {
	*shelf.Shelf
	opts    Options
	pages   *pages
	prober  *fs.Prober
	ignored []byte // the user's patterns of what git ignores
	current atomic.Pointer[snapshot]
	heads   atomic.Pointer[map[string]bool] // names of entries that may be rules
	whole   atomic.Bool                     // workspaces are looked at, too

	// What follows is used by look alone.
	finder *locate.Finder
	trees  map[string]*locate.Tree // by folder
}

// The times between two looks at all workspaces: a new file in a folder that has no other
// rules is found then. The second one is that where not everything can be watched.
const (
	pollPause = time.Minute
	unwatched = 10 * time.Second
)

// patience is how long a folder may take to answer.
const patience = 2 * time.Second

// New returns a provider that knows the user's rules. Those of workspaces follow after
// Start or, without Watch, when they are first asked for.
func New(opts Options) *Provider {
	opts.Env = opts.Env.WithDocuments()
	p := &Provider{
		opts: opts, prober: fs.NewProber(patience), trees: make(map[string]*locate.Tree),
	}
	p.ignored = ignore.User(opts.Home, opts.Machine.Path("${XDG_CONFIG_HOME:-~/.config}"))
	p.finder = p.newFinder()
	p.pages = &pages{provider: p, dir: "/"}
	p.current.Store(new(snapshot))
	p.heads.Store(new(map[string]bool))
	p.Shelf = shelf.New(opts.Env, shelf.Options{
		Look: p.look, Watch: opts.Watch, Hide: opts.Hide, What: "changes of rules", Index: indexName, Poll: pollPause, Blind: unwatched,
	})
	p.Look()
	p.whole.Store(true)
	opts.Trust.Notify(func(string, bool) { p.Poke() })
	opts.Workspaces.Notice(p.noticed)
	return p
}

func (p *Provider) newFinder() *locate.Finder {
	return locate.New(locate.Options{Machine: p.opts.Machine, Hide: p.opts.Hide, GitIgnore: p.ignored})
}

// Status implements fs.Provider. It looks for nothing.
func (p *Provider) Status() fs.Status {
	s := p.Shelf.Status()
	s.Problems = append(s.Problems, p.opts.Trust.Problems()...)
	return s
}

// Documents implements fs.Documented: one for every rule.
func (p *Provider) Documents(string) iter.Seq[fs.Document] { return p.shown().documents() }

// Brief implements facts.Briefer: the rules of the workspace that has the folder, by name.
func (p *Provider) Brief(dir string) []facts.Remark {
	return p.shown().brief(filepath.Clean(dir), p.opts.Trust.Trusts)
}

// Refresh implements facts.Overview.
func (p *Provider) Refresh() { p.Poke() }

// shown returns what is shown now. Without a watch the first call looks for it.
func (p *Provider) shown() *snapshot {
	p.Ready()
	return p.current.Load()
}
