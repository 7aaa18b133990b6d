package fs

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
)

// DiskFile is one regular file on disk, passed through. A file that replaces the
// one at its path is the same node, overwritten.
type DiskFile struct{ diskNode }

// NewDiskFile returns the regular file at path, which may be a link to one.
// The error is that of reading its attributes, or ErrInvalid.
func NewDiskFile(path string, opts DiskOptions) (*DiskFile, error) {
	n, _, err := opts.open(path, syscall.S_IFREG, ErrInvalid)
	if err != nil {
		return nil, err
	}
	return &DiskFile{n}, nil
}

// Attr implements Node.
func (f *DiskFile) Attr(context.Context) (Attr, error) {
	st, err := lstatAs(f.path, syscall.S_IFREG)
	if err != nil {
		return Attr{}, err
	}
	return diskAttr(st, f.opts.live(filepath.Dir(f.path))), nil
}

// ReadAt implements File.
func (f *DiskFile) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	return readRegular(f.path, p, off)
}

// DiskLink is a symbolic link in a [DiskDir].
type DiskLink struct {
	diskNode
	root string // of the folder that is passed through
}

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

// Target implements Link. A relative target outside the folder that is passed
// through is made absolute: in the tree it would lead elsewhere.
func (l *DiskLink) Target(context.Context) (string, error) {
	target, err := os.Readlink(l.path)
	if err != nil || filepath.IsAbs(target) {
		return target, err
	}
	dir := filepath.Dir(l.path)
	if rel, err := filepath.Rel(l.root, filepath.Join(dir, target)); err == nil && filepath.IsLocal(rel) {
		return target, nil
	}
	// Not filepath.Join: "x/.." only cancels out if x is not a link.
	return dir + "/" + target, nil
}
