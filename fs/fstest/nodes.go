package fstest

import (
	"context"
	"io"
	iofs "io/fs"
	"sync"
	"time"

	"sync/atomic"

	"ctxfs/fs"
)

// Hanging is a fault that nodes share: their operations hang until they are
// released. They ignore their contexts unless HeedContext is set.
type Hanging struct {
	// HeedContext ends the operations with their contexts.
	HeedContext bool

	arrived  chan struct{}
	released chan struct{}
	once     sync.Once
}

// NewHanging returns a fault whose nodes hang until Release.
func NewHanging() *Hanging {
	return &Hanging{arrived: make(chan struct{}, 1<<16), released: make(chan struct{})}
}

// Arrived receives a value for each operation that has started to hang.
func (h *Hanging) Arrived() <-chan struct{} { return h.arrived }

// Release ends the hanging, also of operations to come.
func (h *Hanging) Release() { h.once.Do(func() { close(h.released) }) }

func (h *Hanging) hang(ctx context.Context) error {
	h.arrived <- struct{}{}
	var left <-chan struct{}
	if h.HeedContext {
		left = ctx.Done()
	}
	select {
	case <-h.released:
		return nil
	case <-left:
		return ctx.Err()
	}
}

// File returns a file of that size, all zero bytes, whose reads hang. Its
// Attr answers.
func (h *Hanging) File(t time.Time, size int64) fs.File {
	return &hangingFile{h, fs.Attr{Mode: 0o444, Size: size, ModTime: t, Version: 1}}
}

// Dir returns an empty folder whose lookups and lists hang. Its Attr answers.
func (h *Hanging) Dir(t time.Time) fs.Dir {
	return &hangingDir{h, fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: t}}
}

type hangingFile struct {
	fault *Hanging
	attr  fs.Attr
}

func (f *hangingFile) Attr(context.Context) (fs.Attr, error) { return f.attr, nil }

func (f *hangingFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := f.fault.hang(ctx); err != nil {
		return 0, err
	}
	n := max(0, min(int64(len(p)), f.attr.Size-off))
	clear(p[:n])
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

type hangingDir struct {
	fault *Hanging
	attr  fs.Attr
}

func (d *hangingDir) Attr(context.Context) (fs.Attr, error) { return d.attr, nil }

func (d *hangingDir) Lookup(ctx context.Context, _ string) (fs.Node, error) {
	if err := d.fault.hang(ctx); err != nil {
		return nil, err
	}
	return nil, fs.ErrNotExist
}

func (d *hangingDir) List(ctx context.Context) ([]fs.Entry, error) {
	return nil, d.fault.hang(ctx)
}

// PanickingFile returns a file whose Attr answers and whose reads panic.
func PanickingFile(t time.Time) fs.File { return panickingFile{t} }

// PanickingDir returns a folder whose Attr answers and whose lookups and lists
// panic.
func PanickingDir(t time.Time) fs.Dir { return panickingDir{t} }

type panickingFile struct{ modTime time.Time }

func (f panickingFile) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: 0o444, Size: 1, ModTime: f.modTime, Version: 1}, nil
}

func (panickingFile) ReadAt(context.Context, []byte, int64) (int, error) {
	panic("this file panics")
}

type panickingDir struct{ modTime time.Time }

func (d panickingDir) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: d.modTime}, nil
}

func (panickingDir) Lookup(context.Context, string) (fs.Node, error) { panic("this folder panics") }
func (panickingDir) List(context.Context) ([]fs.Entry, error)        { panic("this folder panics") }

// CountingFile is a file rendered on demand that counts what it is asked.
type CountingFile struct {
	*fs.Rendered
	// Attrs, Measures and Reads count the operations, Renders how often the
	// bytes were made.
	Attrs, Measures, Reads, Renders atomic.Int64
}

// NewCountingFile returns a file with these bytes.
func NewCountingFile(t time.Time, body []byte) *CountingFile {
	f := new(CountingFile)
	f.Rendered = fs.NewRendered(t, fs.BytesVersion(body), func(context.Context) ([]byte, error) {
		f.Renders.Add(1)
		return body, nil
	})
	return f
}

// Attr implements fs.Node.
func (f *CountingFile) Attr(ctx context.Context) (fs.Attr, error) {
	f.Attrs.Add(1)
	return f.Rendered.Attr(ctx)
}

// Measure implements fs.Measurer.
func (f *CountingFile) Measure(ctx context.Context) (fs.Attr, error) {
	f.Measures.Add(1)
	return f.Rendered.Measure(ctx)
}

// ReadAt implements fs.File.
func (f *CountingFile) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	f.Reads.Add(1)
	return f.Rendered.ReadAt(ctx, p, off)
}
