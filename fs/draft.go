package fs

import (
	"bytes"
	"context"
)

// Write hands a piece of a body to a draft, as [Draft.Write] does. It is not
// interrupted: a piece that completes the body starts something, and the
// writer must learn what became of it.
func (t *Tree) Write(ctx context.Context, inbox Inbox, d Draft, p []byte, off int64) (int, error) {
	own := bytes.Clone(p) // the caller's bytes are gone once it returns
	return call(context.WithoutCancel(ctx), t, inbox, func(ctx context.Context) (int, error) {
		return d.Write(ctx, own, off)
	})
}

// Abandon says that nobody can write to a draft any more, as [Draft.Abandon]
// does.
func (t *Tree) Abandon(inbox Inbox, d Draft) {
	_, _ = call(context.Background(), t, inbox, func(context.Context) (struct{}, error) {
		d.Abandon()
		return struct{}{}, nil
	})
}
