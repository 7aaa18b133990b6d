package exec

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/watch"
)

// auto refreshes folders by themselves: at intervals, and when what they watch changes.
type auto struct {
	p *Provider

	mu        sync.Mutex
	watcher   *watch.Watcher // nil if nothing is watched
	following []following
	closed    bool
}

// following is a folder that is refreshed.
type following struct {
	f      *folder
	worker *rounds.Worker
}

// The times of refreshes. Whatever writes to what is watched, as the commands themselves may,
// a folder rests for a multiple of the time that its refresh took.
const (
	settleTime = 300 * time.Millisecond // after a change
	leastRest  = 2 * time.Second
	restFactor = 10
)

// follow refreshes a folder from now on, until it is closed. It is called once for each.
func (a *auto) follow(f *folder) {
	if f.every == 0 && len(f.watch) == 0 {
		return
	}
	opts := rounds.Options{
		Round:  func(context.Context) { _, _ = f.refresh(f.ctx, func(int, int) {}) }, // what fails shows in the folder
		Gather: settleTime, Rest: leastRest, Share: restFactor,
	}
	if f.every > 0 {
		opts.Most = func() time.Duration {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.every - a.p.opts.Env.Now().Sub(f.refreshed.Ran)
		}
	}
	one := following{f, rounds.NewWorker(opts)}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.following = append(a.following, one)
	for _, path := range f.watch {
		a.watch(path)
	}
	if len(f.watch) > 0 {
		one.worker.Poke() // what it watches may have changed before
	}
	one.worker.Start()
	context.AfterFunc(f.ctx, func() { a.leave(one) })
}

// watch watches a path. The caller holds mu.
func (a *auto) watch(path string) {
	if a.watcher == nil {
		a.watcher = watch.New(watch.Options{Changed: a.changed, Hide: a.p.opts.Hide, Log: a.p.opts.Env.Log})
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		a.watcher.Add(path)
	} else {
		a.watcher.AddFile(path)
	}
}

// changed wakes the folders that watch what has changed.
func (a *auto) changed(paths []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.following {
		if slices.ContainsFunc(one.f.watch, func(path string) bool {
			return slices.ContainsFunc(paths, func(p string) bool { return p == path || strings.HasPrefix(p, path+"/") })
		}) {
			one.worker.Poke()
		}
	}
}

// leave ends the refreshes and watches of a folder that is closed.
func (a *auto) leave(gone following) {
	gone.worker.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.following = slices.DeleteFunc(a.following, func(one following) bool { return one == gone })
	for _, path := range gone.f.watch {
		shared := slices.ContainsFunc(a.following, func(one following) bool { return slices.Contains(one.f.watch, path) })
		if !shared && !a.closed {
			a.watcher.Remove(path)
		}
	}
}

// noticed returns when what has changed before the call has woken who watches it.
func (a *auto) noticed(ctx context.Context) error {
	a.mu.Lock()
	watcher := a.watcher
	a.mu.Unlock()
	return watcher.Settled(ctx)
}

// problems returns what cannot be watched.
func (a *auto) problems() (all []fs.Problem) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.following {
		for _, path := range one.f.watch {
			all = append(all, watch.Problems(a.watcher, path, "changes of "+wording.Tilde(path, a.p.opts.Home))...)
		}
	}
	return all
}

// close ends all refreshes, and waits for them. The folders must have been cancelled.
func (a *auto) close() {
	a.mu.Lock()
	a.closed = true
	following := slices.Clone(a.following)
	a.mu.Unlock()
	for _, one := range following {
		one.worker.Close()
	}
	_ = a.watcher.Close()
}
