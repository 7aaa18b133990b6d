package rules

import (
	"cmp"
	"context"
	_ "embed"
	iofs "io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
)

// pages is for/ and, below it, what is a folder on disk: a name in it is looked up there.
// A folder is such a folder again, and so is a name without an extension that does not
// exist; anything else is a file with the rules that hold for it. Nothing is listed but
// the rules for the folder itself, so that a walk ends here.
type pages struct {
	provider *Provider
	dir      string
}

const (
	readmeName = "README.md"
	pageName   = "RULES.md" // the rules for a folder itself
)

//go:embed for.md
var readme string

// Attr implements fs.Node. It is live: what is on disk changes without notice.
func (f *pages) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: f.provider.opts.Env.Built, Live: true}, nil
}

// List implements fs.Dir.
func (f *pages) List(context.Context) ([]fs.Entry, error) {
	if f.dir == "/" {
		return []fs.Entry{{Name: readmeName}}, nil
	}
	return []fs.Entry{{Name: pageName}}, nil
}

// Computed implements fs.Computed: a lookup looks at the path on disk and reads the rules
// that hold for it.
func (f *pages) Computed() {}

// Lookup implements fs.Dir.
func (f *pages) Lookup(_ context.Context, name string) (fs.Node, error) {
	switch {
	case f.dir == "/" && name == readmeName:
		return fs.NewText(f.provider.opts.Env.Built, []byte(readme)), nil
	case name == pageName && f.dir != "/":
		return f.provider.pageNode(f.dir)
	case slices.Contains(probed(), name):
		return nil, fs.ErrNotExist
	}
	at := path.Join(f.dir, name)
	if f.provider.opts.Hides(at) {
		return nil, fs.ErrNotExist
	}
	info, err := fs.Probe(f.provider.prober, at, func() (os.FileInfo, error) { return f.provider.stat(at) })
	switch {
	case err != nil && (strings.HasPrefix(name, ".") || f.dir == "/"):
		return nil, fs.ErrNotExist
	case err == nil && info.IsDir(), err != nil && path.Ext(name) == "":
		return &pages{provider: f.provider, dir: at}, nil
	}
	return f.provider.pageNode(at)
}

// probed returns the names that search tools look up in every folder on their own.
func probed() []string {
	return []string{".git", ".hg", ".jj", ".svn", ".gitignore", ".ignore", ".rgignore", ".fdignore", ".agignore", ".stignore", ".DS_Store", ".hidden", ".Trash", "autorun.inf"}
}

// stat returns what a path leads to, unless that is in a view of ours.
func (p *Provider) stat(at string) (os.FileInfo, error) {
	real, err := fs.DiskOptions{Hide: p.opts.Hide}.Resolve(at)
	if err != nil {
		return nil, err
	}
	return os.Lstat(real)
}

// pageNode returns the file with the rules for a path.
func (p *Provider) pageNode(at string) (fs.Node, error) {
	page, err := p.page(at)
	if err != nil {
		return nil, err
	}
	t := cmp.Or(page.modTime, p.opts.Env.Built)
	return fs.NewText(t.Truncate(time.Second), []byte(page.Text)), nil
}
