package fs

import (
	"context"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// DiskDir is a folder on disk, passed through as it is. Links stay links and
// are not followed. Folders on other file systems, sockets, pipes and devices
// are left out.
type DiskDir struct {
	diskNode
	root string // links that lead out of root are made absolute
	// dev is the device of root. Only folders are compared with it: on an
	// overlay the files of one folder may be on several devices.
	dev uint64
}

// NewDiskDir returns the folder at path, which may be a link to one. The
// error is that of reading its attributes, or ErrNotDir.
func NewDiskDir(path string, opts DiskOptions) (*DiskDir, error) {
	n, st, err := opts.open(path, syscall.S_IFDIR, ErrNotDir)
	if err != nil {
		return nil, err
	}
	return &DiskDir{diskNode: n, root: n.path, dev: uint64(st.Dev)}, nil
}

// Attr implements Node.
func (d *DiskDir) Attr(context.Context) (Attr, error) {
	st, err := lstatAs(d.path, syscall.S_IFDIR)
	if err != nil {
		return Attr{}, err
	}
	return diskAttr(st, d.opts.live(d.path)), nil
}

// Lookup implements Dir.
func (d *DiskDir) Lookup(_ context.Context, name string) (Node, error) {
	n, _, err := d.lookup(name)
	return n, err
}

func (d *DiskDir) find(name string) (Node, Attr, error) {
	n, st, err := d.lookup(name)
	if err != nil {
		return nil, Attr{}, err
	}
	if l, ok := n.(*DiskLink); ok {
		a, err := l.Attr(context.Background())
		return n, a, err
	}
	dir := d.path
	if sub, ok := n.(*DiskDir); ok {
		dir = sub.path
	}
	return n, diskAttr(st, d.opts.live(dir)), nil
}

func (d *DiskDir) lookup(name string) (Node, *syscall.Stat_t, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return nil, nil, ErrNotExist
	}
	path := filepath.Join(d.path, name)
	if d.opts.hides(path) {
		return nil, nil, pathError("lookup", path, ErrNotExist)
	}
	st, err := lstat(path)
	if err != nil {
		return nil, nil, err
	}
	n := diskNode{path: path, local: d.local, opts: d.opts}
	switch fileType(st) {
	case syscall.S_IFDIR:
		if uint64(st.Dev) == d.dev {
			return &DiskDir{n, d.root, d.dev}, st, nil
		}
	case syscall.S_IFREG:
		return &DiskFile{n}, st, nil
	case syscall.S_IFLNK:
		return &DiskLink{n, d.root}, st, nil
	}
	return nil, nil, pathError("lookup", path, ErrNotExist)
}

// List implements Dir.
func (d *DiskDir) List(context.Context) ([]Entry, error) {
	found, err := os.ReadDir(d.path) // sorted
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(found))
	for _, e := range found {
		path := filepath.Join(d.path, e.Name())
		if d.opts.hides(path) {
			continue
		}
		switch e.Type() {
		case 0, iofs.ModeSymlink:
		case iofs.ModeDir:
			if st, err := lstat(path); err != nil || uint64(st.Dev) != d.dev {
				continue
			}
		default:
			continue
		}
		entries = append(entries, Entry{Name: e.Name(), Type: e.Type()})
	}
	return entries, nil
}
