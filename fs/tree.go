package fs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultDeadline is how long a provider may take to answer one operation.
const DefaultDeadline = 10 * time.Second

// TreeOptions are the settings of a tree. The zero value is good.
type TreeOptions struct {
	// Deadline bounds every operation on a node that is not [Patient]; 0
	// means DefaultDeadline.
	Deadline time.Duration
	// Log is told of panics; nil means slog.Default().
	Log *slog.Logger
}

// Counters count operations since the tree was made.
type Counters struct {
	Attrs, Lookups, Lists, Reads, Measures, Creates, Panics, Timeouts uint64
}

// Tree is a root folder with manners: every operation has a deadline and can
// be left, a panic is an error of that operation alone, changes reach all
// subscribers. It is safe for concurrent use.
type Tree struct {
	root     Dir
	deadline time.Duration
	log      *slog.Logger

	attrs, lookups, lists, reads, measures, creates, panics, timeouts atomic.Uint64

	mu          sync.Mutex
	subscribers map[int]func(path string)
	next        int
}

// NewTree returns the tree below root.
func NewTree(root Dir, opts TreeOptions) *Tree {
	if opts.Deadline == 0 {
		opts.Deadline = DefaultDeadline
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	return &Tree{root: root, deadline: opts.Deadline, log: opts.Log, subscribers: make(map[int]func(string))}
}

// Root is the folder at the top.
func (t *Tree) Root() Dir { return t.root }

// Counters returns the present counts.
func (t *Tree) Counters() Counters {
	return Counters{
		Attrs: t.attrs.Load(), Lookups: t.lookups.Load(), Lists: t.lists.Load(), Reads: t.reads.Load(),
		Measures: t.measures.Load(), Creates: t.creates.Load(), Panics: t.panics.Load(), Timeouts: t.timeouts.Load(),
	}
}

// Subscribe has notify called with the path of every change, until the
// returned function is called. Notify must only enqueue.
func (t *Tree) Subscribe(notify func(path string)) (cancel func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.next
	t.next++
	t.subscribers[id] = notify
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.subscribers, id)
	}
}

// Changed tells all subscribers that the node at path was added, removed or
// changed, or anything below it.
func (t *Tree) Changed(path string) {
	path = strings.Trim(path, "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, notify := range t.subscribers {
		notify(path)
	}
}

// Attr is the node's Attr; the size may be SizeOnDemand.
func (t *Tree) Attr(ctx context.Context, n Node) (Attr, error) {
	t.attrs.Add(1)
	return call(ctx, t, n, n.Attr)
}

// Stat is Attr with an exact size.
func (t *Tree) Stat(ctx context.Context, n Node) (Attr, error) {
	a, err := t.Attr(ctx, n)
	if err != nil || a.Size != SizeOnDemand {
		return a, err
	}
	m, ok := n.(Measurer)
	if !ok {
		return Attr{}, fmt.Errorf("%w: %T has no size and no Measure", ErrBroken, n)
	}
	t.measures.Add(1)
	return call(ctx, t, n, m.Measure)
}

// Lookup finds one name in a folder.
func (t *Tree) Lookup(ctx context.Context, d Dir, name string) (Node, error) {
	t.lookups.Add(1)
	return call(ctx, t, d, func(ctx context.Context) (Node, error) { return d.Lookup(ctx, name) })
}

// List lists a folder. The slice is shared: do not write to it.
func (t *Tree) List(ctx context.Context, d Dir) ([]Entry, error) {
	t.lists.Add(1)
	return call(ctx, t, d, d.List)
}

// ReadAt reads from a file, as [File.ReadAt] does. P is not written to after
// it returned, even where the provider still works.
func (t *Tree) ReadAt(ctx context.Context, f File, p []byte, off int64) (int, error) {
	t.reads.Add(1)
	if isPrompt(f) {
		n := 0
		err := t.guard(f, func() (err error) {
			n, err = f.ReadAt(ctx, p, off)
			return err
		})
		return n, err
	}
	body, err := call(ctx, t, f, func(ctx context.Context) ([]byte, error) {
		own := make([]byte, len(p))
		n, err := f.ReadAt(ctx, own, off)
		return own[:n], err
	})
	return copy(p, body), err
}

