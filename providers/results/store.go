package results

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// StoreOptions are the settings of a [Store].
type StoreOptions struct {
	// Dir is the folder of the results. The first save creates it.
	Dir string
	// SettingsPath is the path of config.toml.
	SettingsPath string
	Now          func() time.Time
	Log          *slog.Logger
}

// Store stores results in a folder, which it shares with the stores of other
// processes. It is safe for concurrent use.
type Store struct {
	opts     StoreOptions
	disk     fs.DiskOptions // how files are passed through
	journal  journal
	settings atomic.Pointer[loaded]
	broken   atomic.Pointer[fault] // of the last save; nil if that succeeded

	mu    sync.Mutex
	index *index // nil until it is needed
	view  view   // nil if nothing shows the results
}

// loaded are the settings as last read.
type loaded struct {
	limits
	problems []fs.Problem
}

// view shows the results of a store.
type view interface {
	// publish shows a change of the index, which is locked.
	publish(now *index, c change)
	// announce announces that a change was published, or a problem has come up.
	announce(c change)
}

// Open returns the store of a folder, which need not exist. It reads the
// settings and nothing else: a command that only saves reads the folder once,
// after its first save, to delete what is beyond the limits.
func Open(opts StoreOptions) *Store {
	s := &Store{opts: opts, journal: journal{filepath.Join(opts.Dir, ownFolder)}}
	s.Reload()
	return s
}

// ownFolder is the folder of the journal and of drafts, in that of the results.
const ownFolder = ".store"

// Limit returns the size in bytes over which a result should go to a file.
func (s *Store) Limit() int { return s.settings.Load().limit }

// Reload reads the settings again, and deletes what is beyond new limits.
func (s *Store) Reload() {
	l, problems := readLimits(s.opts.SettingsPath)
	before := s.settings.Swap(&loaded{l, problems})
	if before != nil && before.limits != l {
		s.prune()
	}
}

// show makes a view show the results, and all changes from then on.
func (s *Store) show(v view) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = newIndex(s)
	s.view = v
	v.publish(s.index, change{added: s.index.entries})
}

// prune deletes what is beyond the limits.
func (s *Store) prune() { s.update((*index).prune) }

// update changes the index, and shows and announces the change.
func (s *Store) update(by func(now *index) change) {
	s.mu.Lock()
	if s.index == nil {
		s.index = newIndex(s)
	}
	c := by(s.index)
	view := s.view
	if view != nil && !c.none() {
		view.publish(s.index, c)
	}
	s.mu.Unlock()
	if view != nil && !c.none() {
		view.announce(c)
	}
}

// fault is why a result cannot be stored, in words for the user.
type fault struct {
	fs.Problem
	err error
}

// Error returns one line: the cause and the fix.
func (f *fault) Error() string { return f.What + "; to fix it: " + f.Mend }

func (f *fault) Unwrap() error { return f.err }

// fault returns an error worded for the user; done is what could not be done with
// results: "kept", "read".
func (s *Store) fault(done string, err error) *fault {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f
	}
	dir := wording.ShellWord(s.opts.Dir)
	f := &fault{err: err}
	f.What = clean.Line(fmt.Sprintf("results cannot be %s in %s: %v", done, s.opts.Dir, wording.Cause(err)))
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		f.Mend = fmt.Sprintf("make room (how full it is: df -h %s), or lower max_size in [%s] of %s", dir, Table, s.opts.SettingsPath)
	case errors.Is(err, iofs.ErrPermission):
		f.Mend = "make it yours: sudo chown -R $(id -un) " + dir
	default:
		f.Mend = "look at it with ls -la " + dir
	}
	f.Mend = clean.Line(f.Mend)
	return f
}
