package workspaces

import (
	"context"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ctxfs/fs"
	known "ctxfs/providers/internal/workspaces"
)

// root is the provider's folder: the workspaces, and by-path. Without a worker the
// workspaces are looked for when they are first wanted.
type root struct {
	p     *Provider
	first sync.Once
}

func (r *root) ready() {
	if !r.p.opts.Watch {
		r.first.Do(func() {
			if r.p.meet() {
				r.p.publish()
			}
		})
	}
}

// Attr implements fs.Node.
func (r *root) Attr(ctx context.Context) (fs.Attr, error) { return r.p.index.Attr(ctx) }

// List implements fs.Dir.
func (r *root) List(ctx context.Context) ([]fs.Entry, error) {
	r.ready()
	entries, err := r.p.index.List(ctx)
	if err != nil {
		return nil, err
	}
	all := append(slices.Clone(entries), fs.Entry{Name: known.ByPath, Type: iofs.ModeDir})
	slices.SortFunc(all, func(a, b fs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Lookup implements fs.Dir.
func (r *root) Lookup(ctx context.Context, name string) (fs.Node, error) {
	r.ready()
	if name == known.ByPath {
		return &pathFolder{p: r.p, dir: "/"}, nil
	}
	return r.p.index.Lookup(ctx, name)
}

// pathFolder is the folder by-path, and each folder in it that leads to a workspace: its
// path below by-path is a path on disk. At and below a workspace it shows what that has.
// It lists only that: other names are found, not listed.
type pathFolder struct {
	p   *Provider
	dir string // on disk
}

var _ fs.Computed = (*pathFolder)(nil)

// Computed implements fs.Computed: a lookup below a workspace looks at a folder on disk.
func (f *pathFolder) Computed() {}

// Attr implements fs.Node.
func (f *pathFolder) Attr(ctx context.Context) (fs.Attr, error) {
	if w := f.p.placeOf(f.dir); w != nil {
		return w.folder.Attr(ctx)
	}
	a, err := f.p.index.Attr(ctx)
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: a.ModTime, Live: true}, err
}

// List implements fs.Dir.
func (f *pathFolder) List(ctx context.Context) ([]fs.Entry, error) {
	if w := f.p.placeOf(f.dir); w != nil {
		return w.folder.List(ctx)
	}
	return nil, nil
}

// Lookup implements fs.Dir.
func (f *pathFolder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	inside := f.p.placeOf(f.dir)
	if inside != nil {
		if n, err := inside.folder.Lookup(ctx, name); err == nil {
			return n, nil
		}
	}
	child := filepath.Join(f.dir, name)
	if f.p.leads(child) {
		return &pathFolder{p: f.p, dir: child}, nil
	}
	if inside == nil || isVersionControl(name) || f.p.opts.Hides(child) {
		return nil, fs.ErrNotExist
	}
	if info, err := os.Lstat(child); err != nil || !info.IsDir() {
		return nil, fs.ErrNotExist
	}
	return selfLink{f}, nil
}

// leads reports whether a path on disk is that of a workspace, or of a folder that has
// one.
func (p *Provider) leads(path string) bool {
	return slices.ContainsFunc(p.opts.Known.All(), func(w known.Workspace) bool {
		return slices.ContainsFunc(w.Folders(), func(dir string) bool {
			return dir == path || strings.HasPrefix(dir, path+"/")
		})
	})
}

// isVersionControl reports whether a name is one by which programs recognize a
// repository. The tree shows no such file.
func isVersionControl(name string) bool {
	return slices.Contains([]string{".git", ".hg", ".svn", ".jj", ".bzr", ".sl"}, name)
}

// selfLink is a folder in a workspace, below by-path: a link to the workspace's folder
// there. So it is one folder to the kernel, whose changes are announced.
type selfLink struct{ to *pathFolder }

// Attr implements fs.Node.
func (l selfLink) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := l.to.Attr(ctx)
	return fs.Attr{Mode: iofs.ModeSymlink | 0o777, Size: int64(len(here)), ModTime: a.ModTime}, err
}

// Target implements fs.Link.
func (l selfLink) Target(context.Context) (string, error) { return here, nil }

const here = "."
