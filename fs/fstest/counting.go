package fstest

import (
	"context"
	"sync/atomic"
	"time"

	"ctxfs/fs"
)

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
