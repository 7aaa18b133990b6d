package fs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// DefaultDeadline bounds one operation of a node.
const DefaultDeadline = 10 * time.Second

// TreeOptions are the settings of a tree. The zero value is good.
type TreeOptions struct {
	// Deadline bounds every operation on a node that is not [Patient]; 0
	// means DefaultDeadline.
	Deadline time.Duration
	// Confined returns what confines a process, by its ID, 0 if that is not known; nil if
	// nothing does. A nil Confined confines none.
	Confined func(pid int) *Confined
	// Settled returns when everything that was noticed before the call has reached the
	// root: what providers took in, and what is derived from that; see [Settler]. Nil
	// means that it always has.
	Settled func(ctx context.Context) error
}

// Counters count operations since the tree was made.
type Counters struct {
	Attrs, Lookups, Lists, Reads, Measures, Creates, Panics, Timeouts uint64
}

// Tree wraps a root folder: every operation has a deadline and ends with its
// context, a panic is an error of that operation alone, changes reach all
// subscribers. It is safe for concurrent use.
type Tree struct {
	root Dir
	opts TreeOptions

	attrs, lookups, lists, reads, measures, creates, panics, timeouts atomic.Uint64
	written                                                           atomic.Int64 // bytes in all drafts

	mu          sync.Mutex
	subscribers map[int]Subscriber
	next        int
}

// Subscriber follows the changes of a tree.
type Subscriber struct {
	// Changed is called with the path of every change. It must only enqueue.
	Changed func(path string)
	// Settled returns when every change that was announced before the call is
	// shown; nil if Changed shows it at once. It ends with ctx.
	Settled func(ctx context.Context) error
}

// NewTree returns a tree with that root.
func NewTree(root Dir, opts TreeOptions) *Tree {
	opts.Deadline = cmp.Or(opts.Deadline, DefaultDeadline)
	if opts.Confined == nil {
		opts.Confined = func(int) *Confined { return nil }
	}
	if opts.Settled == nil {
		opts.Settled = func(context.Context) error { return nil }
	}
	return &Tree{root: root, opts: opts, subscribers: make(map[int]Subscriber)}
}

// Root returns the folder at the top.
func (t *Tree) Root() Dir { return t.root }

// Counters returns the current counts.
func (t *Tree) Counters() Counters {
	return Counters{
		Attrs: t.attrs.Load(), Lookups: t.lookups.Load(), Lists: t.lists.Load(), Reads: t.reads.Load(),
		Measures: t.measures.Load(), Creates: t.creates.Load(), Panics: t.panics.Load(), Timeouts: t.timeouts.Load(),
	}
}

// Subscribe tells s of every change, until the returned function is called.
func (t *Tree) Subscribe(s Subscriber) (cancel func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.next
	t.next++
	t.subscribers[id] = s
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.subscribers, id)
	}
}

// Changed notifies all subscribers that the node at path, or anything below it,
// was added, removed or changed.
func (t *Tree) Changed(path string) {
	path = strings.Trim(path, "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.subscribers {
		s.Changed(path)
	}
}

