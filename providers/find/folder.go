package find

import (
	"context"
	"fmt"
	iofs "io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/names"
)

// folderOptions are the settings of a queryFolder.
type folderOptions struct {
	// Search searches; it may wait for the index to be current.
	Search func(ctx context.Context, query string, opts Options) ([]fs.Match, error)
	// Resolve returns the node at a path of the tree.
	Resolve func(ctx context.Context, path string) (fs.Node, error)
	// Folders are the folders of the tree's root that can be searched alone.
	Folders []string
	// Modified returns when the index last changed.
	Modified func() time.Time
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
}

var _ fs.Computed = (*queryFolder)(nil)

const readmeName = "README.md"

const readme = `# Find by words

The name of a folder here is what you look for. Such folders are not listed, but
all of them exist:

    ls %[1]s/"take a screenshot"      the ten best matches, the best first
    ls %[1]s/%[2]s/"send a message"    only what is below %[2]s/
    jq . %[1]s/"take a screenshot"/01-*

Words, parts of names and whole sentences all work; typing errors matter little.
The entries are the files themselves, under names that begin with their rank. A
name for which nothing is found does not exist. With paths and reasons:
ctxfs find take a screenshot
`

// newQueryFolder returns find/. Born is the time of its README.md.
func newQueryFolder(born time.Time, opts folderOptions) *queryFolder {
	example := "mcps"
	if len(opts.Folders) > 0 {
		example = opts.Folders[0]
	}
	text := fmt.Sprintf(readme, "~/.agentctx/find", example)
	return &queryFolder{opts: opts, readme: fs.NewText(born, []byte(text))}
}

// Attr implements fs.Node. The folder is live: matches change without notice.
func (f *queryFolder) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: f.opts.Modified(), Live: true}, nil
}

// List implements fs.Dir.
func (f *queryFolder) List(context.Context) ([]fs.Entry, error) {
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
	case probed(name):
		return nil, fs.ErrNotExist
	case f.in == "" && slices.Contains(f.opts.Folders, name):
		return &queryFolder{opts: f.opts, in: name, readme: f.readme}, nil
	}
	matches, err := f.opts.Search(ctx, name, Options{In: f.in, Limit: listed})
	if err != nil {
		return nil, err
	}
	found := &results{opts: f.opts, below: f.below(ctx, name)}
	for i, m := range matches {
		title := names.File(strings.ReplaceAll(m.Title, "/", "-"))
		found.add(fmt.Sprintf("%02d-%s%s", i+1, title, path.Ext(m.Path)), m.Path)
	}
	if len(found.entries) == 0 && found.below == nil {
		return nil, fs.ErrNotExist
	}
	return found, nil
}

// below returns the queryFolder that searches below a folder of the tree; nil if there
// is none of that name.
func (f *queryFolder) below(ctx context.Context, name string) *queryFolder {
	if f.in == "" {
		return nil
	}
	in := f.in + "/" + name
	if n, err := f.opts.Resolve(ctx, in); err == nil {
		if _, ok := n.(fs.Dir); ok {
			return &queryFolder{opts: f.opts, in: in, readme: f.readme}
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
	entries []fs.Entry
	paths   map[string]string // of matches in the tree, by name
	below   *queryFolder      // searches below the tree's folder of the same name; nil if there is none
}

var _ fs.Computed = (*results)(nil)

func (r *results) add(name, path string) {
	if r.paths == nil {
		r.paths = make(map[string]string)
	}
	r.entries = append(r.entries, fs.Entry{Name: name})
	r.paths[name] = path
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
	file, ok := n.(fs.File)
	if !ok {
		return nil, fs.ErrNotExist
	}
	if a, err := file.Attr(ctx); err == nil && a.InPlace {
		return alias{file}, nil
	}
	return file, nil
}

// alias is an InPlace file under another name. Its changes are not announced for
// this name, so that each version is a file of its own here.
type alias struct{ fs.File }

// Attr implements fs.Node.
func (f alias) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := f.File.Attr(ctx)
	a.InPlace = false
	return a, err
}
