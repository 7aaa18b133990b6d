package providers

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/await"
	"ctxfs/fs/cell"
	"ctxfs/fs/facts"
	"ctxfs/fs/rounds"
	"ctxfs/providers/find"
	"ctxfs/providers/find/learned"
	"ctxfs/providers/hooks"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/toolcall"
	"ctxfs/providers/wait"
)

// Named is a provider and its folder in the root.
type Named struct {
	Folder string
	fs.Provider
}

// List is all providers of one tree.
type List struct {
	opts   Options
	all    []Named
	finder *find.Finder
	hooks  *hooks.Engine
	waiter *wait.Waiter
	watch  *configWatch // nil where nothing is watched

	workspaces *workspaces.Set
	// overviews updates what is made of what several providers say, after others have
	// changed: the set of workspaces, and the pages of the [facts.Overview]s.
	overviews *rounds.Worker

	mu       sync.Mutex
	onUsed   []func() // called when there is news of uses or statements
	problems []fs.Problem
}

// New makes all providers from configuration and caches: it starts nothing but
// watches, and is quick. Problems and Status report what is wrong with the
// configuration; the rest is still shown.
func New(opts Options) *List { return newList(opts, list) }

func newList(opts Options, list func(Options, shared) []Named) *List {
	projects := project.New(project.Options{Home: opts.Home, Hide: opts.Hide})
	now := opts.Env("find").Now
	l := &List{opts: opts, finder: find.NewFinder(now, projects), waiter: wait.New(opts.Hide, opts.Log)}
	l.workspaces = workspaces.New(workspaces.Options{
		Projects: projects,
		Home:     opts.Home,
		Names:    filepath.Join(opts.State, "workspaces", "names.json"),
		Kept:     filepath.Join(opts.State, "workspaces", "known.json"),
		Visits:   l.visits,
		Now:      now,
		Lazy:     opts.Offline,
	})
	l.overviews = rounds.NewWorker(rounds.Options{Rest: refreshPause, Round: func(context.Context) {
		l.workspaces.Update()
		for _, p := range Of[facts.Overview](l) {
			p.Refresh()
		}
	}})
	l.all = list(opts, shared{List: l, projects: projects, trust: trust.New(filepath.Join(opts.State, "trust.json"), opts.Hide, now)})
	var sources []find.Source
	for _, p := range l.all {
		sources = append(sources, find.Source{Folder: p.Folder, Provider: p.Provider})
	}
	l.finder.SetSources(sources)
	var awaited []wait.Source
	for _, p := range l.all {
		if a, ok := p.Provider.(await.Awaiter); ok {
			awaited = append(awaited, wait.Source{Folder: p.Folder, Awaiter: a})
		}
	}
	if opts.Settled != nil {
		awaited = append(awaited, wait.Source{Awaiter: wait.Settled{Tree: opts.Settled}})
	}
	l.waiter.SetSources(awaited)
	l.notify(l.finder.Used)
	l.finder.Learn(find.Learning{
		Uses:  factsOf(l, func(s facts.Sources) facts.Source[facts.Use] { return s.Uses }),
		Cache: filepath.Join(opts.Cache, "find"), State: filepath.Join(opts.State, "find"), Settings: opts.Config, Offline: opts.Offline,
		Changed: func() { opts.Env("find").Changed(learned.PageName) }, Log: opts.Log,
	})
	l.hooks = hooks.New(hooks.Options{
		Sources:  l.hookSources,
		Settings: opts.Config, State: filepath.Join(opts.State, "hooks"),
		Root: opts.MountPoint, Page: opts.Page, Files: filesOf, Now: now, Offline: opts.Offline, Log: opts.Log,
	})
	l.checkTables()
	if !opts.Offline {
		l.watchConfig()
	}
	return l
}

// shared is what providers have in common: also what all of the list know.
type shared struct {
	*List
	projects *project.Resolver
	trust    *trust.Store
}

// refreshPause is the time between two refreshes of the overviews, however often other
// providers change.
const refreshPause = 2 * time.Second

// host returns the surroundings of the provider with that folder.
func (l *List) host(folder string) host.Host {
	o, kept := l.opts, folder
	if folder == "mcps" {
		kept = "mcp"
	}
	return host.Host{
		Env: l.env(folder), Machine: agents.Machine{Home: o.Home, OS: runtime.GOOS, LookupEnv: o.LookupEnv}, Hide: o.Hide,
		AgentOf: agentOf, SettingsPath: o.Config, State: filepath.Join(o.State, kept), Cache: filepath.Join(o.Cache, kept), Watch: !o.Offline,
	}
}

