// Package watch reports changes on disk, as soon as they happen. What the system allows
// nobody to watch it looks at, every few seconds.
//
// A [Watcher] watches folders with everything below them ([Watcher.Add]) and
// single paths ([Watcher.AddFile]). Neither need exist: what is missing is
// waited for, and what is replaced, as editors replace files, is followed.
//
// The package hides three difficulties. The kernel watches inodes, so one folder
// reached by two paths has one watch: all folders are stored by their path without
// links. A path means what the links on it say: every link is watched too, where it
// lies. And what is created in a new folder before its watch is set is not
// reported: a new folder is reported as a whole, after its watch was set.
//
// It does not notice the renaming of a folder above the one that contains a watched
// path.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// DefaultMaxDirs is how many folders are watched below one root.
const DefaultMaxDirs = 2000

// ErrLimit reports that there are more folders below a root than can be watched.
var ErrLimit = errors.New("too many folders to watch")

// Fix returns the command that removes the cause of an error: a limit of the kernel that
// has been reached (inotify(7)). It returns "" for any other error.
func Fix(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "sudo sysctl fs.inotify.max_user_watches=524288, then mount again"
	case errors.Is(err, syscall.EMFILE):
		return "sudo sysctl fs.inotify.max_user_instances=1024, then mount again"
	}
	return ""
}

// Problems returns a problem for the status of a provider if changes below root are
// not noticed, or late; what names the changes: "new terminals". W may be nil. A root that
// does not exist is no problem.
func Problems(w *Watcher, root, what string) []fs.Problem {
	if w == nil {
		return nil
	}
	err := w.Err(root)
	if err == nil || errors.Is(err, iofs.ErrNotExist) {
		return w.Late()
	}
	return append(w.Late(), fs.Problem{
		What: clean.Line(fmt.Sprintf("%s are not noticed: %v", what, wording.Cause(err))),
		Mend: "run ctxfs mount again to see them",
	})
}

// Options are the settings of a Watcher. Changed is required.
type Options struct {
	// Changed is called with what changed: absolute paths, each once, in the
	// order in which they first changed. For a folder that is watched with
	// everything below it, anything below may have changed. It is called from
	// one goroutine; changes during a call are reported by the next. It may
	// call the Watcher's methods, except Close.
	Changed func(paths []string)
	// Hide reports whether a path, such as a mount point of ours, is left out.
	// It is called before the path is touched. It may be nil.
	Hide func(path string) bool
	// MaxDirs is how many folders are watched below one root; 0 means
	// DefaultMaxDirs.
	MaxDirs int
	// Log receives errors of folders that cannot be watched; nil means
	// slog.Default().
	Log *slog.Logger
}

// Watcher watches folders and files. It is safe for concurrent use.
type Watcher struct {
	opts   Options
	notify *fsnotify.Watcher // nil if the system allows no more
	news   *queue
	looks  *rounds.Worker
	lost   chan struct{} // events were lost
	heard  chan struct{} // receives: every loss until now was told
	ctx    context.Context
	cancel context.CancelFunc
	done   cell.Group

	why     atomic.Pointer[error] // something is looked at
	mu      sync.RWMutex
	cookies cookies
	trees   map[string]*tree   // by root
	points  map[string]*point  // by path
	folders map[string]*folder // watched folders, by path without links
}

// againTime is how long after a panic of Changed it is told the same again.
const againTime = time.Minute

// New returns a watcher of nothing. If the system allows no more of them (on Linux
// fs.inotify.max_user_instances), it looks.
func New(opts Options) *Watcher {
	notify, why := fsnotify.NewWatcher()
	return newWatcher(opts, notify, why)
}

// Look returns a watcher that looks at everything, for a reason that [Watcher.Late] tells.
func Look(opts Options, why error) *Watcher { return newWatcher(opts, nil, why) }

