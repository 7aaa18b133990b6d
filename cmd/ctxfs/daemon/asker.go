package daemon

import (
	"context"
	"errors"
	"os"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers/readonly"
)

// Running is an fs.Asker: the background process, if there is one. Its error is
// control.ErrNotRunning if no process runs, and control.ErrGone if it exits before
// it answers. If the process is just exiting, Ask waits for its successor.
type Running struct{ places.Places }

// Ask implements fs.Asker.
func (p Running) Ask(ctx context.Context, r fs.Request) error {
	var c *control.Client
	err := places.UntilServed(func() (err error) {
		c, err = p.Process().Dial(ctx)
		return err
	})
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Ask(ctx, r)
}

// Starting is an fs.Asker: the background process, which is started if necessary. A
// question is asked again if the process exits before it answers, so questions must
// be idempotent.
type Starting struct{ places.Places }

// Ask implements fs.Asker.
func (p Starting) Ask(ctx context.Context, r fs.Request) error {
	return places.UntilServed(func() error {
		c, err := p.Start(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		return c.Ask(ctx, r)
	})
}

// Fallback is an fs.Asker: the background process if there is one, else the tree in
// this process, which starts nothing and knows what configuration and caches say.
// Once the process has exited, all further questions are answered here. It is not
// safe for concurrent use.
type Fallback struct {
	offline func() *usertree.Tree
	places  places.Places
	tree    *usertree.Tree // nil while there is a process, as far as is known
}

// NewFallback returns a Fallback, whose tree in this process offline makes. Close must be
// called after the last question.
func NewFallback(p places.Places, offline func() *usertree.Tree) *Fallback {
	return &Fallback{places: p, offline: offline}
}

// Ask implements fs.Asker.
func (f *Fallback) Ask(ctx context.Context, r fs.Request) error {
	if f.tree == nil {
		err := Running{f.places}.Ask(ctx, r)
		if !errors.Is(err, control.ErrNotRunning) && !errors.Is(err, control.ErrGone) {
			return err
		}
		f.tree = f.offline()
	}
	ctx = fs.Confine(ctx, readonly.In(f.places.State).Process(os.Getpid()))
	return f.tree.Operations().Ask(ctx, r)
}

// Close ends what was started to answer.
func (f *Fallback) Close() {
	if f.tree != nil {
		f.tree.Close()
	}
}

// Offline returns the tree as configuration and caches describe it. It starts and
// watches nothing.
func Offline(p places.Places, environ func() []string, lookupEnv func(string) (string, bool)) *usertree.Tree {
	return usertree.New(usertree.Options{Places: p, Environ: environ, LookupEnv: lookupEnv, Offline: true, Hide: mounts.NewTable().Contain})
}
