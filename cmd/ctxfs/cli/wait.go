package cli

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/await"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers/wait"
)

// Waiting waits for conditions: for those of the caller in this process, for those of the
// tree in the background process or, as far as they stand in files, in this one if no such
// process runs. It is safe for concurrent use.
type Waiting struct {
	app   *App
	local *wait.Waiter
	// Note is called when the background process has ended and another one is asked.
	Note func()

	mu   sync.Mutex
	tree *usertree.Tree // the tree in this process, once it is needed
}

// Waiting returns what waits for conditions. Within is a folder outside of which no file is
// waited for, or "". The caller closes it.
func (a *App) Waiting(within string) *Waiting {
	dir, _ := a.Getwd() // without one, paths that are not absolute are not found
	if within != "" {
		dir = within
	}
	hide := mounts.NewTable().Contain
	w := &Waiting{app: a, local: wait.New(hide, slog.New(slog.DiscardHandler)), Note: func() {}}
	w.local.SetSources([]wait.Source{
		{Awaiter: wait.Files{Dir: dir, Home: a.Home, Within: within, Hide: hide}}, {Awaiter: wait.Ports{}},
	})
	return w
}

// offline returns the tree in this process.
func (w *Waiting) offline() *usertree.Tree {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tree == nil {
		w.tree = w.app.Offline()
	}
	return w.tree
}

// Close ends what was started to wait.
func (w *Waiting) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tree != nil {
		w.tree.Close()
	}
}

// Kinds returns what can be waited for.
func (w *Waiting) Kinds(ctx context.Context) []await.Awaitable {
	all, err := wait.OpKinds.Ask(ctx, w.app.OnlyRunning(), fs.None{})
	if err != nil {
		all, _ = wait.OpKinds.Ask(ctx, w.offline().Operations(), fs.None{}) // then there are those of this process
	}
	return append(all, w.local.Kinds()...)
}

// For waits for a condition, as [wait.Waiter.Wait] does. It goes on when the background
// process ends: then the next one is asked.
func (w *Waiting) For(ctx context.Context, c await.Condition, tell func(await.Standing)) (await.Standing, error) {
	if w.local.Knows(c.Kind) {
		return w.local.Wait(ctx, c, tell)
	}
	start := false
	for {
		s, err := w.ask(ctx, start, c, tell)
		switch {
		case ctx.Err() != nil:
			return s, ctx.Err()
		case errors.Is(err, control.ErrGone):
			w.Note()
		case err == nil && s.State == await.NeedsProcess && !start:
			start = true
		case err == nil && s.State == await.NoSense && !w.knows(ctx, c.Kind):
			kinds := w.Kinds(ctx)
			return wait.UnknownKind(c.Kind, kinds), nil
		default:
			return s, err
		}
	}
}

// knows reports whether the tree has conditions of a kind.
func (w *Waiting) knows(ctx context.Context, kind string) bool {
	return slices.ContainsFunc(w.Kinds(ctx), func(k await.Awaitable) bool { return k.Kind == kind })
}

// ask asks the background process, which is started if it must be there, or else the tree
// in this process.
func (w *Waiting) ask(ctx context.Context, start bool, c await.Condition, tell func(await.Standing)) (await.Standing, error) {
	if start {
		return wait.Op.Ask(ctx, w.app.Starting(), c, tell, nil)
	}
	s, err := wait.Op.Ask(ctx, w.app.OnlyRunning(), c, tell, nil)
	if errors.Is(err, control.ErrNotRunning) {
		return wait.Op.Ask(ctx, w.offline().Operations(), c, tell, nil)
	}
	return s, err
}
