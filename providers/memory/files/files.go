// Package files reads the files of memories: regular ones only, a bounded part of each,
// and each again only when it has changed.
package files

import (
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/memory/fact"
)

// File is a file that was read.
type File struct {
	Path string
	// Body is its beginning: a little more than is shown of a memory, or of a list of
	// memories [MaxList].
	Body    []byte
	Size    int64
	ModTime time.Time
}

const (
	// MaxList is how much is read of a file that has several memories, in bytes.
	MaxList = 4 << 20
	// maxFiles and maxDepth bound what is looked at below one folder.
	maxFiles = 50_000
	maxDepth = 6
	// racy is how long after it was written a file may be written again without a
	// later time.
	racy = 20 * time.Millisecond
)

// Cache keeps what was made of files as long as they do not change.
type Cache[T any] struct {
	// Hide reports whether a path must not be touched; it may be nil.
	Hide func(path string) bool

	known, next map[string]entry[T]
	faults      []error
}

type entry[T any] struct {
	is      stamp
	made    []T
	settled bool
}

// stamp identifies a state of a file: equal stamps are of a file that has not changed.
type stamp struct {
	dev, ino          uint64
	size              int64
	modified, changed time.Time
}

func stampOf(info os.FileInfo) (s stamp) {
	s.size, s.modified = info.Size(), info.ModTime()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino, s.changed = uint64(st.Dev), st.Ino, changedAt(st)
	}
	return s
}

// Resolve returns where a path leads to, with all links followed, without touching what is
// hidden: that does not exist.
func (c *Cache[T]) Resolve(path string) (string, error) {
	if fs.Hides(c.Hide, path) {
		return "", iofs.ErrNotExist
	}
	return fs.DiskOptions{Hide: c.Hide}.Resolve(path)
}

// Begin begins a look at all files.
func (c *Cache[T]) Begin() { c.next, c.faults = make(map[string]entry[T], len(c.known)+1), nil }

// End ends it, and returns why files could not be read. What was not asked for is
// forgotten.
func (c *Cache[T]) End() []error {
	c.known, c.next = c.next, nil
	return c.faults
}

// Forget has the files below a folder parsed again, although they have not changed.
func (c *Cache[T]) Forget(dir string) {
	if root, err := c.Resolve(dir); err == nil {
		maps.DeleteFunc(c.known, func(path string, _ entry[T]) bool { return fs.Within(path, root) })
	}
}

// File returns what parse makes of the first limit bytes of a file; nothing if the file
// does not exist. A link is followed.
func (c *Cache[T]) File(path string, limit int64, parse func(File) []T) []T {
	path, err := c.Resolve(path)
	if err != nil {
		c.fault(err)
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		c.fault(err)
		return nil
	}
	return c.file(path, info, limit, parse)
}

// fault records why something cannot be read, unless it is not there.
func (c *Cache[T]) fault(err error) {
	if !errors.Is(err, iofs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		c.faults = append(c.faults, err)
	}
}

func (c *Cache[T]) file(path string, info os.FileInfo, limit int64, parse func(File) []T) []T {
	if !info.Mode().IsRegular() {
		return nil
	}
	if old, ok := c.known[path]; ok && old.settled && old.is == stampOf(info) {
		c.next[path] = old
		return old.made
	}
	begun := time.Now()
	f, err := Open(path)
	if err != nil {
		if !errors.Is(err, iofs.ErrNotExist) {
			c.faults = append(c.faults, err)
		}
		return nil
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		c.faults = append(c.faults, err)
		return nil
	}
	e := entry[T]{is: stampOf(info)}
	e.settled = begun.Sub(e.is.changed) > racy
	e.made = parse(File{Path: path, Body: body, Size: info.Size(), ModTime: info.ModTime()})
	c.next[path] = e
	return e.made
}

// Open opens a regular file. A pipe does not block it.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s is no regular file", path))
	}
	return f, nil
}

// Below returns what parse makes of each file below a folder that has one of the
// extensions; rel is its path from the folder, with slashes. Names that begin with a dot
// and links out of the folder are left out.
func (c *Cache[T]) Below(dir string, extensions []string, parse func(rel string, f File) []T) (all []T) {
	root, err := c.Resolve(dir)
	if err != nil {
		c.fault(err)
		return nil
	}
	seen := 0
	var walk func(rel string, depth int)
	walk = func(rel string, depth int) {
		entries, err := os.ReadDir(filepath.Join(root, rel))
		if err != nil {
			c.fault(err)
			return
		}
		for _, e := range entries {
			name := e.Name()
			below := name
			if rel != "" {
				below = rel + "/" + name
			}
			path := root + "/" + below
			switch {
			case strings.HasPrefix(name, "."):
			case e.IsDir():
				if depth < maxDepth && (c.Hide == nil || !c.Hide(path)) {
					walk(below, depth+1)
				}
			case !hasExtension(name, extensions):
			case seen == maxFiles:
				c.faults = append(c.faults, fmt.Errorf("%s has more than %d files: the rest is not shown", root, maxFiles))
				seen++
			case seen < maxFiles:
				seen++
				info, err := e.Info()
				if err == nil && info.Mode()&iofs.ModeSymlink != 0 {
					if info, err = c.follow(root, path); err != nil {
						continue
					}
				}
				if err == nil {
					all = append(all, c.file(path, info, fact.MaxShown+1, func(f File) []T { return parse(below, f) })...)
				}
			}
		}
	}
	walk("", 0)
	return all
}

// follow returns the file that a link leads to, if that is in the folder.
func (c *Cache[T]) follow(root, path string) (os.FileInfo, error) {
	real, err := c.Resolve(path)
	if err != nil {
		return nil, err
	}
	if !fs.Within(real, root) {
		return nil, iofs.ErrPermission
	}
	return os.Stat(real)
}

func hasExtension(name string, extensions []string) bool {
	return slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) })
}
