package exec

import (
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/watch"
)

// auto refreshes folders by themselves: at intervals, and when what they watch changes.
type auto struct {
	p       *Provider
	watcher *watch.Watcher // nil if nothing is watched
	failed  error          // why nothing is watched
	end     chan struct{}
	work    sync.WaitGroup

	mu       sync.Mutex
	watching []watching
	closed   bool
}

// watching is a path that a folder watches.
type watching struct {
	f    *folder
	path string
	wake chan<- struct{}
}

// The times of refreshes. Whatever writes to what is watched, as the commands themselves may,
// a folder rests for a multiple of the time that its refresh took.
const (
	settleTime = 300 * time.Millisecond // after the last change
	leastRest  = 2 * time.Second
	restFactor = 10
)

func newAuto(p *Provider) *auto {
	a := &auto{p: p, end: make(chan struct{})}
	a.watcher, a.failed = watch.New(watch.Options{Changed: a.changed, Hide: p.opts.Hide, Log: p.opts.Env.Log})
	return a
}

// follow refreshes a folder from now on, until it is closed. It is called once for each.
func (a *auto) follow(f *folder) {
	if f.every == 0 && len(f.watch) == 0 {
		return
	}
	wake := make(chan struct{}, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	for _, path := range f.watch {
		a.watching = append(a.watching, watching{f, path, wake})
		if a.watcher == nil {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			a.watcher.Add(path)
		} else {
			a.watcher.AddFile(path)
		}
	}
	a.work.Go(func() { a.run(f, wake) })
}

// run refreshes a folder again and again.
func (a *auto) run(f *folder, wake <-chan struct{}) {
	defer a.leave(f)
	f.mu.Lock()
	last := f.refreshed.Ran
	f.mu.Unlock()
	wait := time.Duration(0)
	if f.every > 0 && len(f.watch) == 0 {
		wait = max(0, f.every-a.p.opts.Env.Now().Sub(last))
	}
	for {
		var due <-chan time.Time
		if f.every > 0 || wait == 0 {
			due = time.After(wait)
		}
		select {
		case <-due:
		case <-wake:
			if !a.settle(f, wake) {
				return
			}
		case <-f.ctx.Done():
			return
		case <-a.end:
			return
		}
		begun := time.Now()
		_, _ = f.refresh(f.ctx, func(int, int) {}) // what fails shows in the folder
		rest := max(leastRest, restFactor*time.Since(begun))
		select {
		case <-time.After(rest):
		case <-f.ctx.Done():
			return
		case <-a.end:
			return
		}
		wait = max(f.every-rest, time.Millisecond)
	}
}

// settle waits until nothing changes any more, and reports whether to go on.
func (a *auto) settle(f *folder, wake <-chan struct{}) bool {
	for {
		select {
		case <-wake:
		case <-time.After(settleTime):
			return true
		case <-f.ctx.Done():
			return false
		case <-a.end:
			return false
		}
	}
}

// changed wakes the folders that watch what has changed.
func (a *auto) changed(paths []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.watching {
		if slices.ContainsFunc(paths, func(p string) bool { return p == w.path || strings.HasPrefix(p, w.path+"/") }) {
			select {
			case w.wake <- struct{}{}:
			default: // it is awake
			}
		}
	}
}

// leave ends the watches of a folder that is closed.
func (a *auto) leave(f *folder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watching = slices.DeleteFunc(a.watching, func(w watching) bool { return w.f == f })
	for _, path := range f.watch {
		shared := slices.ContainsFunc(a.watching, func(w watching) bool { return w.path == path })
		if a.watcher != nil && !shared && !a.closed {
			a.watcher.Remove(path)
		}
	}
}

// problems returns what cannot be watched.
func (a *auto) problems() (all []fs.Problem) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.watching {
		all = append(all, watch.Problems(a.watcher, a.failed, w.path, "changes of "+wording.Tilde(w.path, a.p.opts.Home))...)
	}
	return all
}

// close ends all refreshes, and waits for them. The folders must have been cancelled.
func (a *auto) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	close(a.end)
	a.work.Wait()
	if a.watcher != nil {
		_ = a.watcher.Close()
	}
}
