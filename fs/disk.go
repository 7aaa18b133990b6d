package fs

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// DiskOptions say how a folder on disk is passed through.
type DiskOptions struct {
	// Watched says that whoever made the node watches the disk and reports
	// every change. Without that all nodes are Live.
	Watched func() bool
	// Hide leaves out a path, such as a mount point of ours: walking into
	// one's own mount deadlocks.
	Hide func(path string) bool
}

func (o DiskOptions) live() bool { return o.Watched == nil || !o.Watched() }

// DiskDir is a folder on disk, passed through as it is. Links stay links and
// are not followed; other file systems below it, sockets, pipes and devices
// are left out.
type DiskDir struct {
	path string
	root string // a relative link that leads out of root is made absolute
	dev  uint64
	opts DiskOptions
}

// NewDiskDir returns the folder at path, which may be a link to one. The
// error is that of reading its attributes.
func NewDiskDir(path string, opts DiskOptions) (*DiskDir, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(resolved, &st); err != nil {
		return nil, pathError("lstat", resolved, err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		return nil, pathError("open", resolved, ErrNotDir)
	}
	return &DiskDir{path: resolved, root: resolved, dev: uint64(st.Dev), opts: opts}, nil
}

// Path is where the folder lies on disk.
func (d *DiskDir) Path() string { return d.path }

// Attr implements Node.
func (d *DiskDir) Attr(context.Context) (Attr, error) {
	return diskAttr(d.path, d.opts.live(), nil)
}

// Lookup implements Dir.
func (d *DiskDir) Lookup(_ context.Context, name string) (Node, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsRune(name, '/') {
		return nil, ErrNotExist
	}
	path := filepath.Join(d.path, name)
	if d.opts.Hide != nil && d.opts.Hide(path) {
		return nil, ErrNotExist
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return nil, pathError("lstat", path, err)
	}
	if uint64(st.Dev) != d.dev {
		return nil, ErrNotExist
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		return &DiskDir{path: path, root: d.root, dev: d.dev, opts: d.opts}, nil
	case syscall.S_IFREG:
		return &DiskFile{path: path, dev: d.dev, opts: d.opts}, nil
	case syscall.S_IFLNK:
		return &diskLink{path: path, root: d.root, opts: d.opts}, nil
	}
	return nil, ErrNotExist
}

// List implements Dir.
func (d *DiskDir) List(context.Context) ([]Entry, error) {
	found, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(found))
	for _, e := range found {
		switch e.Type() {
		case 0, iofs.ModeSymlink:
		case iofs.ModeDir:
			if d.opts.Hide != nil && d.opts.Hide(filepath.Join(d.path, e.Name())) {
				continue
			}
			var st syscall.Stat_t
			if syscall.Lstat(filepath.Join(d.path, e.Name()), &st) != nil || uint64(st.Dev) != d.dev {
				continue
			}
		default:
			continue
		}
		entries = append(entries, Entry{Name: e.Name(), Type: e.Type()})
	}
	return entries, nil // os.ReadDir sorts
}

// DiskFile is one file on disk, passed through.
type DiskFile struct {
	path string
	dev  uint64
	opts DiskOptions
}

// NewDiskFile returns the regular file at path, which may be a link to one.
func NewDiskFile(path string, opts DiskOptions) (*DiskFile, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(resolved, &st); err != nil {
		return nil, pathError("lstat", resolved, err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, pathError("open", resolved, ErrInvalid)
	}
	return &DiskFile{path: resolved, dev: uint64(st.Dev), opts: opts}, nil
}

// Attr implements Node.
func (f *DiskFile) Attr(context.Context) (Attr, error) {
	return diskAttr(f.path, f.opts.live(), nil)
}

// ReadAt implements File with an open, a pread and a close. Non-blocking, so
// that a file that became a pipe meanwhile hangs nobody.
func (f *DiskFile) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	fd, err := openRegular(f.path, f.dev)
	if err != nil {
		return 0, pathError("open", f.path, err)
	}
	defer syscall.Close(fd)
	return preadFull(fd, p, off)
}

type diskLink struct {
	path, root string
	opts       DiskOptions
}

func (l *diskLink) Attr(context.Context) (Attr, error) {
	a, err := diskAttr(l.path, l.opts.live(), nil)
	if err != nil {
		return Attr{}, err
	}
	target, err := l.Target(context.Background())
	a.Size = int64(len(target))
	return a, err
}

func (l *diskLink) Target(context.Context) (string, error) {
	target, err := os.Readlink(l.path)
	if err != nil || filepath.IsAbs(target) {
		return target, err
	}
	full := filepath.Join(filepath.Dir(l.path), target)
	if rel, err := filepath.Rel(l.root, full); err == nil && filepath.IsLocal(rel) {
		return target, nil
	}
	return full, nil
}

// diskAttr stats path without following a link. The permissions are shown
// without their write bits. If sys is given, the raw stat is left there.
func diskAttr(path string, live bool, sys *syscall.Stat_t) (Attr, error) {
	var st syscall.Stat_t
	if sys == nil {
		sys = &st
	}
	if err := syscall.Lstat(path, sys); err != nil {
		return Attr{}, pathError("lstat", path, err)
	}
	mtime, ctime := statTimes(sys)
	a := Attr{
		Mode:    iofs.FileMode(sys.Mode) & 0o555,
		Size:    sys.Size,
		ModTime: mtime,
		Version: numbersVersion(uint64(sys.Dev), sys.Ino, uint64(sys.Size), uint64(mtime.UnixNano()), uint64(ctime.UnixNano())),
		Live:    live,
		InPlace: true,
	}
	switch sys.Mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		a.Mode |= iofs.ModeDir
		a.Size = 0
	case syscall.S_IFLNK:
		a.Mode = iofs.ModeSymlink | 0o777
	}
	return a, nil
}

// numbersVersion makes a version of some numbers.
func numbersVersion(numbers ...uint64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	return h.Sum64()
}

// openRegular opens a file that must be a regular one, on that device unless
// dev is 0.
func openRegular(path string, dev uint64) (int, error) {
	var fd int
	err := retryEINTR(func() (err error) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return -1, err
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		syscall.Close(fd)
		return -1, err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG || (dev != 0 && uint64(st.Dev) != dev) {
		syscall.Close(fd)
		return -1, ErrNotExist
	}
	return fd, nil
}

func preadFull(fd int, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, ErrInvalid
	}
	n := 0
	for n < len(p) {
		var m int
		err := retryEINTR(func() (err error) {
			m, err = syscall.Pread(fd, p[n:], off+int64(n))
			return err
		})
		if err != nil {
			return n, err
		}
		if m == 0 {
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

func retryEINTR(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func timespec(ts syscall.Timespec) time.Time { return time.Unix(ts.Unix()) }
