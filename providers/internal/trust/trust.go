// Package trust knows which projects the user trusts as a whole. What their files tell
// agents to do (rules, skills, notes) may be put before an agent that did not ask for it
// only then; of others no more is told than their names.
//
// A project is its folder, by path and identity, and the identity of its repository:
// another folder that has taken its place is not trusted, nor the same one with another
// repository in it. What the user keeps outside of projects, in the home folder and in the
// folders of agents there, is the user's own and not the concern of this package.
//
// Servers that a project configures are programs, and are approved entry by entry, in
// package clients of providers/mcp.
package trust

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/birth"
	"ctxfs/providers/internal/filelock"
)

// format is the number of the file's format.
const format = 1

// maxFile is the most of the file that is read, in bytes.
const maxFile = 8 << 20

// lockPatience is how long a change waits for another process that makes one.
const lockPatience = 10 * time.Second

// ErrNot reports that a folder is not trusted.
var ErrNot = errors.New("it is not trusted")

// Folder is a project that is trusted.
type Folder struct {
	Dir string
	// Time is when it was trusted last.
	Time time.Time
}

// Store is what is trusted, in one file. Other processes may change that file, too. It is
// safe for concurrent use.
type Store struct {
	file string
	hide func(path string) bool
	now  func() time.Time

	mu      sync.Mutex
	seen    os.FileInfo // the file as it was read, or nil
	read    bool
	folders map[string]entry
	fault   error
	tell    []func(dir string, trusted bool)
}

// entry is a folder in the file.
type entry struct {
	Time time.Time `json:"time"`
	identity
	Git identity `json:"git,omitzero"` // its entry .git, if it has one
}

// identity tells a file from another one at its path.
type identity struct {
	// Ino is its number on its file system, whose own number changes with each start of
	// some machines. It is used again once the file is gone.
	Ino uint64 `json:"ino"`
	// Born is when it was created, in nanoseconds; 0 where that is not known.
	Born int64 `json:"born,omitempty"`
}

// is reports whether what was one file is another one now, as far as both are known.
func (i identity) is(now identity) bool {
	return i.Ino == now.Ino && (i.Born == 0 || now.Born == 0 || i.Born == now.Born)
}

// contents is the file.
type contents struct {
	Format  int              `json:"format"`
	Folders map[string]entry `json:"folders"`
}

// New returns what the file at a path has; with "" nothing can be trusted. Folders for
// which hide is true are never touched; it may be nil.
func New(file string, hide func(path string) bool, now func() time.Time) *Store {
	return &Store{file: file, hide: hide, now: now}
}

// Trusts reports whether a folder, an absolute path without symbolic links, is that of a
// project which is trusted. It costs a few stats.
func (s *Store) Trusts(dir string) bool {
	s.mu.Lock()
	s.refresh()
	e, ok := s.folders[filepath.Clean(dir)]
	s.mu.Unlock() // the folder may not answer
	if !ok {
		return false
	}
	now, err := s.identify(dir)
	return err == nil && e.is(now.identity) && e.Git.is(now.Git)
}

// All returns the folders that are trusted, sorted; also those that are gone.
func (s *Store) All() []Folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	all := make([]Folder, 0, len(s.folders))
	for dir, e := range s.folders {
		all = append(all, Folder{Dir: dir, Time: e.Time})
	}
	slices.SortFunc(all, func(a, b Folder) int { return cmp.Compare(a.Dir, b.Dir) })
	return all
}

// Problems returns what is wrong with the file.
func (s *Store) Problems() []fs.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if s.fault == nil {
		return nil
	}
	return []fs.Problem{{What: s.fault.Error(), Mend: "trust the projects again: ctxfs trust DIR"}}
}

// Trust trusts a project's folder, an absolute path without symbolic links.
func (s *Store) Trust(dir string) error {
	found, err := s.identify(dir)
	if err != nil {
		return err
	}
	found.Time = s.now().UTC().Truncate(time.Second)
	dir = filepath.Clean(dir)
	return s.change(dir, true, func(folders map[string]entry) error {
		folders[dir] = found
		return nil
	})
}

// Revoke ends the trust in a project, which may be gone. The error is [ErrNot] if the
// folder was not trusted.
func (s *Store) Revoke(dir string) error {
	if s.file == "" {
		return ErrNot
	}
	dir = filepath.Clean(dir)
	return s.change(dir, false, func(folders map[string]entry) error {
		if _, ok := folders[dir]; !ok {
			return ErrNot
		}
		delete(folders, dir)
		return nil
	})
}

// Notify has a function called after this process has recorded whether a project is
// trusted, before Trust or Revoke returns. It must not wait.
func (s *Store) Notify(tell func(dir string, trusted bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = append(s.tell, tell)
}

// change changes the file, and tells what is trusted now. A damaged file is replaced.
func (s *Store) change(dir string, trusted bool, change func(folders map[string]entry) error) error {
	if s.file == "" {
		return errors.New("there is no folder for what is trusted")
	}
	tell, err := s.write(change)
	for _, t := range tell {
		t(dir, trusted)
	}
	return err
}

func (s *Store) write(change func(folders map[string]entry) error) (tell []func(dir string, trusted bool), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	lock, err := filelock.Wait(ctx, strings.TrimSuffix(s.file, ".json")+".lock", filelock.Exclusive)
	if err != nil {
		return nil, fmt.Errorf("another process changes what is trusted: %w", err)
	}
	defer lock.Release()
	s.read = false
	s.refresh()
	if err := change(s.folders); err != nil {
		return nil, err
	}
	body, err := json.MarshalIndent(contents{format, s.folders}, "", "  ")
	if err != nil {
		return nil, err
	}
	s.read = false
	return slices.Clone(s.tell), atomicfile.Write(s.file, append(body, '\n'))
}

// refresh reads the file again if it has changed. If the file cannot be read, no project
// is trusted.
func (s *Store) refresh() {
	info, err := os.Stat(s.file)
	if err != nil {
		info = nil
	}
	if s.read && (info == nil) == (s.seen == nil) && (info == nil || os.SameFile(info, s.seen) && info.ModTime().Equal(s.seen.ModTime()) && info.Size() == s.seen.Size()) {
		return
	}
	s.read, s.seen, s.folders, s.fault = true, info, make(map[string]entry), nil
	if errors.Is(err, iofs.ErrNotExist) {
		return
	}
	var kept contents
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		err = errors.New("it is no file of ours")
	}
	var body []byte
	if err == nil {
		body, err = os.ReadFile(s.file)
	}
	switch {
	case err != nil:
		s.fault = fmt.Errorf("%s cannot be read, so that no project is trusted: %w", s.file, wording.Cause(err))
	case json.Unmarshal(body, &kept) != nil, kept.Format != format:
		s.fault = fmt.Errorf("%s is damaged, so that no project is trusted", s.file)
	case kept.Folders != nil:
		s.folders = kept.Folders
	}
}

// identify returns what tells a folder from others.
func (s *Store) identify(dir string) (entry, error) {
	if s.hide != nil && s.hide(dir) {
		return entry{}, iofs.ErrNotExist
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return entry{}, err
	}
	if !info.IsDir() {
		return entry{}, fmt.Errorf("%s is not a folder", dir)
	}
	e := entry{identity: identityOf(dir, info)}
	if git, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		e.Git = identityOf(filepath.Join(dir, ".git"), git)
	}
	return e, nil
}

func identityOf(path string, info os.FileInfo) (i identity) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		i.Ino = st.Ino
	}
	if t := birth.Of(path); !t.IsZero() {
		i.Born = t.UnixNano()
	}
	return i
}
