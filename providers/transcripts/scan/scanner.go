// Package scan finds the sessions: it asks the agents for the places where they
// keep their histories, walks and watches those, inspects each file that has
// changed, and puts what it finds into the catalogue.
//
// Only the beginning of a log is read, and that only once; a database is asked for
// its sessions, again a few times after it was written to. What cannot be watched
// is polled.
package scan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/archive"
	"ctxfs/providers/transcripts/catalogue"
)

// Options are what a scanner needs.
type Options struct {
	// Agents are those whose histories are looked for.
	Agents []history.Agent
	// Machine describes where to look; it is called for every search.
	Machine   func() history.Machine
	Catalogue *catalogue.Catalogue
	Archive   archive.Archive
	// Hide leaves out a path; it may be nil.
	Hide func(path string) bool
	// Watch keeps the catalogue current. Without it the sessions are those found
	// when they are first waited for.
	Watch bool
	Now   func() time.Time
	Log   *slog.Logger
	// Found is called with the paths in the provider's folder that have changed,
	// and the sessions that may have more to show. It may be called from several
	// goroutines at a time.
	Found func(paths []string, touched []*catalogue.Session)
	// Scanned is called once, after the first scan and before those who wait for
	// that continue.
	Scanned func()
	// Rescanned is called after every later scan of all places.
	Rescanned func()
}

// Scanner finds the sessions in the agents' folders and keeps the catalogue as
// they are.
type Scanner struct {
	Options

	ctx     context.Context
	cancel  context.CancelFunc
	watcher *watch.Watcher // nil where nothing is watched
	rescans *rounds.Worker
	buffers sync.Pool // of *[]byte, for the beginnings of logs

	firstOnce sync.Once
	firstDone chan struct{}
	asked     sync.Once // for the first scan, by a caller that waits for it

	askingPlaces sync.Mutex // held while the agents are asked for their places
	inspecting   pathLocks  // held while a file is inspected

	mu         sync.Mutex
	places     []*place
	unreadable map[string]string // folders that may not be read, and the agents they belong to
	stores     map[string]*storeWork
	started    bool
	closed     bool
	work       cell.Group
}

// maxDirs is how many folders of one place are watched.
const maxDirs = 20_000

// New makes a scanner, which finds nothing before it is started or waited
// for.
func New(opts Options) *Scanner {
	s := &Scanner{
		Options: opts, firstDone: make(chan struct{}),
		unreadable: make(map[string]string), stores: make(map[string]*storeWork),
	}
	s.rescans = rounds.NewWorker(rounds.Options{Round: func(context.Context) {
		s.scan(s.ctx)
		s.Rescanned()
	}})
	s.inspecting.held = make(map[string]*pathLock)
	s.buffers.New = func() any { return new([]byte) }
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if opts.Watch {
		s.watcher = watch.New(watch.Options{Changed: s.Changed, Hide: s.hidden, MaxDirs: maxDirs, Log: opts.Log})
	}
	return s
}

// Start polls what cannot be watched, until the scanner is closed.
func (s *Scanner) Start() {
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
	s.background(s.poll)
	s.rescans.Start()
}

// Close ends all searches and waits for them.
func (s *Scanner) Close() error {
	s.cancel()
	err := s.watcher.Close()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.rescans.Close()
	s.work.Wait()
	return err
}

// background runs f in a goroutine that close waits for, unless the scanner is
// closed.
func (s *Scanner) background(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Go(f)
	}
}

// First does the first scan, and returns when it is done. Further calls only wait.
func (s *Scanner) First() {
	s.firstOnce.Do(func() {
		s.scan(s.ctx)
		s.Scanned()
		close(s.firstDone)
	})
}

// Done reports whether the first scan has ended.
func (s *Scanner) Done() bool { return rounds.IsClosed(s.firstDone) }

// Wait returns when the first scan has ended: a session that was found early may
// depend on one that was not found yet. Its error is that of ctx.
func (s *Scanner) Wait(ctx context.Context) error {
	if !s.Watch {
		s.First()
		return nil
	}
	// Where a call started the process, nothing but a question like this one starts
	// the scan.
	s.asked.Do(func() { s.background(s.First) })
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

// WaitBriefly is wait for at most listingPatience.
func (s *Scanner) WaitBriefly(ctx context.Context) error {
	if s.Done() {
		return nil
	}
	if !s.Watch {
		return s.Wait(ctx)
	}
	short, cancel := context.WithTimeout(ctx, listingPatience)
	defer cancel()
	if s.Wait(short) != nil {
		return ctx.Err()
	}
	return nil
}

// Settled returns when everything that was written before the call is in the catalogue, as
// far as the watch reports it; including the first scan, if it has started.
func (s *Scanner) Settled(ctx context.Context) error {
	s.mu.Lock()
	started := s.started
	s.mu.Unlock()
	if started {
		if err := s.Wait(ctx); err != nil {
			return err
		}
	}
	for _, settled := range []func(context.Context) error{s.watcher.Settled, s.rescans.Settled} {
		if err := settled(ctx); err != nil {
			return err
		}
	}
	s.lookNow()
	for range 2 { // a store that is inspected has those inspected that have the same sessions
		for _, looked := range s.looks() {
			select {
			case <-looked:
			case <-s.ctx.Done():
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// lookNow has the stores inspected at once that wait for a late look (see lateLooks), since what was
// written to them may not have been visible before.
func (s *Scanner) lookNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.stores {
		w.now = true
		rounds.Tell(w.wake)
	}
}

// looks returns channels that are closed when the stores that are being inspected, or are
// about to be, have been.
func (s *Scanner) looks() (all []<-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.stores {
		if w.again || w.now || w.looking {
			if w.looked == nil {
				w.looked = make(chan struct{})
			}
			all = append(all, w.looked)
		}
	}
	return all
}

// hidden reports whether a path is not watched: a folder that holds no
// histories.
func (s *Scanner) hidden(path string) bool {
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

// WatchFaults returns what is not watched although it is readable, so that its changes are
// noticed late.
func (s *Scanner) WatchFaults() (all []fs.Problem) {
	if !s.Watch {
		return nil
	}
	for _, pl := range s.allPlaces() { // the watcher asks for what is hidden while it holds its own lock
		if err := s.watcher.Err(pl.Dir); err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			all = append(all, fs.Problem{What: clean.Line(fmt.Sprintf("new messages below %s are noticed late, by looking every few seconds: %v", pl.Dir, err))})
		}
	}
	return append(all, s.watcher.Late()...)
}
