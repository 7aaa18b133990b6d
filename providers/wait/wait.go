// Package wait waits for what the tree knows: that a terminal prints something, that a
// server is ready, that a session of an agent asks.
//
// Each provider knows its own conditions ([Awaiter]); this package names no provider. A
// [Waiter] is told of the changes that providers announce, looks again at what is waited
// for, and polls nothing. [Op] asks it for one condition, in the background process or in
// the caller's own. What belongs to the caller and not to the tree, files and ports
// (file.go, port.go), is waited for in the caller's process only, which sees them as the
// caller does: a sandbox stays one. [Merge] (merge.go) waits for several at once, and
// [Parse] (parse.go) reads them from words.
package wait

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/await"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/watch"
)

var (
	// Op waits until a condition is met or never will be, or its caller leaves. It tells
	// how the condition stands meanwhile. That there is nothing to wait for is an answer.
	Op = fs.Talk[await.Condition, await.Standing, await.Standing]{Name: "await", Effect: fs.Reads}
	// OpKinds returns what can be waited for.
	OpKinds = fs.Op[fs.None, []await.Awaitable]{Name: "awaitable", Effect: fs.Reads}
)

// Source is a provider that offers conditions, and its folder in the root.
type Source struct {
	Folder string
	await.Awaiter
}

// Waiter waits for conditions. It is safe for concurrent use.
type Waiter struct {
	sources []Source
	hide    func(path string) bool
	log     *slog.Logger

	mu    sync.Mutex
	waits map[*waiting]struct{}
}

type waiting struct {
	folder string
	wake   chan struct{}
}

func (w *waiting) ring() {
	rounds.Tell(w.wake) // it will look anyway
}

// calm is the shortest time between two looks at a condition.
const calm = 20 * time.Millisecond

// New returns a Waiter. Hide is that of [watch.Options].
func New(hide func(path string) bool, log *slog.Logger) *Waiter {
	return &Waiter{hide: hide, log: log, waits: make(map[*waiting]struct{})}
}

// SetSources sets the providers. It is called once, before anything is waited for; changes
// may be reported before.
func (w *Waiter) SetSources(all []Source) { w.sources = all }

// Changed reports that something in the folder of a provider has changed. It never blocks.
func (w *Waiter) Changed(folder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.waits {
		if one.folder == folder {
			one.ring()
		}
	}
}

// Kinds returns what can be waited for.
func (w *Waiter) Kinds() (all []await.Awaitable) {
	for _, s := range w.sources {
		all = append(all, s.Awaits()...)
	}
	return all
}

// Knows reports whether there are conditions of a kind.
func (w *Waiter) Knows(kind string) bool { return w.source(kind) != nil }

func (w *Waiter) source(kind string) *Source {
	for i := range w.sources {
		for _, a := range w.sources[i].Awaits() {
			if a.Kind == kind {
				return &w.sources[i]
			}
		}
	}
	return nil
}

// Operations returns the operations that ask it.
func (w *Waiter) Operations() fs.Operations {
	return fs.Operations{
		Op.Handle(func(ctx context.Context, c await.Condition, tell func(await.Standing) error, reply func(await.Standing) (io.Writer, error)) error {
			s, err := w.Wait(ctx, c, func(s await.Standing) { _ = tell(s) }) // one who has left ends ctx
			if err == nil {
				_, err = reply(s)
			}
			return err
		}),
		OpKinds.Handle(func(context.Context, fs.None) ([]await.Awaitable, error) { return w.Kinds(), nil }),
	}
}

// Wait waits for a condition, and calls tell whenever it stands otherwise meanwhile. The
// error is that of ctx, or why the provider cannot look.
func (w *Waiter) Wait(ctx context.Context, c await.Condition, tell func(await.Standing)) (await.Standing, error) {
	source := w.source(c.Kind)
	if source == nil {
		return UnknownKind(c.Kind, w.Kinds()), nil
	}
	one := &waiting{folder: source.Folder, wake: make(chan struct{}, 1)}
	w.mu.Lock()
	w.waits[one] = struct{}{} // first, so that no change is missed
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.waits, one)
		w.mu.Unlock()
	}()
	p, err := source.Await(ctx, c)
	if e := (*await.AwaitError)(nil); errors.As(err, &e) {
		return await.Standing{State: e.State, What: e.What, More: e.Mend}, nil
	}
	if err != nil {
		return await.Standing{}, err
	}
	defer w.follow(p.Paths(), one).Close()
	s, err := one.until(ctx, p, func(s await.Standing) { tell(source.inTree(s)) })
	return source.inTree(s), err
}

// inTree returns a standing with its path from the root of the tree.
func (s *Source) inTree(is await.Standing) await.Standing {
	if is.Path != "" {
		is.Path = s.Folder + "/" + is.Path
	}
	return is
}

// follow rings at each change of paths on disk, until what it returns is closed.
func (w *Waiter) follow(paths []string, one *waiting) *watch.Watcher {
	if len(paths) == 0 {
		return nil
	}
	files := watch.New(watch.Options{Changed: func([]string) { one.ring() }, Hide: w.hide, Log: w.log})
	for _, path := range paths {
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			files.Add(dir)
		} else {
			files.AddFile(path)
		}
	}
	return files
}

// until checks a condition until it is decided.
func (one *waiting) until(ctx context.Context, p await.Pending, tell func(await.Standing)) (await.Standing, error) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var last await.Standing
	for first := true; ; first = false {
		s, err := p.Check(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || s.State != await.NotYet {
			return s, err
		}
		again := s.Again
		if s.Again = (time.Time{}); first || s != last {
			last = s
			tell(s)
		}
		pause := time.Hour
		if !again.IsZero() {
			pause = max(time.Until(again), calm)
		}
		timer.Reset(pause)
		select {
		case <-ctx.Done():
			return await.Standing{}, ctx.Err()
		case <-timer.C:
			continue
		case <-one.wake:
		}
		select {
		case <-ctx.Done():
			return await.Standing{}, ctx.Err()
		case <-time.After(calm): // further changes are seen together
		}
	}
}

// UnknownKind lists what can be waited for, for a kind that does not exist.
func UnknownKind(kind string, known []await.Awaitable) await.Standing {
	var kinds []string
	for _, a := range known {
		kinds = append(kinds, a.Kind)
	}
	s := await.Standing{State: await.NoSense, What: "nothing of the kind " + wording.ShellWord(kind) + " can be waited for", More: "wait for: " + wording.Or(kinds)}
	if meant := nearest.Of(kind, kinds); meant != "" {
		s.More = "did you mean: " + meant
	}
	return s
}
