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

// FolderOptions are what a Folder needs.
type FolderOptions struct {
	// Search finds in an index; it may wait for that to be current.
	Search func(ctx context.Context, query string, opts Options) ([]fs.Match, error)
	// Resolve gives the node at a path of the tree.
	Resolve func(ctx context.Context, path string) (fs.Node, error)
	// Folders are those of the tree's root in which alone can be searched.
	Folders []string
	// Modified is when what can be found last changed.
	Modified func() time.Time
}

// Folder is find/: a name looked up in it is a query, and a folder of what was
// found. Names of its own are those of FolderOptions.Folders, in which only
// what is below these is found, and README.md, which alone is listed: whoever
// walks the tree walks into nothing. Below one of those, the name of a folder of
// the tree is a query too, and what is looked up in it is found below that folder.
type Folder struct {
	opts   FolderOptions
	in     string // "" at the top
	readme fs.Node
}

var _ fs.Computed = (*Folder)(nil)

const readmeName = "README.md"

const readme = `# Find by words

The name of a folder here is what you look for. Nothing lists such folders, and
all of them are there:

    ls %[1]s/"take a screenshot"      the ten best matches, the best first
    ls %[1]s/%[2]s/"send a message"    only what is below %[2]s/
    jq . %[1]s/"take a screenshot"/01-*

Words, parts of names and whole sentences will do; typing errors do not matter
much. What is listed are the files themselves, under a name that begins with
their rank. A name for which nothing is found does not exist. With paths and
reasons: ctxfs find take a screenshot
`

// NewFolder returns the folder. Born is the time of its README.md.
func NewFolder(born time.Time, opts FolderOptions) *Folder {
	example := "mcps"
	if len(opts.Folders) > 0 {
		example = opts.Folders[0]
	}
	text := fmt.Sprintf(readme, "~/.agentctx/find", example)
	return &Folder{opts: opts, readme: fs.NewText(born, []byte(text))}
}

// Attr implements fs.Node. The folder is live: what can be found changes
// without notice to those who know a name in it.
func (f *Folder) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: f.opts.Modified(), Live: true}, nil
}

// List implements fs.Dir.
func (f *Folder) List(context.Context) ([]fs.Entry, error) {
	return []fs.Entry{{Name: readmeName}}, nil
}

// Computed implements fs.Computed: a lookup searches, which is a matter of
// milliseconds, and waits for the index to be current.
func (f *Folder) Computed() {}

// Lookup implements fs.Dir: it searches for the words of the name.
func (f *Folder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	switch {
	case name == readmeName:
		return f.readme, nil
	case probed(name):
		return nil, fs.ErrNotExist
	case f.in == "" && slices.Contains(f.opts.Folders, name):
		return &Folder{opts: f.opts, in: name, readme: f.readme}, nil
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

// below searches in a folder of the tree alone; nil where there is none of that
// name.
func (f *Folder) below(ctx context.Context, name string) *Folder {
	if f.in == "" {
		return nil
	}
	in := f.in + "/" + name
	if n, err := f.opts.Resolve(ctx, in); err == nil {
		if _, ok := n.(fs.Dir); ok {
			return &Folder{opts: f.opts, in: in, readme: f.readme}
		}
	}
	return nil
}

// listed is how many matches a folder lists.
const listed = 10

// probed tells whether a name is one that programs look up wherever they are,
// and not what somebody looks for.
func probed(name string) bool {
	return strings.HasPrefix(name, ".") || !strings.Contains(name, " ") && fileType(strings.TrimPrefix(path.Ext(name), "."))
}

// results is the folder of what was found, as it was found.
type results struct {
	opts    FolderOptions
	entries []fs.Entry
	paths   map[string]string // in the tree, by name
	below   *Folder           // of the same name in the tree; nil if there is none
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

// List implements fs.Dir. The names begin with their ranks, and so are sorted.
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

// alias is a file that is overwritten in its own place. Nobody tells of its
// changes here, so that here each version is a file of its own.
type alias struct{ fs.File }

// Attr implements fs.Node.
func (f alias) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := f.File.Attr(ctx)
	a.InPlace = false
	return a, err
}
