package transcripts

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"ctxfs/providers/internal/watch"
	"ctxfs/providers/transcripts/agents/history"
)

// scanOptions are what a scanner needs.
type scanOptions struct {
	// Agents are those whose histories are looked for.
	Agents []history.Agent
	// Machine describes where to look; it is called for every search.
	Machine   func() history.Machine
	Catalogue *catalogue
	Archive   archive
	// Hide leaves out a path; it may be nil.
	Hide func(path string) bool
	// Watch keeps the catalogue current. Without it the sessions are those of the
	// moment when they are first waited for.
	Watch bool
	Now   func() time.Time
	Log   *slog.Logger
	// Found is called with the paths in the provider's folder that have changed,
	// and the sessions that may have more to show. It may be called from several
	// goroutines at a time.
	Found func(paths []string, touched []*session)
	// Scanned is called once, after the first scan and before anybody who waits
	// for that goes on.
	Scanned func()
	// Rescanned is called after every later scan of all places.
	Rescanned func()
}

// scanner finds the sessions in the agents' folders and keeps the catalogue as
// they are.
type scanner struct {
	scanOptions

	ctx     context.Context
	cancel  context.CancelFunc
	watcher *watch.Watcher // nil where nothing is watched
	noWatch error          // why, though it should be
	buffers sync.Pool      // of *[]byte, for the beginnings of logs

	firstOnce sync.Once
	firstDone chan struct{}

	placing    sync.Mutex // held while the agents are asked for their places
	inspecting pathLocks  // held while a file is inspected

	mu         sync.Mutex
	places     []*place
	unreadable map[string]string // folders that may not be read, and the agents they belong to
	stores     map[string]*storeWork
	started    bool
	closed     bool
	work       sync.WaitGroup
}

// maxDirs is how many folders of one place are watched.
const maxDirs = 20_000

// newScanner makes a scanner, which finds nothing before it is started or waited
// for.
func newScanner(opts scanOptions) *scanner {
	s := &scanner{
		scanOptions: opts, firstDone: make(chan struct{}),
		unreadable: make(map[string]string), stores: make(map[string]*storeWork),
	}
	s.inspecting.held = make(map[string]*pathLock)
	s.buffers.New = func() any { return new([]byte) }
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if opts.Watch {
		s.watcher, s.noWatch = watch.New(watch.Options{Changed: s.changed, Hide: s.hidden, MaxDirs: maxDirs, Log: opts.Log})
	}
	return s
}

// start polls what cannot be watched, until the scanner is closed.
func (s *scanner) start() {
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
	s.background(s.poll)
}

// close ends all searches and waits for them.
func (s *scanner) close() error {
	s.cancel()
	var err error
	if s.watcher != nil {
		err = s.watcher.Close()
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.work.Wait()
	return err
}

// background runs f in a goroutine that close waits for, unless the scanner is
// closed.
func (s *scanner) background(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Go(f)
	}
}

// first scans once, whoever calls it first; the others wait.
func (s *scanner) first() {
	s.firstOnce.Do(func() {
		s.scan(s.ctx)
		s.Scanned()
		close(s.firstDone)
	})
}

// done reports whether the first scan has ended.
func (s *scanner) done() bool {
	select {
	case <-s.firstDone:
		return true
	default:
		return false
	}
}

// wait returns when the first scan has ended: a session that was found early may
// depend on one that was not. Its error is that of ctx.
func (s *scanner) wait(ctx context.Context) error {
	if !s.Watch {
		s.first()
		return nil
	}
	select {
	case <-s.firstDone:
		return nil
	case <-s.ctx.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listingPatience is how long a listing waits for the first scan. After that it
// shows what was found.
const listingPatience = 2 * time.Second

// waitBriefly is wait for at most listingPatience.
func (s *scanner) waitBriefly(ctx context.Context) error {
	if s.done() {
		return nil
	}
	if !s.Watch {
		return s.wait(ctx)
	}
	short, cancel := context.WithTimeout(ctx, listingPatience)
	defer cancel()
	if s.wait(short) != nil {
		return ctx.Err()
	}
	return nil
}

// hidden reports whether a path is not watched: a folder that holds no
// histories.
func (s *scanner) hidden(path string) bool {
	if s.Hide != nil && s.Hide(path) {
		return true
	}
	skipped := false
	for _, pl := range s.allPlaces() {
		if rel, ok := pl.rel(path); ok {
			if pl.Skip == nil || rel == "" || !pl.Skip(rel) {
				return false
			}
			skipped = true
		}
	}
	if !skipped {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// watchFault is a folder whose changes are noticed late, with the reason; an
// empty folder stands for all.
type watchFault struct {
	dir string
	err error
}

// watchFaults returns the folders that cannot be watched though they could be
// read.
func (s *scanner) watchFaults() (all []watchFault) {
	if !s.Watch {
		return nil
	}
	if s.watcher == nil {
		return []watchFault{{err: s.noWatch}}
	}
	for _, pl := range s.allPlaces() { // the watcher asks for what is hidden while it holds its own lock
		if err := s.watcher.Err(pl.Dir); err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			all = append(all, watchFault{pl.Dir, err})
		}
	}
	return all
}
