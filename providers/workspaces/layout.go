package workspaces

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"ctxfs/fs"
	"ctxfs/providers/internal/ignore"
	"ctxfs/providers/workspaces/layout"
)

const (
	layoutName   = "layout.txt"
	layoutFolder = "layout"

	// Budgets of layouts, in tokens: of the whole workspace, and of a folder that is asked
	// for.
	layoutBudget      = 1500
	layoutAskedBudget = 4000
)

// readLayout returns the layout of a subfolder of a folder.
func (o *Options) readLayout(ctx context.Context, dir, sub string, depth, budget int) (layout.Layout, error) {
	return layout.Read(ctx, dir, sub, layout.Options{
		Budget: budget, Depth: depth, User: ignore.User(o.Home, o.configHome()), Hide: o.Hide,
	})
}

// layouts is the folder layout of a workspace and each folder in it: the layouts of the
// folders in the workspace, and of their first levels. It lists only the layout of the
// folder itself; the names of the folders in it, and numbers of levels, are looked up.
type layouts struct {
	w   *place
	sub string // the folder, relative to the workspace
}

var _ fs.Computed = (*layouts)(nil)

// Computed implements fs.Computed: a lookup reads names of files.
func (l *layouts) Computed() {}

// Attr implements fs.Node. The folder is live: what is in it changes without notice.
func (l *layouts) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := l.w.folder.Attr(ctx)
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: a.ModTime, Live: true}, err
}

// List implements fs.Dir.
func (l *layouts) List(context.Context) ([]fs.Entry, error) {
	return []fs.Entry{{Name: layoutName}}, nil
}

// Lookup implements fs.Dir.
func (l *layouts) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if isVersionControl(name) {
		return nil, fs.ErrNotExist
	}
	depth, err := strconv.Atoi(name)
	switch {
	case name == layoutName:
		depth = 0
	case err != nil || depth <= 0 || depth > 99: // the name of a folder
		below := path.Join(l.sub, name)
		dir := filepath.Join(l.w.workspace().Dir, below)
		if l.w.p.opts.Hides(dir) {
			return nil, fs.ErrNotExist
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return nil, fs.ErrNotExist
		}
		return &layouts{w: l.w, sub: below}, nil
	}
	read, err := l.w.p.opts.readLayout(ctx, l.w.workspace().Dir, l.sub, depth, layoutAskedBudget)
	if errors.Is(err, layout.ErrOutside) || errors.Is(err, iofs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	a, err := l.w.folder.Attr(ctx)
	return fs.NewText(a.ModTime, []byte(read.Text)), err
}
