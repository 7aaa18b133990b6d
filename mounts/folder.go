package mounts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/mounts/control"
)

// retryAfter is when paths that could not be read are read again while changes
// are followed.
const retryAfter = time.Minute

// FolderOptions are the settings of a [Folder].
type FolderOptions struct {
	// Log receives conflicts and errors while changes are followed; nil means
	// slog.Default().
	Log *slog.Logger
	// Report receives the report of every pass while changes are followed; it
	// may be nil.
	Report func(Report)
}

// Folder shows a tree in a plain folder, where FUSE cannot be used.
//
// Every file is written beside its place and renamed into it, with the mode and the
// modification time of the tree; a file that is already up to date is neither read
// nor written. A live file that grew is appended to in place, so that programs that
// follow it go on. Inboxes are left out, and a folder shows only what it lists.
//
// Only what ctxfs wrote is ever replaced or removed. A manifest in the folder
// records that: a file that is not in it, or was changed by another program, is a
// conflict and stays as it is, unless it has exactly the bytes to be written: then
// ctxfs takes it over. Links are never followed.
type Folder struct {
	tree *fs.Tree
	dir  string
	root *os.Root
	opts FolderOptions

	mu       sync.Mutex // one pass at a time
	manifest *manifest
	heads    map[string]uint64 // versions of the headers written, by path
	told     map[string]bool   // conflicts already logged
	buf      []byte
}

// Report describes what one pass did.
type Report struct {
	// Written and Removed count files, links and folders; Unchanged counts files
	// and links. A file whose mode or time alone was set counts as written.
	Written   int `json:"written"`
	Removed   int `json:"removed"`
	Unchanged int `json:"unchanged"`
	// Conflicts are sentences about what is in the way, each with its fix.
	Conflicts []string `json:"conflicts,omitempty"`
	// Errors describe paths that could not be read or written; they are unchanged.
	Errors []string `json:"errors,omitempty"`

	failed []string // the paths of Errors
}

// NewFolder prepares to show tree in the folder dir, which it creates if necessary
// and locks until Close.
func NewFolder(tree *fs.Tree, dir string, opts FolderOptions) (*Folder, error) {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	removeHint(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	m, err := openManifest(root)
	if errors.Is(err, errLocked) {
		err = &control.Fault{Message: "another ctxfs syncs into it", Hint: "stop that one, or sync into another folder"}
	}
	if err != nil {
		root.Close()
		return nil, inFolder(dir, err)
	}
	return &Folder{
		tree: tree, dir: dir, root: root, opts: opts,
		manifest: m, heads: make(map[string]uint64), told: make(map[string]bool), buf: make([]byte, 256<<10),
	}, nil
}

// Close releases the folder, after the pass under way. The files stay.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.manifest.close(), f.root.Close())
}

// Pass makes the folder equal to the tree. Errors of single paths are in the
// report and the rest goes on; the returned error is what stopped the pass: the
// end of ctx, or a folder that cannot be written at all. The next pass
// continues where a stopped one ended.
func (f *Folder) Pass(ctx context.Context) (Report, error) { return f.sync(ctx, []string{""}) }

// Run makes a pass, and then follows the tree's changes until ctx ends. It
// returns nil then, or the error that stopped a pass.
func (f *Folder) Run(ctx context.Context) error {
	changes := newChangeQueue()
	defer f.tree.Subscribe(fs.Subscriber{Changed: changes.add, Settled: changes.settled})()
	defer changes.end()
	changes.add("")
	var failed []string
	var retry <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changes.wake:
		case <-retry:
			for _, p := range failed {
				changes.add(p)
			}
			failed, retry = nil, nil
			continue
		}
		paths, settled := changes.take()
		r, err := f.sync(ctx, paths)
		settled()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		f.logReport(r)
		if f.opts.Report != nil {
			f.opts.Report(r)
		}
		if failed = append(failed, r.failed...); len(failed) > 0 && retry == nil {
			retry = time.After(retryAfter)
		}
	}
}

// logReport logs what went wrong, each conflict once.
func (f *Folder) logReport(r Report) {
	for _, c := range r.Conflicts {
		if !f.told[c] {
			f.told[c] = true
			f.opts.Log.Warn(c)
		}
	}
	for _, err := range r.Errors {
		f.opts.Log.Warn("not synced: " + err)
	}
}

// inFolder adds the folder's path to an error.
func inFolder(dir string, err error) error {
	if f := (*control.Fault)(nil); errors.As(err, &f) {
		return &control.Fault{Message: dir + ": " + f.Message, Hint: f.Hint}
	}
	return fmt.Errorf("%s: %w", dir, err)
}

// changeQueue collects the paths of changes until they are taken.
type changeQueue struct {
	wake chan struct{} // has a value when there are paths

	mu       sync.Mutex
	paths    map[string]struct{}
	barriers []chan struct{} // closed when what was added before is in the folder
	ended    bool
}

func newChangeQueue() *changeQueue {
	return &changeQueue{wake: make(chan struct{}, 1), paths: make(map[string]struct{})}
}

// add never blocks.
func (n *changeQueue) add(path string) {
	n.mu.Lock()
	n.paths[path] = struct{}{}
	n.mu.Unlock()
	rounds.Tell(n.wake)
}

// settled returns when what was added before the call is in the folder, or the worker
// has ended.
func (n *changeQueue) settled(ctx context.Context) error {
	n.mu.Lock()
	if n.ended {
		n.mu.Unlock()
		return nil
	}
	done := make(chan struct{})
	n.barriers = append(n.barriers, done)
	n.mu.Unlock()
	rounds.Tell(n.wake)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end releases all waiters: the worker has ended.
func (n *changeQueue) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	closeAll(n.barriers)
	n.barriers = nil
}

func closeAll(all []chan struct{}) {
	for _, c := range all {
		close(c)
	}
}

// take returns the collected paths, sorted, without those below others, and what is to be
// called when they are in the folder.
func (n *changeQueue) take() (paths []string, settled func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make([]string, 0, len(n.paths))
	for p := range n.paths {
		if !n.coveredByParent(p) {
			all = append(all, p)
		}
	}
	clear(n.paths)
	slices.Sort(all)
	barriers := n.barriers
	n.barriers = nil
	return all, func() { closeAll(barriers) }
}

func (n *changeQueue) coveredByParent(p string) bool {
	for p != "" {
		p = p[:max(0, strings.LastIndexByte(p, '/'))]
		if _, ok := n.paths[p]; ok {
			return true
		}
	}
	return false
}