// Settled returns when everything that was noticed before the call is shown: the sources
// of all providers first, then what is derived from them, then every view. Pauses that only
// collect changes are cut short. It waits for no server, no program and no later event, and
// ends with ctx, since a notification of the kernel may wait for a reader.
func (t *Tree) Settled(ctx context.Context) error {
	if err := t.opts.Settled(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	all := slices.Collect(maps.Values(t.subscribers))
	t.mu.Unlock()
	for _, s := range all {
		if s.Settled == nil {
			continue
		}
		if err := s.Settled(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Attr returns a node's Attr; the size may be SizeOnDemand.
func (t *Tree) Attr(ctx context.Context, n Node) (Attr, error) {
	t.attrs.Add(1)
	return call(ctx, t, n, n.Attr)
}

// Stat returns a node's Attr with the exact size.
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

// Lookup looks up one name in a folder.
func (t *Tree) Lookup(ctx context.Context, d Dir, name string) (Node, error) {
	t.lookups.Add(1)
	return call(ctx, t, d, func(ctx context.Context) (Node, error) { return d.Lookup(ctx, name) })
}

// List lists a folder. The slice is shared and must not be modified.
func (t *Tree) List(ctx context.Context, d Dir) ([]Entry, error) {
	t.lists.Add(1)
	return call(ctx, t, d, d.List)
}

// ReadAt reads from a file, as [File.ReadAt] does. P is not written to after it
// has returned, even if the provider is still working.
func (t *Tree) ReadAt(ctx context.Context, f File, p []byte, off int64) (int, error) {
	t.reads.Add(1)
	if isPrompt(f) {
		n := 0
		err := t.guard(func() (err error) {
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

// Target returns the target of a link.
func (t *Tree) Target(ctx context.Context, l Link) (string, error) { return call(ctx, t, l, l.Target) }

// Create creates a file in an inbox, as [Inbox.Create] does, for a program at from: what
// confines it is determined here. A piece that would have all drafts hold too much together
// is refused as ENOSPC.
func (t *Tree) Create(ctx context.Context, inbox Inbox, name string, from Standpoint) (Draft, error) {
	t.creates.Add(1)
	from.Confined = t.opts.Confined(from.PID)
	d, err := call(ctx, t, inbox, func(ctx context.Context) (Draft, error) { return inbox.Create(ctx, name, from) })
	if err != nil {
		return nil, err
	}
	return &countedDraft{Draft: d, all: &t.written}, nil
}

// maxWritten is how much all drafts of a tree hold in memory together, in bytes: the longest
// body that an inbox takes, and as much again for the others.
const maxWritten = 128 << 20

// countedDraft is a draft whose bytes count among those of all drafts until it is abandoned:
// also a body that was taken is kept so long.
type countedDraft struct {
	Draft
	all *atomic.Int64
	own atomic.Int64
}

// Write implements Draft.
func (d *countedDraft) Write(ctx context.Context, p []byte, off int64) (int, error) {
	n := int64(len(p))
	if d.all.Add(n) > maxWritten {
		d.all.Add(-n)
		return 0, fmt.Errorf("%w: files that are being written to inboxes have %d bytes together", syscall.ENOSPC, maxWritten)
	}
	d.own.Add(n)
	done, err := d.Draft.Write(ctx, p, off)
	if err != nil {
		d.own.Add(-n)
		d.all.Add(-n)
	}
	return done, err
}

// Abandon implements Draft.
func (d *countedDraft) Abandon() {
	defer func() { d.all.Add(-d.own.Swap(0)) }()
	d.Draft.Abandon()
}

// Resolve returns the node at a path with slashes; "" and "." are the root.
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

// Write writes a piece of a body to a draft, as [Draft.Write] does. It cannot be
// interrupted: a piece that completes the body starts something, and the writer
// must learn the outcome.
func (t *Tree) Write(ctx context.Context, inbox Inbox, d Draft, p []byte, off int64) (int, error) {
	own := bytes.Clone(p) // the caller's bytes are gone once it returns
	return call(context.WithoutCancel(ctx), t, inbox, func(ctx context.Context) (int, error) {
		return d.Write(ctx, own, off)
	})
}

// Abandon reports that nothing more will be written to a draft, as
// [Draft.Abandon] does.
func (t *Tree) Abandon(inbox Inbox, d Draft) {
	_, _ = call(context.Background(), t, inbox, func(context.Context) (struct{}, error) {
		d.Abandon()
		return struct{}{}, nil
	})
}

// Found is the result of [Tree.Find] for one name.
type Found struct {
	Node Node
	Attr Attr // the size may be SizeOnDemand
	Err  error
}

// attrFinder is a Dir that looks up a name and its Attr at the cost of one of
// the two.
type attrFinder interface {
	find(name string) (Node, Attr, error)
}

// Find looks up names in a folder, with the Attr of each. Everything that may wait
// is one operation: if that does not end in time, its error is the result for every
// name from the first slow one on. The results are in the order of the names.
func (t *Tree) Find(ctx context.Context, d Dir, names ...string) []Found {
	t.lookups.Add(uint64(len(names)))
	t.attrs.Add(uint64(len(names)))
	found := make([]Found, 0, len(names))
	if isPrompt(d) {
		for _, name := range names {
			f, slow := t.find(ctx, d, name, false)
			if slow {
				break
			}
			found = append(found, f)
		}
	}
	names = names[len(found):]
	if len(names) == 0 {
		return found
	}
	rest, err := await(ctx, t, d, func(ctx context.Context) ([]Found, error) {
		rest := make([]Found, 0, len(names))
		for _, name := range names {
			if ctx.Err() != nil {
				return nil, ContextError(ctx)
			}
			f, _ := t.find(ctx, d, name, true)
			rest = append(rest, f)
		}
		return rest, nil
	})
	if err != nil {
		for range names {
			found = append(found, Found{Err: err})
		}
	}
	return append(found, rest...)
}

// find looks up one name. A panic becomes that name's error. If wait is false, it
// calls only prompt nodes, and reports another one as slow.
func (t *Tree) find(ctx context.Context, d Dir, name string, wait bool) (f Found, slow bool) {
	f.Err = t.guard(func() (err error) {
		if d, ok := d.(attrFinder); ok {
			f.Node, f.Attr, err = d.find(name)
			return err
		}
		if f.Node, err = d.Lookup(ctx, name); err != nil {
			return err
		}
		if slow = !wait && !isPrompt(f.Node); slow {
			return nil
		}
		f.Attr, err = f.Node.Attr(ctx)
		return err
	})
	return f, slow
}
