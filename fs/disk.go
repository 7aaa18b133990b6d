package fs

import (
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
	// Watched reports whether every change in the folder dir itself, files and
	// names, is announced by the provider that made the node. If not, the folder,
	// its files and its links are Live. It is called for every Attr and must
	// answer from memory; nil means that nothing is watched.
	Watched func(dir string) bool
	// Hide reports whether to leave out a path, such as one of ctxfs's own mount
	// points: walking into one's own mount deadlocks. It is called before the path
	// is touched.
	Hide func(path string) bool
}

func (o DiskOptions) live(dir string) bool { return o.Watched == nil || !o.Watched(dir) }

func (o DiskOptions) hides(path string) bool { return o.Hide != nil && o.Hide(path) }

// maxLinks is how many links a path may contain, as in the kernel.
const maxLinks = 40

// Resolve returns the absolute path that path leads to, with all links followed, as
// filepath.EvalSymlinks does. Unlike that it touches nothing that is hidden: a link
// into one of ctxfs's own mounts that is dead or hangs is ErrNotExist at once.
func (o DiskOptions) Resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", pathError("resolve", path, err)
	}
	dir, rest := "/", strings.Split(abs, "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			dir = filepath.Dir(dir)
			continue
		}
		full := filepath.Join(dir, name)
		if o.hides(full) {
			return "", pathError("resolve", path, ErrNotExist)
		}
		st, err := lstat(full)
		if err != nil {
			return "", pathError("resolve", path, err)
		}
		if fileType(st) != syscall.S_IFLNK {
			dir = full
			continue
		}
		if links++; links > maxLinks {
			return "", pathError("resolve", path, syscall.ELOOP)
		}
		target, err := os.Readlink(full)
		if err != nil {
			return "", pathError("resolve", path, err)
		}
		if filepath.IsAbs(target) {
			dir = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return dir, nil
}

// diskNode is what all nodes on disk have.
type diskNode struct {
	path  string
	local bool // on a disk of this machine
	opts  DiskOptions
}

// Path returns the path on disk, links above it resolved.
func (n *diskNode) Path() string { return n.path }

func (n *diskNode) prompt() bool { return n.local }

// open returns the node that a path leads to, with its stat. If that is of another type
// than is wanted, the error is wrong.
func (o DiskOptions) open(path string, want uint32, wrong error) (n diskNode, st *syscall.Stat_t, err error) {
	if path, err = o.Resolve(path); err != nil {
		return n, nil, err
	}
	if st, err = lstat(path); err == nil && fileType(st) != want {
		err = pathError("open", path, wrong)
	}
	return diskNode{path: path, local: onLocalDisk(path), opts: o}, st, err
}

// lstat never follows a link. Its errors carry the path.
func lstat(path string) (*syscall.Stat_t, error) {
	var st syscall.Stat_t
	if err := retryEINTR(func() error { return syscall.Lstat(path, &st) }); err != nil {
		return nil, pathError("lstat", path, err)
	}
	return &st, nil
}

// lstatAs is lstat for a node that was made for one type of file. If the path has
// become anything else, the node no longer exists.
func lstatAs(path string, want uint32) (*syscall.Stat_t, error) {
	st, err := lstat(path)
	if err == nil && fileType(st) != want {
		return nil, pathError("lstat", path, ErrNotExist)
	}
	return st, err
}

// fileType returns one of syscall.S_IFREG, S_IFDIR, S_IFLNK and so on.
func fileType(st *syscall.Stat_t) uint32 { return uint32(st.Mode) & syscall.S_IFMT }

// diskAttr converts a stat. Write permissions are removed, because nothing can be
// written.
func diskAttr(st *syscall.Stat_t, live bool) Attr {
	mtime, ctime := statTimes(st)
	a := Attr{
		Mode:    iofs.FileMode(st.Mode) & 0o555,
		Size:    st.Size,
		ModTime: mtime,
		Version: numbersVersion(uint64(st.Dev), st.Ino, uint64(st.Size), uint64(mtime.UnixNano()), uint64(ctime.UnixNano())),
		Live:    live,
		InPlace: true,
	}
	switch fileType(st) {
	case syscall.S_IFDIR:
		a.Mode |= iofs.ModeDir
		a.Size = 0
	case syscall.S_IFLNK:
		a.Mode = iofs.ModeSymlink | 0o777
	}
	return a
}

// numbersVersion returns a version for some numbers.
func numbersVersion(numbers ...uint64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	return h.Sum64()
}

// readRegular reads from the regular file at path with an open, a pread and a
// close. Anything else is ErrNotExist; the open does not block, so that a file
// that has become a pipe does not hang the reader.
func readRegular(path string, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, pathError("read", path, ErrInvalid)
	}
	var fd int
	err := retryEINTR(func() (err error) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		return err
	})
	switch {
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO): // a link, a socket
		return 0, pathError("open", path, ErrNotExist)
	case err != nil:
		return 0, pathError("open", path, err)
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := retryEINTR(func() error { return syscall.Fstat(fd, &st) }); err != nil {
		return 0, pathError("fstat", path, err)
	}
	if fileType(&st) != syscall.S_IFREG {
		return 0, pathError("open", path, ErrNotExist)
	}
	n, err := preadFull(fd, p, off)
	if err != nil && err != io.EOF {
		err = pathError("read", path, err)
	}
	return n, err
}

func preadFull(fd int, p []byte, off int64) (int, error) {
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
