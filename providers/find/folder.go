package find

import (
	"context"
	_ "embed"
	"fmt"
	iofs "io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/find/learned"
	"ctxfs/providers/internal/names"
)

// folderOptions are the settings of a queryFolder.
type folderOptions struct {
	// Search searches; it may wait for the index to be current.
	Search func(ctx context.Context, query string, opts Options) ([]facts.Match, error)
	// Resolve returns the node at a path of the tree.
	Resolve func(ctx context.Context, path string) (fs.Node, error)
	// Folders are the folders of the tree's root that can be searched alone.
	Folders []string
	// Modified returns when the index last changed.
	Modified func() time.Time
	// Reported returns how many changes were reported so far.
	Reported func() uint64
	// Now is the clock.
	Now func() time.Time
	// Learned returns LEARNED.md, which is listed at the top if it is not nil.
	Learned func() fs.Node
}

// queryFolder is find/. A name that is looked up in it is a query, and its node is
// a folder with the matches. There are two kinds of other names: README.md, which
// alone is listed, so that a walk through the tree ends here, and
// folderOptions.Folders, which search only below the folder of that name. In each
// of those, the name of a folder of the tree is a query as well, and also searches
// below that folder.
type queryFolder struct {
	opts   folderOptions
	in     string // the path below which it searches; "" at the top
	readme fs.Node
	recent *recentResults // of all these folders
}

var _ fs.Computed = (*queryFolder)(nil)

const (
	readmeName = "README.md"
	listName   = "00-LIST.md" // sorts first
)

//go:embed readme.md
var readme string

// newQueryFolder returns find/. Born is the time of its README.md.
func newQueryFolder(born time.Time, opts folderOptions) *queryFolder {
	example := "mcps"
	if len(opts.Folders) > 0 {
		example = opts.Folders[0]
	}
	text := fmt.Sprintf(readme, "~/.agentctx/find", example)
	return &queryFolder{opts: opts, readme: fs.NewText(born, []byte(text)), recent: new(recentResults)}
}

// Attr implements fs.Node. The folder is live: matches change without notice.
func (f *queryFolder) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: f.opts.Modified(), Live: true}, nil
}

// List implements fs.Dir.
func (f *queryFolder) List(context.Context) ([]fs.Entry, error) {
	if f.in == "" && f.opts.Learned != nil && f.opts.Learned() != nil {
		return []fs.Entry{{Name: learned.PageName}, {Name: readmeName}}, nil
	}
	return []fs.Entry{{Name: readmeName}}, nil
}

// Computed implements fs.Computed: a lookup searches, which is a matter of
// milliseconds, and waits for the index to be current.
func (f *queryFolder) Computed() {}

// Lookup implements fs.Dir: it searches for the words of the name.
func (f *queryFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	switch {
	case name == readmeName:
		return f.readme, nil
	case name == learned.PageName && f.in == "" && f.opts.Learned != nil:
		if page := f.opts.Learned(); page != nil {
			return page, nil
		}
		return nil, fs.ErrNotExist
	case probed(name):
		return nil, fs.ErrNotExist
	case f.in == "" && slices.Contains(f.opts.Folders, name):
		return f.narrowed(name), nil
	}
	key := resultsKey{f.in, name, f.opts.Reported()}
	found := f.recent.get(key, f.opts.Now())
	if found == nil {
		matches, err := f.opts.Search(ctx, name, Options{In: f.in, Limit: listed})
		if err != nil {
			return nil, err
		}
		found = newResults(f.opts, name, matches)
		found.below = f.below(ctx, name)
		if len(found.entries) == 0 && found.below == nil {
			return nil, fs.ErrNotExist
		}
		f.recent.put(key, found, f.opts.Now())
	}
	return found, nil
}

// narrowed returns the queryFolder that searches below a path.
func (f *queryFolder) narrowed(in string) *queryFolder {
	return &queryFolder{opts: f.opts, in: in, readme: f.readme, recent: f.recent}
}

// below returns the queryFolder that searches below a folder of the tree, or nil.
func (f *queryFolder) below(ctx context.Context, name string) *queryFolder {
	if f.in == "" {
		return nil
	}
	in := f.in + "/" + name
	if n, err := f.opts.Resolve(ctx, in); err == nil {
		if _, ok := n.(fs.Dir); ok {
			return f.narrowed(in)
		}
	}
	return nil
}