// Target reads a link.
func (t *Tree) Target(ctx context.Context, l Link) (string, error) {
	return call(ctx, t, l, l.Target)
}

// Create begins a new file in an inbox.
func (t *Tree) Create(ctx context.Context, inbox Inbox, name string) (Draft, error) {
	t.creates.Add(1)
	return call(ctx, t, inbox, func(ctx context.Context) (Draft, error) { return inbox.Create(ctx, name) })
}

// Resolve finds the node at a path with slashes; "" and "." are the root.
// Errors are *io/fs.PathError.
func (t *Tree) Resolve(ctx context.Context, path string) (Node, error) {
	var n Node = t.root
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		d, ok := n.(Dir)
		if !ok {
			return nil, pathError("lookup", path, ErrNotDir)
		}
		var err error
		if n, err = t.Lookup(ctx, d, name); err != nil {
			return nil, pathError("lookup", path, err)
		}
	}
	return n, nil
}

// ReadAll reads a whole file. It is for small files: the body is in memory.
func (t *Tree) ReadAll(ctx context.Context, f File) ([]byte, error) {
	a, err := t.Stat(ctx, f)
	if err != nil {
		return nil, err
	}
	body := make([]byte, a.Size)
	n, err := t.ReadAt(ctx, f, body, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return body[:n], err
}

type outcome[T any] struct {
	value T
	err   error
}

// patience is how long an operation is still waited for whose caller has left.
// Signals that mean nothing, such as those with which Go programs preempt
// themselves, interrupt a request to a kernel too, and must not fail what takes
// a microsecond.
const patience = 20 * time.Millisecond

// call runs one operation of a node. It returns when the operation does, or
// when the caller has left or the deadline ends, whichever is first; the
// operation then ends by itself, unheard.
func call[T any](ctx context.Context, t *Tree, n Node, op func(context.Context) (T, error)) (T, error) {
	if isPrompt(n) {
		var value T
		err := t.guard(n, func() (err error) {
			value, err = op(ctx)
			return err
		})
		return value, err
	}
	return await(ctx, t, n, op)
}

// await is call for an operation that may be slow whatever the node.
func await[T any](ctx context.Context, t *Tree, n Node, op func(context.Context) (T, error)) (T, error) {
	var zero T
	if ctx.Err() != nil {
		return zero, contextError(ctx)
	}
	deadline := t.deadline
	if p, ok := n.(Patient); ok {
		deadline = p.Patience()
	}
	// The operation's context does not follow the caller's by itself: this
	// function does that, which saves a goroutine.
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadline)
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		o.err = t.guard(n, func() (err error) {
			o.value, err = op(own)
			return err
		})
		done <- o
	}()
	defer cancel()
	ended := own
	select {
	case o := <-done:
		return o.value, o.err
	case <-own.Done():
	case <-ctx.Done():
		ended = ctx
		moment := time.NewTimer(patience)
		defer moment.Stop()
		select {
		case o := <-done:
			return o.value, o.err
		case <-moment.C:
		}
	}
	err := contextError(ended)
	if errors.Is(err, ErrTimeout) {
		t.timeouts.Add(1)
	}
	return zero, err
}

// guard runs an operation of a node and logs its panic.
func (t *Tree) guard(n Node, f func() error) error {
	err := guard(f)
	if p := (*panicError)(nil); errors.As(err, &p) {
		t.panics.Add(1)
		t.log.Error("a provider panicked", "node", fmt.Sprintf("%T", n), "panic", p.value, "stack", string(p.stack))
	}
	return err
}

type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("%v: %v", ErrBroken, e.value) }
func (e *panicError) Unwrap() error { return ErrBroken }

// guard runs f and turns a panic into an error that is ErrBroken.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{value: v, stack: debug.Stack()}
		}
	}()
	return f()
}
