package fs

import (
	"context"
	"hash/fnv"
	"io"
	iofs "io/fs"
	"sync"
	"time"
)

// Text is a file whose bytes are in memory and never change. To change it, put a
// new Text into its folder.
type Text struct {
	parts   [][]byte // what it is put together of
	size    int64
	modTime time.Time
	version uint64
	perm    iofs.FileMode
}

// NewText returns a read-only file of some parts, one after the other. The bytes are
// not copied and must not be modified. The version is a hash of the bytes, so that a
// Text made again from the same facts is the same file to everything that has cached
// it.
func NewText(t time.Time, parts ...[]byte) *Text {
	f := &Text{parts: parts, modTime: t, version: BytesVersion(parts...), perm: 0o444}
	for _, p := range parts {
		f.size += int64(len(p))
	}
	return f
}

// NewScript returns a Text that is executable.
func NewScript(t time.Time, body []byte) *Text {
	f := NewText(t, body)
	f.perm = 0o555
	return f
}

// BytesVersion returns a version for a file's bytes, which may be in parts: their FNV-1a
// hash, which stays the same in all versions of the program.
func BytesVersion(parts ...[]byte) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum64()
}

// Attr implements Node.
func (f *Text) Attr(context.Context) (Attr, error) {
	return Attr{Mode: f.perm, Size: f.size, ModTime: f.modTime, Version: f.version}, nil
}

// ReadAt implements File.
func (f *Text) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, ErrInvalid
	}
	n := 0
	for _, part := range f.parts {
		if off < int64(len(part)) {
			n += copy(p[n:], part[off:])
		}
		off = max(0, off-int64(len(part)))
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *Text) prompt() bool { return true }

func readBytesAt(body, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, ErrInvalid
	}
	if off >= int64(len(body)) {
		return 0, io.EOF
	}
	n := copy(p, body[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Rendered is a file made on demand: listed without cost, rendered once when its
// size or its bytes are first asked for. To change it, put a new Rendered with
// another version into its folder. Through a mount, a program that has the kernel
// send the file (sendfile, splice) before any program asked for its size sees an
// empty one; of common tools only busybox cat is known to do so.
type Rendered struct {
	modTime time.Time
	version uint64
	render  func(context.Context) ([]byte, error)

	mu      sync.Mutex
	body    []byte
	done    bool
	running *rendering
}

type rendering struct {
	finished chan struct{}
	err      error
}

// NewRendered returns a file of that version whose bytes render returns. Render
// must return the same bytes whenever it is called. It is called once for all
// concurrent readers, with a context that outlives any one of them. All of them
// get its error, and the next reader calls it again.
func NewRendered(t time.Time, version uint64, render func(context.Context) ([]byte, error)) *Rendered {
	return &Rendered{modTime: t, version: version, render: render}
}

// Attr implements Node: until the file is rendered its size is SizeOnDemand.
func (f *Rendered) Attr(context.Context) (Attr, error) {
	a := Attr{Mode: 0o444, Size: SizeOnDemand, ModTime: f.modTime, Version: f.version}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		a.Size = int64(len(f.body))
	}
	return a, nil
}

// Measure implements Measurer.
func (f *Rendered) Measure(ctx context.Context) (Attr, error) {
	if _, err := f.bytes(ctx); err != nil {
		return Attr{}, err
	}
	return f.Attr(ctx)
}

// ReadAt implements File.
func (f *Rendered) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	body, err := f.bytes(ctx)
	if err != nil {
		return 0, err
	}
	return readBytesAt(body, p, off)
}

func (f *Rendered) bytes(ctx context.Context) ([]byte, error) {
	f.mu.Lock()
	if f.done {
		defer f.mu.Unlock()
		return f.body, nil
	}
	r := f.running
	if r == nil {
		r = &rendering{finished: make(chan struct{})}
		f.running = r
		go f.run(context.WithoutCancel(ctx), r)
	}
	f.mu.Unlock()

	select {
	case <-r.finished:
	case <-ctx.Done():
		return nil, ContextError(ctx)
	}
	if r.err != nil {
		return nil, r.err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.body, nil
}

func (f *Rendered) run(ctx context.Context, r *rendering) {
	var body []byte
	err := Guard(func() (err error) {
		body, err = f.render(ctx)
		return err
	})
	f.mu.Lock()
	f.running = nil
	if r.err = err; err == nil {
		f.body, f.done = body, true
	}
	f.mu.Unlock()
	close(r.finished)
}

// PathLink is a symbolic link that never changes. To change it, put another one into its
// folder.
type PathLink struct {
	target  string
	modTime time.Time
}

// NewLink returns a link to a target. Another place in the tree is told from the folder of
// the link, since the tree may be shown anywhere. What is there is not looked at.
func NewLink(t time.Time, target string) *PathLink { return &PathLink{target, t} }

// Attr implements Node.
func (l *PathLink) Attr(context.Context) (Attr, error) {
	return Attr{Mode: iofs.ModeSymlink | 0o777, Size: int64(len(l.target)), ModTime: l.modTime, Version: BytesVersion([]byte(l.target))}, nil
}

// Target implements Link.
func (l *PathLink) Target(context.Context) (string, error) { return l.target, nil }
