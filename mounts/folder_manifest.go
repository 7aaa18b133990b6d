package mounts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxfs/mounts/control"
)

// The manifest of a synced folder, at its top, records what ctxfs wrote there. It
// has one JSON object a line: the first names the format, every other describes one
// path, and the last line for a path counts. A line is written before the file
// takes its place, so that after an interruption at any moment at most the last
// line is ahead of the folder. The process that syncs holds a lock on it.
const (
	manifestName   = ".ctxfs-sync.jsonl"
	manifestFormat = 1
	// temporaryName is where a file is written before it takes its place. There
	// is only one, at the top, so that an interruption leaves no others.
	temporaryName = ".ctxfs-sync.tmp"
)

const moveManifest = "move it away: files that are as ctxfs would write them are then taken over"

// pathState is what was written at one path.
type pathState struct {
	Mode    iofs.FileMode `json:"mode"` // type and permissions
	Version uint64        `json:"version,omitempty"`
	Size    int64         `json:"size,omitempty"`
	ModTime time.Time     `json:"mtime,omitzero"` // as the disk reports it
	Target  string        `json:"target,omitempty"`
}

type manifestHeader struct {
	Format int `json:"ctxfs-sync"`
}

type manifestLine struct {
	Path string `json:"path"`
	Gone bool   `json:"gone,omitempty"`
	pathState
}

type manifest struct {
	root   *os.Root
	file   *os.File
	states map[string]pathState
	names  map[string]map[string]struct{} // names of the paths in states, by folder
	lines  int
}

// openManifest locks the manifest below root and reads it.
func openManifest(root *os.Root) (*manifest, error) {
	m := &manifest{root: root, states: make(map[string]pathState), names: make(map[string]map[string]struct{})}
	if err := m.lock(); err != nil {
		return nil, err
	}
	err := m.load()
	if err == nil {
		err = m.compact()
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *manifest) close() error { return m.file.Close() }

// lock opens and locks the manifest. The previous holder of the lock may have
// replaced the file meanwhile; then lock opens it again.
func (m *manifest) lock() error {
	for {
		if info, err := m.root.Lstat(manifestName); err == nil && !info.Mode().IsRegular() {
			return &control.Fault{Message: manifestName + " is not a regular file", Hint: moveManifest}
		}
		f, err := m.root.OpenFile(manifestName, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		if err := lockFile(f); err != nil {
			f.Close()
			return err
		}
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return err
		}
		if there, err := m.root.Lstat(manifestName); err == nil && os.SameFile(mine, there) {
			m.file = f
			return nil
		}
		f.Close()
	}
}

// errLocked reports that another process syncs into the folder.
var errLocked = errors.New("locked by another process")

func lockFile(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err := conn.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) }); err != nil {
		return err
	}
	if errors.Is(locked, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return locked
}

// load reads the manifest. An unfinished last line does not count; a last line
// whose file never took its place is undone.
func (m *manifest) load() error {
	r := bufio.NewReader(m.file)
	first, err := r.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil // new, or interrupted before the first write
	}
	var header manifestHeader
	if err != nil || json.Unmarshal(first, &header) != nil || header.Format == 0 {
		return &control.Fault{Message: manifestName + " is not a manifest of ctxfs", Hint: moveManifest}
	}
	if header.Format != manifestFormat {
		return &control.Fault{
			Message: fmt.Sprintf("%s has format %d, and this ctxfs reads format %d", manifestName, header.Format, manifestFormat),
			Hint:    "sync with the ctxfs that wrote it, or into another folder",
		}
	}
	var last string
	var before pathState
	var existed bool
	for {
		raw, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var line manifestLine
		if err := json.Unmarshal(raw, &line); err != nil || !iofs.ValidPath(line.Path) {
			return &control.Fault{Message: fmt.Sprintf("%s is damaged at line %d", manifestName, m.lines+2), Hint: moveManifest}
		}
		m.lines++
		last = line.Path
		before, existed = m.states[last]
		m.store(line)
	}
	if s, ok := m.states[last]; ok && !s.matches(m.root, last) {
		m.store(manifestLine{Path: last, Gone: !existed, pathState: before})
	}
	return nil
}

// store stores a line in memory.
func (m *manifest) store(l manifestLine) {
	dir, name := path.Split(l.Path)
	if l.Gone {
		delete(m.states, l.Path)
		delete(m.names[dir], name)
		if len(m.names[dir]) == 0 {
			delete(m.names, dir)
		}
		return
	}
	m.states[l.Path] = l.pathState
	if m.names[dir] == nil {
		m.names[dir] = make(map[string]struct{})
	}
	m.names[dir][name] = struct{}{}
}

// put records what is at a path, or is about to be.
func (m *manifest) put(p string, s pathState) error {
	return m.write(manifestLine{Path: p, pathState: s})
}

// forget records that ctxfs no longer owns a path.
func (m *manifest) forget(p string) error {
	if _, ok := m.states[p]; !ok {
		return nil
	}
	return m.write(manifestLine{Path: p, Gone: true})
}

func (m *manifest) write(l manifestLine) error {
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err := m.file.Write(append(raw, '\n')); err != nil {
		return &manifestError{err}
	}
	m.lines++
	m.store(l)
	if m.lines > 3*len(m.states)+10_000 {
		return m.compact()
	}
	return nil
}

// compact writes a manifest without what has been superseded, and locks it
// before it takes the place of the old one.
func (m *manifest) compact() error {
	if err := m.replace(); err != nil {
		return &manifestError{err}
	}
	return nil
}

func (m *manifest) replace() error {
	m.root.Remove(temporaryName)
	f, err := m.root.OpenFile(temporaryName, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	err = lockFile(f)
	if err == nil {
		_, err = f.Write(m.text())
	}
	if err == nil {
		err = m.root.Rename(temporaryName, manifestName)
	}
	if err != nil {
		f.Close()
		return err
	}
	m.file.Close()
	m.file, m.lines = f, len(m.states)
	return nil
}

func (m *manifest) text() []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.Encode(manifestHeader{manifestFormat}) // to memory, of our own types: cannot fail
	for _, p := range slices.Sorted(maps.Keys(m.states)) {
		e.Encode(manifestLine{Path: p, pathState: m.states[p]})
	}
	return text.Bytes()
}

// namesIn returns the names in a folder, sorted.
func (m *manifest) namesIn(dir string) []string {
	if dir != "" {
		dir = strings.TrimSuffix(dir, "/") + "/"
	}
	return slices.Sorted(maps.Keys(m.names[dir]))
}

// matches reports whether a path is as s describes it, unchanged.
func (s pathState) matches(root *os.Root, p string) bool {
	info, err := root.Lstat(p)
	if err != nil || info.Mode().Type() != s.Mode.Type() {
		return false
	}
	switch {
	case s.Mode.IsDir():
		return true
	case s.Mode.IsRegular():
		return info.Size() == s.Size && info.ModTime().Equal(s.ModTime)
	}
	target, err := root.Readlink(p)
	return err == nil && target == s.Target
}

// manifestError is an error after which nothing more may be written, because no
// record would say that ctxfs wrote it.
type manifestError struct{ err error }

func (e *manifestError) Error() string { return "the manifest cannot be written: " + e.err.Error() }
func (e *manifestError) Unwrap() error { return e.err }
