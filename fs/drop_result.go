package fs

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// result is the file <name>.result of a [Drop]: the outcome of a request. Until
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
	_ Measurer = (*result)(nil)
	_ Patient  = (*result)(nil)
)

// publish makes the outcome visible, once.
func (r *result) publish(t time.Time, body []byte) {
	r.mu.Lock()
	r.modTime, r.body = t, body
	r.mu.Unlock()
	close(r.finished)
}

func (r *result) isFinished() bool {
	select {
	case <-r.finished:
		return true
	default:
		return false
	}
}

func (r *result) doneAt() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.modTime
}

// Attr implements Node.
func (r *result) Attr(context.Context) (Attr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := Attr{Mode: 0o444, Size: SizeOnDemand, ModTime: r.modTime, Version: r.version}
	if r.body != nil {
		a.Size = int64(len(r.body))
	}
	return a, nil
}

// Measure implements Measurer: it waits for the outcome.
func (r *result) Measure(ctx context.Context) (Attr, error) {
	select {
	case <-r.finished:
		return r.Attr(ctx)
	case <-ctx.Done():
		return Attr{}, contextError(ctx)
	}
}

// ReadAt implements File.
func (r *result) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	r.mu.Lock()
	body := r.body
	r.mu.Unlock()
	if body == nil {
		return 0, fmt.Errorf("%w: the outcome of %s is not there yet", ErrTimeout, r.name)
	}
	return readBytesAt(body, p, off)
}

// Patience implements Patient: as long as the work may take.
func (r *result) Patience() time.Duration { return r.patience }
