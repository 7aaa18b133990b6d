package fs

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
)

// DiskLink is a symbolic link in a [DiskDir].
type DiskLink struct {
	path, root string
	local      bool // on a disk of this machine
	opts       DiskOptions
}

func (l *DiskLink) prompt() bool { return l.local }

// Attr implements Node.
func (l *DiskLink) Attr(ctx context.Context) (Attr, error) {
	st, err := lstatAs(l.path, syscall.S_IFLNK)
	if err != nil {
		return Attr{}, err
	}
	target, err := l.Target(ctx)
	if err != nil {
		return Attr{}, err
	}
	a := diskAttr(st, l.opts.live(filepath.Dir(l.path)))
	a.Size = int64(len(target))
	return a, nil
}

// Target implements Link. A relative target that leads out of the folder that
// is passed through would lead elsewhere in the tree, and is made absolute.
func (l *DiskLink) Target(context.Context) (string, error) {
	target, err := os.Readlink(l.path)
	if err != nil || filepath.IsAbs(target) {
		return target, err
	}
	dir := filepath.Dir(l.path)
	if rel, err := filepath.Rel(l.root, filepath.Join(dir, target)); err == nil && filepath.IsLocal(rel) {
		return target, nil
	}
	// Not filepath.Join: "x/.." is only nothing where x is no link.
	return dir + "/" + target, nil
}
