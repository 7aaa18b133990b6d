package drop

import (
	"context"
	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"fmt"
	"sync"
	"time"
)

// result is the file <name>.result of a [Folder]: the outcome of a request. Until
// the outcome is there its size is SizeOnDemand, and only Measure waits for it. A
// read does not wait, because a kernel does not interrupt reads: before the
// outcome it fails, so that nothing caches bytes that this version does not have.
// A program that asks for the size first, as all do, never sees that error.
type result struct {
	name     string // of the request, without the extension
	version  uint64
	patience time.Duration
	finished chan struct{}

	mu      sync.Mutex
	modTime time.Time
	body    []byte
}

var (
	_ fs.Measurer = (*result)(nil)
	_ fs.Patient  = (*result)(nil)
)

// publish makes the outcome visible, once.
func (r *result) publish(t time.Time, body []byte) {
	r.mu.Lock()
	r.modTime, r.body = t, body
	r.mu.Unlock()
	close(r.finished)
}

func (r *result) isFinished() bool { return rounds.IsClosed(r.finished) }

func (r *result) doneAt() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.modTime
}

// Attr implements Node.
func (r *result) Attr(context.Context) (fs.Attr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := fs.Attr{Mode: 0o444, Size: fs.SizeOnDemand, ModTime: r.modTime, Version: r.version}
	if r.body != nil {
		a.Size = int64(len(r.body))
	}
	return a, nil
}

// Measure implements Measurer: it waits for the outcome.
func (r *result) Measure(ctx context.Context) (fs.Attr, error) {
	select {
	case <-r.finished:
		return r.Attr(ctx)
	case <-ctx.Done():
		return fs.Attr{}, fs.ContextError(ctx)
	}
}

// ReadAt implements File.
func (r *result) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	r.mu.Lock()
	body := r.body
	r.mu.Unlock()
	if body == nil {
		return 0, fmt.Errorf("%w: the outcome of %s is not there yet", fs.ErrTimeout, r.name)
	}
	return fs.NewText(time.Time{}, body).ReadAt(ctx, p, off)
}

// Patience implements Patient: as long as the work may take.
func (r *result) Patience() time.Duration { return r.patience }
