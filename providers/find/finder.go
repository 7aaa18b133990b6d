package find

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/project"
)

// Source is a provider that is searched, with its folder in the tree's root. How it
// can be searched depends on what it implements: [fs.Documented], [facts.Searcher],
// both or neither.
type Source struct {
	Folder   string
	Provider fs.Provider
}

// Finder searches all providers. It keeps an index of their documents, which a
// worker brings up to date: one run for all changes that were reported since the
// last run began.
type Finder struct {
	sources []Source
	// documents has the documents of those that do not search by themselves.
	documents *index
	// titles has the documents of those that do, separately: there are many, and
	// titles of sessions have the words of all work ever done.
	titles *index
	now    func() time.Time
	// projects finds the project of the caller; nil where it does not matter.
	projects *project.Resolver
	learner  *learner // nil where nothing is learned
	met      met

	worker   *rounds.Worker // brings the index up to date
	mu       sync.Mutex
	pending  map[string]bool // paths at and below which documents may have changed
	reported uint64          // changes
	modified time.Time       // when the index last changed
	started  bool
}

// NewFinder returns a Finder that searches nothing until it has sources. Projects may
// be nil.
func NewFinder(now func() time.Time, projects *project.Resolver) *Finder {
	f := &Finder{documents: newIndex(), titles: newIndex(), now: now, projects: projects, modified: now(), pending: make(map[string]bool)}
	f.worker = rounds.NewWorker(rounds.Options{Round: f.round})
	return f
}

// SetSources sets what is searched. It is called once, before any method but
// Changed.
func (f *Finder) SetSources(sources []Source) { f.sources = sources }

// Start makes the index in the background, unless that has already begun. The first
// search does so too.
func (f *Finder) Start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.started {
		return
	}
	f.started = true
	if f.learner != nil {
		f.learner.start()
	}
	for _, s := range f.sources {
		if _, ok := s.Provider.(fs.Documented); ok {
			f.add(s.Folder)
		}
	}
	f.worker.Start()
}

// Changed reports that the documents at or below a path of a provider's folder
// may have changed. It only enqueues; before Start it does nothing.
func (f *Finder) Changed(folder, path string) {
	if path == "INDEX.md" {
		return // it is made of what has reported its own change
	}
	name, _, _ := strings.Cut(path, "/")
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.started {
		f.add(strings.TrimSuffix(folder+"/"+name, "/"))
	}
}

// add schedules the documents at and below a path of the tree for another reading.
// The caller holds mu.
func (f *Finder) add(prefix string) {
	f.pending[prefix] = true
	f.reported++
	f.worker.Poke()
}

// round indexes what is pending.
func (f *Finder) round(context.Context) {
	f.mu.Lock()
	pending := f.pending
	f.pending = make(map[string]bool)
	f.mu.Unlock()
	others := false
	for prefix := range pending {
		others = f.update(prefix) == f.documents || others
	}
	if others && f.learner != nil {
		f.learner.documentsChanged()
	}
	f.mu.Lock()
	f.modified = f.now()
	f.mu.Unlock()
}

// update indexes the documents at and below a path of the tree, and returns the index
// that has them, or nil.
func (f *Finder) update(prefix string) (in *index) {
	folder, below, _ := strings.Cut(prefix, "/")
	for _, s := range f.sources {
		d, ok := s.Provider.(fs.Documented)
		if s.Folder != folder || !ok {
			continue
		}
		in = f.documents
		if _, searches := s.Provider.(facts.Searcher); searches {
			in = f.titles
		}
		in.Update(prefix, inFolder(folder, d.Documents(below)))
	}
	return in
}

// inFolder puts a folder before the paths of documents.
func inFolder(folder string, docs iter.Seq[fs.Document]) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for d := range docs {
			d.Path = folder + "/" + d.Path
			if d.Whole != "" {
				d.Whole = folder + "/" + d.Whole
			}
			if !yield(d) {
				return
			}
		}
	}
}

// Settled returns when the index has all changes that were reported before, and the learner
// all uses.
func (f *Finder) Settled(ctx context.Context) error {
	if err := f.worker.Settled(ctx); err != nil || f.learner == nil {
		return err
	}
	return f.learner.worker.Settled(ctx)
}

// Modified returns when the index last changed.
func (f *Finder) Modified() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.modified
}

// countReported returns how many changes were reported.
func (f *Finder) countReported() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reported
}

// Close ends the worker and waits for it. A search that waits for the index
// continues with what is indexed.
func (f *Finder) Close() error {
	if f.learner != nil {
		f.learner.worker.Close()
	}
	f.worker.Close()
	return nil
}

// NewFolder returns the folder find/ over a tree that has the sources' folders
// in its root; resolve finds the nodes of that tree. Born is the time of its
// README.md.
func (f *Finder) NewFolder(born time.Time, resolve func(ctx context.Context, path string) (fs.Node, error)) fs.Dir {
	opts := folderOptions{Search: f.Find, Resolve: resolve, Modified: f.Modified, Reported: f.countReported, Now: f.now, Learned: func() fs.Node { return f.learnedPage(born) }}
	for _, s := range f.sources {
		opts.Folders = append(opts.Folders, s.Folder)
	}
	return newQueryFolder(born, opts)
}
