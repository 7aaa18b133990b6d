// Package shelf keeps what a provider shows current: it is the way from "something may have
// changed" to what is shown and told, for every provider whose tree is made of pages.
//
// A provider gives a function that looks and returns a [View]. The shelf calls it when
// something may have changed, and now and then; pages that are equal keep their nodes and
// times, others are dated, replaced and told. Folders stay the same nodes. Publishing comes
// first, telling after that.
package shelf

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/watch"
)

// View is all that is to be seen at one moment.
type View struct {
	// Pages are the files, in any order. Folders are made of their paths.
	Pages []Page
	// Watch are the files to watch and, with a slash at their ends, the folders to watch
	// with all below them; nothing else is.
	Watch []string
	// Status is that of the provider. Its Since is kept while its State stays.
	Status fs.Status
	// Partial reports that more is about to be found, as after every start: the times of what
	// takes the place of these pages need not be later, so that they survive a restart.
	Partial bool
	// Again is how long nothing is looked for if nothing is known to have changed; 0 stands
	// for Options.Poll.
	Again time.Duration
}

// Page is a file, by its path below the provider's root, with slashes.
type Page struct {
	Path string
	Body []byte
	// Time is that of the facts in the body; zero is when the program was built.
	Time time.Time
	// Node is shown instead of a text; another one is a change.
	Node fs.Node
}

// Options are the settings of a [Shelf].
type Options struct {
	// Look returns what is to be seen. It is called by one goroutine at a time.
	Look func(ctx context.Context) View
	// Ready, if not nil, is called before the root is read, in place of [Shelf.Ready].
	Ready func()
	// Watch keeps the shelf current, once it is started. Without it, for a command that
	// reads once, it looks when it is first asked for something.
	Watch bool
	// Hide reports whether a path on disk is to be left out; it may be nil.
	Hide func(path string) bool
	// What names the changes that are watched for, in the plural: "changes of rules".
	What string
	// Index is the page that says the status: it is told if nothing but that has changed.
	Index string
	// Poll is the time between two looks if nothing is known to have changed, and Blind the
	// same where not everything can be watched.
	Poll, Blind time.Duration
}

const (
	// calm is the shortest time between two looks, however often something changes, and
	// share how many times as long as a look it is at least.
	calm  = 250 * time.Millisecond
	share = 20
	// manyChanges is how many changes are told one by one.
	manyChanges = 500
)

// Shelf shows what its owner finds. It is safe for concurrent use.
type Shelf struct {
	env     fs.Env
	opts    Options
	root    *Late
	watcher *watch.Watcher // nil where nothing is watched
	watched *watch.Set
	worker  *rounds.Worker
	ctx     context.Context
	cancel  context.CancelFunc
	first   sync.Once
	status  atomic.Pointer[fs.Status]

	looking sync.Mutex // held while the next view is made
	pages   map[string]Page
	folders map[string]*folder // by path; "" is the root
	again   atomic.Int64       // the Again of the last view
	partial bool               // the last view was
}

// folder is a folder that is shown.
type folder struct {
	*fs.Folder
	nodes map[string]fs.Node
	time  time.Time
}

// New returns a shelf that shows nothing yet.
func New(env fs.Env, opts Options) *Shelf {
	s := &Shelf{env: env, opts: opts, pages: make(map[string]Page)}
	s.root = &Late{Ready: s.Ready}
	if opts.Ready != nil {
		s.root.Ready = opts.Ready
	}
	s.folders = map[string]*folder{"": {Folder: &s.root.Folder}}
	s.status.Store(new(fs.Status))
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.worker = rounds.NewWorker(rounds.Options{Round: func(context.Context) { s.Look() }, Most: s.most, Rest: calm, Share: share})
	if opts.Watch {
		s.watcher = watch.New(watch.Options{Changed: func([]string) { s.worker.Poke() }, Hide: opts.Hide, Log: env.Log})
	}
	s.watched = watch.NewSet(s.watcher)
	return s
}

// Root returns the folder that shows the pages.
func (s *Shelf) Root() fs.Dir { return s.root }

// Status returns the status of the last view, with what cannot be watched as a problem. It
// looks for nothing.
func (s *Shelf) Status() fs.Status {
	st := *s.status.Load()
	st.Problems, st.Items = slices.Clone(st.Problems), slices.Clone(st.Items)
	if fault := s.fault(); fault != nil {
		st.State, st.Problems = "degraded", append(st.Problems, *fault)
	}
	return st
}

// fault returns why not everything is watched, or nil.
func (s *Shelf) fault() *fs.Problem { return s.watched.Problem(s.opts.What, s.opts.Blind) }

// Poke reports that something may have changed. It only enqueues.
func (s *Shelf) Poke() { s.worker.Poke() }

// Start looks, and keeps the shelf current until Close. It returns at once.
func (s *Shelf) Start() {
	if s.opts.Watch {
		s.worker.Poke()
		s.worker.Start()
	}
}