func newWatcher(opts Options, notify *fsnotify.Watcher, why error) *Watcher {
	if opts.MaxDirs == 0 {
		opts.MaxDirs = DefaultMaxDirs
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watcher{
		opts: opts, notify: notify, news: newQueue(), lost: make(chan struct{}, 1), heard: make(chan struct{}), ctx: ctx, cancel: cancel,
		cookies: cookies{notify: notify}, trees: make(map[string]*tree), points: make(map[string]*point), folders: make(map[string]*folder),
	}
	w.looks = rounds.NewWorker(rounds.Options{Round: w.look, Most: w.mostPause, Rest: lookPause, Share: lookShare})
	if notify != nil {
		w.done.Go(w.receive)
		w.done.Go(w.receiveErrors)
	} else {
		w.why.Store(&why)
	}
	w.looks.Start()
	w.done.Go(func() {
		w.news.deliver(ctx, func(paths []string) {
			if cell.Run(func() { opts.Changed(paths) }) == nil {
				return
			}
			time.AfterFunc(againTime, func() {
				for _, path := range paths {
					w.news.add(path)
				}
			})
		})
	})
	return w
}

// Close ends the watch and waits: Changed is not running and will not be called
// any more. No Watcher has nothing to end.
func (w *Watcher) Close() error {
	if w == nil {
		return nil
	}
	w.cancel()
	w.looks.Close()
	var err error
	if w.notify != nil {
		err = w.notify.Close()
	}
	w.done.Wait()
	w.cookies.close()
	return err
}

// Add watches the folder at root and every folder below it, up to MaxDirs,
// except .git and node_modules, other file systems, and what is hidden. Links
// below it are not followed. Root itself may be or contain a link; changes in
// it are reported with the path that it leads to. If root itself appears,
// vanishes or leads elsewhere, root is reported, and also if events were lost.
// Adding a root again does nothing.
func (w *Watcher) Add(root string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	root = filepath.Clean(root)
	if w.trees[root] != nil {
		return
	}
	t := &tree{root: root}
	t.point = &point{path: root, tree: t}
	w.trees[root] = t
	w.locate(t.point)
	w.plant(t)
}

// AddFile reports path whenever what it leads to may have changed, whatever it is:
// the file was written or replaced, appeared or vanished, or a link on the way
// leads elsewhere. For a folder it reports only the latter.
func (w *Watcher) AddFile(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path = filepath.Clean(path)
	if w.points[path] != nil {
		return
	}
	p := &point{path: path}
	w.points[path] = p
	w.locate(p)
}

// Remove ends what Add or AddFile began for this path.
func (w *Watcher) Remove(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path = filepath.Clean(path)
	if t := w.trees[path]; t != nil {
		delete(w.trees, path)
		w.uproot(t)
		w.forget(t.point)
	}
	if p := w.points[path]; p != nil {
		delete(w.points, path)
		w.forget(p)
	}
}

// Watched reports whether every change in the folder at path (without links) is
// reported at once: of its names and of its files, not of the folders in it; or, for a
// path given to AddFile, every change of that. It answers from memory.
func (w *Watcher) Watched(path string) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if f := w.folders[path]; f.inTree() {
		return f.seen == nil
	}
	p := w.points[path]
	return p != nil && p.err == nil && !slices.ContainsFunc(p.at, func(wp waypoint) bool { return w.folders[wp.dir].seen != nil })
}

// Err returns why not everything below root, or the file, as given to Add or
// AddFile, is watched: ErrLimit, or the error of the first folder that cannot
// be watched. It returns nil for what does not exist yet, as long as its
// creation would be noticed, and for what is looked at.
func (w *Watcher) Err(path string) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	path = filepath.Clean(path)
	if t := w.trees[path]; t != nil {
		return cmp.Or(t.err(), t.point.err)
	}
	if p := w.points[path]; p != nil {
		return p.err
	}
	return nil
}

// receive keeps the watches up to date and queues the changes.
func (w *Watcher) receive() {
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if cell.Run(func() { w.handle(e) }) != nil {
				rounds.Tell(w.lost)
			}
		case <-w.lost:
			w.startOver()
		}
	}
}

// receiveErrors holds no lock: the library sends errors while it holds its own.
func (w *Watcher) receiveErrors() {
	for {
		select {
		case err, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				rounds.Tell(w.lost) // about to start over anyway
			} else {
				w.opts.Log.Debug("watching files", "error", err)
			}
		case <-w.heard:
		}
	}
}

// settle releases those who wait for a cookie, after what was lost before it.
func (w *Watcher) settle(cookie string) {
	select {
	case w.heard <- struct{}{}:
	case <-w.ctx.Done():
	}
	select {
	case <-w.lost:
		w.startOver()
	default:
	}
	w.cookies.met(cookie)
}

func (w *Watcher) handle(e fsnotify.Event) {
	path := filepath.Clean(e.Name)
	if w.cookies.are(path) {
		w.settle(path)
		return
	}
	if w.hidden(path) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	created, gone := e.Has(fsnotify.Create), e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	var points []*point
	if created || gone {
		// What is at this path now, if anything, is not what was watched.
		points = w.drop(path)
	}
	parent := w.folders[filepath.Dir(path)]
	if parent != nil {
		points = append(points, parent.points[filepath.Base(path)]...)
	}
	if parent.inTree() {
		if created || e.Has(fsnotify.Chmod) {
			w.grow(path, parent.trees)
		}
		w.news.add(path)
	} else if w.folders[path].inTree() {
		w.news.add(path) // the root of a tree, touched
	}
	for _, p := range points {
		w.visit(p, created || gone || e.Has(fsnotify.Chmod))
	}
}

// visit reports a point and, if it may lead elsewhere now, locates it again.
func (w *Watcher) visit(p *point, moved bool) {
	if moved {
		w.locate(p)
	}
	if p.tree == nil || moved && w.replant(p.tree) {
		w.news.add(p.path)
	}
}

// startOver checks everything again after events were lost: everything may have
// changed.
func (w *Watcher) startOver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.trees {
		w.uproot(t)
		w.locate(t.point)
		w.plant(t)
		w.news.add(t.root)
	}
	for _, p := range w.points {
		w.locate(p)
		w.news.add(p.path)
	}
	w.cookies.lost()
}

func (w *Watcher) hidden(path string) bool { return w.opts.Hide != nil && w.opts.Hide(path) }
