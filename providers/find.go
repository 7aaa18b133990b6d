package providers

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/find"
)

// Find finds documents of all providers, what was said in sessions, and what is in
// results; paths are those of the tree. What a provider has told of before can be
// found: it waits until the index is that far, which is a matter of milliseconds,
// or until ctx ends. The index is made by Begin, or by the first call.
func (s *Set) Find(ctx context.Context, query string, opts find.Options) ([]find.Match, error) {
	s.finder.start(s.folders()...)
	if err := s.finder.current(ctx); err != nil {
		return nil, err
	}
	return s.addTexts(ctx, s.finder.index.Search(query, opts), query, opts)
}

// FindFolder is the folder find/ over a tree that has the providers' folders in
// its root; resolve finds the nodes of that tree.
func (s *Set) FindFolder(born time.Time, resolve func(ctx context.Context, path string) (fs.Node, error)) fs.Dir {
	return find.NewFolder(born, find.FolderOptions{
		Search: s.Find, Resolve: resolve, Folders: append(s.folders(), resultsFolder), Modified: s.finder.modified,
	})
}

// folders are those whose documents are found. Those of results are not: each is
// named after its tool, and a hundred calls of one would stand before the tool
// itself. They are found by what is in them.
func (s *Set) folders() (folders []string) {
	for _, p := range s.all {
		if p.Provider != s.results {
			folders = append(folders, p.Folder)
		}
	}
	return folders
}

// documents are those of the provider with that folder, and perhaps no more of
// them than are below a path in it; "" stands for all.
func (s *Set) documents(folder, below string) iter.Seq[fs.Document] {
	for _, p := range s.all {
		switch {
		case p.Folder != folder:
		case folder == "mcps":
			return s.mcp.DocumentsOf(below)
		default:
			return p.Documents()
		}
	}
	return func(func(fs.Document) bool) {}
}

// finder keeps an index of the documents of all providers. A worker brings it
// up to date, one run for all that was told since it began the last.
type finder struct {
	index *find.Index
	// titles has the sessions, apart: there are many, and their titles have the
	// words of everything that anybody ever worked at.
	titles    *find.Index
	documents func(folder, below string) iter.Seq[fs.Document]
	now       func() time.Time

	mu         sync.Mutex
	pending    map[string]bool // paths at and below which documents may have changed
	told, done uint64          // how often something was told, and how far the index is
	further    chan struct{}   // closed when done moves
	time       time.Time       // when that was last
	working    bool            // a worker runs
	started    bool
	closed     bool
	work       sync.WaitGroup
}

func newFinder(documents func(folder, below string) iter.Seq[fs.Document], now func() time.Time) *finder {
	return &finder{index: find.New(), titles: find.New(), documents: documents, now: now, time: now(), pending: make(map[string]bool), further: make(chan struct{})}
}

// start makes the index, of what folders there are.
func (f *finder) start(folders ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.started {
		return
	}
	f.started = true
	for _, folder := range folders {
		f.add(folder)
	}
}

// changed tells that something at a path has; before the start it is nothing
// new. It only enqueues.
func (f *finder) changed(folder, path string) {
	if path == "INDEX.md" {
		return // it is made of what has told of itself
	}
	name, _, _ := strings.Cut(path, "/")
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.started {
		f.add(strings.TrimSuffix(folder+"/"+name, "/"))
	}
}

// add has documents read anew. The caller holds mu.
func (f *finder) add(prefix string) {
	if f.closed {
		return
	}
	f.pending[prefix] = true
	f.told++
	if !f.working {
		f.working = true
		f.work.Go(f.run)
	}
}

func (f *finder) run() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.pending) > 0 && !f.closed {
		todo, told := f.pending, f.told
		f.pending = make(map[string]bool)
		f.mu.Unlock()
		for prefix := range todo {
			folder, below, _ := strings.Cut(prefix, "/")
			index := f.index
			if folder == transcriptsFolder {
				index = f.titles
			}
			index.Update(prefix, inFolder(folder, f.documents(folder, below)))
		}
		f.mu.Lock()
		f.done, f.time = told, f.now()
		close(f.further)
		f.further = make(chan struct{})
	}
	f.working = false
}

// inFolder puts the paths of documents below a folder.
func inFolder(folder string, docs iter.Seq[fs.Document]) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for d := range docs {
			d.Path = folder + "/" + d.Path
			if !yield(d) {
				return
			}
		}
	}
}

// current waits until the index has all that was told before.
func (f *finder) current(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for target := f.told; f.done < target && !f.closed; {
		further := f.further
		f.mu.Unlock()
		select {
		case <-further:
		case <-ctx.Done():
		}
		f.mu.Lock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// modified is when the index last changed.
func (f *finder) modified() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.time
}

// close ends the worker and waits for it.
func (f *finder) close() error {
	f.mu.Lock()
	f.closed = true
	close(f.further) // who waits has what there is
	f.further = make(chan struct{})
	f.mu.Unlock()
	f.work.Wait()
	return nil
}