// Settled implements [fs.Settler].
func (s *Shelf) Settled(ctx context.Context) error {
	return cmp.Or(s.watcher.Settled(ctx), s.worker.Settled(ctx))
}

// Close ends the work and waits for it. What is shown stays.
func (s *Shelf) Close() error {
	s.cancel()
	s.worker.Close()
	return s.watcher.Close()
}

// Ready looks, if nothing is watched and the first look was not taken yet.
func (s *Shelf) Ready() {
	if !s.opts.Watch {
		s.first.Do(s.Look)
	}
}

func (s *Shelf) most() time.Duration {
	if s.fault() != nil {
		return s.opts.Blind
	}
	return cmp.Or(time.Duration(s.again.Load()), s.opts.Poll)
}

// Look looks now, and shows what is found.
func (s *Shelf) Look() {
	s.looking.Lock()
	defer s.looking.Unlock()
	view := s.opts.Look(s.ctx)
	s.again.Store(int64(view.Again))
	if s.watched.Only(view.Watch) {
		s.worker.Poke() // what was just added may have changed before it was watched
	}
	changed := s.show(view.Pages)
	s.partial = view.Partial
	old := s.status.Load()
	if view.Status.State == old.State && !old.Since.IsZero() {
		view.Status.Since = old.Since
	}
	s.status.Store(&view.Status)
	if len(changed) == 0 && !sameStatus(*old, view.Status) {
		changed = []string{s.opts.Index}
	}
	if len(changed) > manyChanges {
		changed = []string{""}
	}
	for _, path := range changed {
		s.env.Changed(path)
	}
}

func sameStatus(a, b fs.Status) bool {
	return a.State == b.State && a.Summary == b.Summary && slices.Equal(a.Problems, b.Problems) && slices.Equal(a.Items, b.Items)
}

// show publishes pages, and returns the paths that have changed, sorted.
func (s *Shelf) show(pages []Page) (changed []string) {
	next := make(map[string]Page, len(pages))
	nodes := map[string]map[string]fs.Node{"": {}}
	times := make(map[string]time.Time)
	for _, p := range pages {
		p.Time = cmp.Or(p.Time, s.env.Built)
		switch old, known := s.pages[p.Path]; {
		case known && p.Body != nil && old.Body != nil && string(p.Body) == string(old.Body), known && p.Body == nil && p.Node == old.Node:
			p = old
		default:
			if known && !p.Time.After(old.Time) && !s.partial {
				p.Time = s.env.Now() // something was removed, which has no time of its own
			}
			if p.Body != nil {
				p.Node = fs.NewText(p.Time, p.Body)
			}
			changed = append(changed, p.Path)
		}
		next[p.Path] = p
		for at, node := p.Path, p.Node; ; {
			dir := parent(at)
			times[dir] = wording.Later(times[dir], p.Time)
			if nodes[dir] == nil {
				nodes[dir] = make(map[string]fs.Node)
			}
			nodes[dir][path.Base(at)] = node
			if dir == "" {
				break
			}
			if s.folders[dir] == nil {
				s.folders[dir] = &folder{Folder: new(fs.Folder)}
				changed = append(changed, dir)
			}
			at, node = dir, s.folders[dir].Folder
		}
	}
	for path := range s.pages {
		if _, ok := next[path]; !ok {
			changed = append(changed, path)
		}
	}
	s.pages = next
	for dir, f := range s.folders {
		switch {
		case nodes[dir] == nil:
			delete(s.folders, dir)
			changed = append(changed, dir)
		case f.nodes == nil || !maps.Equal(f.nodes, nodes[dir]):
			t := cmp.Or(times[dir], s.env.Built)
			if !t.After(f.time) && !s.partial {
				t = s.env.Now()
			}
			f.nodes, f.time = nodes[dir], t
			f.Replace(t, nodes[dir])
		}
	}
	slices.Sort(changed)
	return changed
}

func parent(at string) string {
	if dir := path.Dir(at); dir != "." {
		return dir
	}
	return ""
}

// Late is a folder that is filled when it is first asked for.
type Late struct {
	fs.Folder
	// Ready fills it; it is called whenever the folder is asked for anything.
	Ready func()
}

// Attr implements fs.Node.
func (l *Late) Attr(ctx context.Context) (fs.Attr, error) {
	l.Ready()
	return l.Folder.Attr(ctx)
}

// Lookup implements fs.Dir.
func (l *Late) Lookup(ctx context.Context, name string) (fs.Node, error) {
	l.Ready()
	return l.Folder.Lookup(ctx, name)
}

// List implements fs.Dir.
func (l *Late) List(ctx context.Context) ([]fs.Entry, error) {
	l.Ready()
	return l.Folder.List(ctx)
}

// Computed implements fs.Computed: what is there answers from memory, and anything else is
// looked for first.
func (l *Late) Computed() {}