// listed is how many matches a folder has.
const listed = 10

// probed reports whether a name is one that programs look up in every folder, not
// a query.
func probed(name string) bool {
	return strings.HasPrefix(name, ".") || !strings.Contains(name, " ") && fileType(strings.TrimPrefix(path.Ext(name), "."))
}

// results is the folder of the matches of one query.
type results struct {
	opts    folderOptions
	list    fs.Node // or nil
	entries []fs.Entry
	paths   map[string]string // of what was found, in the tree, by name
	below   *queryFolder      // searches below the tree's folder of the same name; or nil
}

var _ fs.Computed = (*results)(nil)

// newResults returns the folder of some matches, the best first: a list, and what was
// found, under names that begin with its rank. Of a match that stands for a folder that
// is the folder, and the match beside it if it is deeper in there: the words that were
// said, beside their session.
func newResults(opts folderOptions, query string, matches []facts.Match) *results {
	r := &results{opts: opts, paths: make(map[string]string)}
	if len(matches) == 0 {
		return r
	}
	r.list = fs.NewText(opts.Modified(), []byte(List([]Answer{{query, matches}}, true)))
	r.entries = append(r.entries, fs.Entry{Name: listName})
	shown := make(map[string]bool)
	for i, m := range matches {
		if m.Whole != "" && !shown[m.Whole] {
			shown[m.Whole] = true
			r.add(i+1, path.Base(m.Whole), "", m.Whole, iofs.ModeDir)
		}
		if m.Whole == "" || path.Dir(m.Path) != m.Whole {
			r.add(i+1, m.Title, path.Ext(m.Path), m.Path, 0)
		}
	}
	slices.SortFunc(r.entries, func(a, b fs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// add adds what is at a path of the tree.
func (r *results) add(rank int, title, ext, path string, kind iofs.FileMode) {
	name := fmt.Sprintf("%02d-%s%s", rank, names.File(strings.ReplaceAll(title, "/", "-")), ext)
	if r.paths[name] == "" {
		r.entries = append(r.entries, fs.Entry{Name: name, Type: kind})
		r.paths[name] = path
	}
}

// Attr implements fs.Node.
func (r *results) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: r.opts.Modified(), Live: true}, nil
}

// List implements fs.Dir. The names are sorted, since they begin with the rank.
func (r *results) List(context.Context) ([]fs.Entry, error) { return r.entries, nil }

// Computed implements fs.Computed: a lookup resolves the path of a match, or
// searches in the folder of the tree that has the same name.
func (r *results) Computed() {}

// Lookup implements fs.Dir. A match that was removed since does not exist.
func (r *results) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if name == listName && r.list != nil {
		return r.list, nil
	}
	p, ok := r.paths[name]
	if !ok && r.below != nil && name != readmeName {
		return r.below.Lookup(ctx, name)
	}
	if !ok {
		return nil, fs.ErrNotExist
	}
	n, err := r.opts.Resolve(ctx, p)
	if err != nil {
		return nil, err
	}
	return alias(n), nil
}

// recentResults holds the results of the last queries: a program that walks through a
// folder of results has the kernel look it up again for each file.
type recentResults struct {
	mu   sync.Mutex
	kept []keptResults
}

type keptResults struct {
	key   resultsKey
	found *results
	since time.Time
}

// resultsKey is a query, and how many changes were reported before.
type resultsKey struct {
	in, query string
	reported  uint64
}

const (
	// recent is how long results hold: what grows without a report, such as texts, is
	// found after that.
	recent     = 50 * time.Millisecond
	mostRecent = 8
)

func (r *recentResults) get(key resultsKey, now time.Time) *results {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.kept {
		if age := now.Sub(k.since); k.key == key && age >= 0 && age < recent {
			return k.found
		}
	}
	return nil
}

func (r *recentResults) put(key resultsKey, found *results, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = slices.DeleteFunc(r.kept, func(k keptResults) bool {
		return k.key.in == key.in && k.key.query == key.query || now.Sub(k.since) >= recent
	})
	if len(r.kept) == mostRecent {
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	r.kept = append(r.kept, keptResults{key, found, now})
}