// agentOf returns the agent and the session that a process of the user belongs to, as far as
// the system shows its environment.
func agentOf(pid int) (agent, session string) {
	return agents.Of(agents.Lookup(func() []string {
		all, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		return strings.Split(string(all), "\x00")
	}))
}

// env returns the environment of the provider with that folder: its documents are
// indexed again when they change, and what is made of several providers is made again.
func (l *List) env(folder string) fs.Env {
	env := l.opts.Env(folder)
	tell := env.Changed
	env.Changed = func(path string) {
		if tell != nil {
			tell(path)
		}
		l.overviews.Poke()
		l.waiter.Changed(folder)
	}
	env.Documented = func(path string) { l.finder.Changed(folder, path) }
	env.Used = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, f := range l.onUsed {
			f()
		}
	}
	return env
}

// notify has f called when there is news of uses or statements. F only enqueues.
func (l *List) notify(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onUsed = append(l.onUsed, f)
}

// All returns the providers, in the order of AGENTS.md.
func (l *List) All() []Named { return l.all }

// Finder returns what searches the providers.
func (l *List) Finder() *find.Finder { return l.finder }

// Hooks returns what answers the hooks of agents.
func (l *List) Hooks() *hooks.Engine { return l.hooks }

// hookSources returns the sources of news for sessions: of what providers know, and of what
// they can find.
func (l *List) hookSources() []facts.HookSource { return append(Of[facts.HookSource](l), l.finder) }

// filesOf returns which files a call of an agent's tool writes, and its command line.
func filesOf(tool string, input json.RawMessage) (writes []string, command string) {
	call := toolcall.Parse(&event.Call{Name: tool, Input: string(input)})
	for _, f := range call.Files() {
		if f.Writes {
			writes = append(writes, f.Path)
		}
	}
	return writes, call.Command
}

// Of returns the providers of a list that have a type, or implement an interface,
// in order.
func Of[T any](l *List) (some []T) {
	for _, p := range l.all {
		if t, ok := p.Provider.(T); ok {
			some = append(some, t)
		}
	}
	return some
}

// Start starts the work of all providers, and the index. It returns at once.
func (l *List) Start() {
	for _, p := range Of[fs.Starter](l) {
		_ = cell.Run(p.Start)
	}
	l.finder.Start()
	l.overviews.Poke()
	l.overviews.Start()
}

// Settled implements fs.Settler for all providers: their sources first, then what is derived
// from them, which may be derived from one another, then the index.
func (l *List) Settled(ctx context.Context) error {
	if l.watch != nil {
		if err := l.watch.files.Settled(ctx); err != nil {
			return err
		}
	}
	for range derivations {
		for _, p := range Of[fs.Settler](l) {
			if err := p.Settled(ctx); err != nil {
				return err
			}
		}
		if err := l.overviews.Settled(ctx); err != nil {
			return err
		}
	}
	return l.finder.Settled(ctx)
}

// derivations is the longest way from a source to what is derived from it, in steps from
// one provider to others: sessions to the set of workspaces, these to the rules, skills and
// plans in them, these to the pages of workspaces.
const derivations = 3

// Roots returns the folders on disk that are passed through: no view may lie in
// one of them.
func (l *List) Roots() (roots []string) {
	for _, p := range Of[fs.Rooted](l) {
		roots = append(roots, p.Roots()...)
	}
	return roots
}

// Busy reports whether a provider is doing what should not be interrupted.
func (l *List) Busy() bool { return slices.ContainsFunc(Of[fs.Busy](l), fs.Busy.Busy) }

// Operations returns the operations of all providers, and that of counting.
func (l *List) Operations() (all fs.Operations) {
	all = append(all, l.newCounter().Operations()...)
	for _, p := range Of[fs.Operator](l) {
		all = append(all, p.Operations()...)
	}
	return append(all, l.waiter.Operations()...)
}

// Close ends the watch of the configuration and the overviews, then all providers, the
// last one first, then the index.
func (l *List) Close() error {
	var failed []error
	if l.watch != nil {
		failed = append(failed, l.watch.files.Close())
	}
	l.overviews.Close()
	failed = append(failed, l.finder.Close())
	for _, p := range slices.Backward(l.all) {
		failed = append(failed, p.Close())
	}
	return errors.Join(failed...)
}
