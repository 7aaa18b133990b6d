// Package zstd reads and writes data compressed with Zstandard (RFC 8878): logs
// that agents have packed, blobs in their databases, the archive.
//
// Memory is bounded whatever the data claims: a reader needs at most some 20 MB
// and starts no goroutines, and data that needs more is refused.
package zstd

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// window is the largest distance that compressed data may refer back to. The
// format requires 8 MB of every decoder, and every default level stays within
// it.
const window = 8 << 20

// ErrTooLarge reports that decompressed data is larger than allowed.
var ErrTooLarge = errors.New("decompressed data is larger than allowed")

// NewReader returns a reader that decompresses r, one or several frames. It
// does not close r. The caller must close it.
func NewReader(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r,
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return reader{d}, nil
}

// reader adds the format to its errors.
type reader struct{ d *zstd.Decoder }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.d.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("zstd: %w", err)
	}
	return n, err
}

func (r reader) Close() error {
	r.d.Close()
	return nil
}

// Decompress returns the decompressed data, at most limit bytes: the error for
// more is [ErrTooLarge].
func Decompress(data []byte, limit int) ([]byte, error) {
	r, err := NewReader(&source{data})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(out) > limit {
		return nil, fmt.Errorf("zstd: %w: %d bytes", ErrTooLarge, limit)
	}
	return out, nil
}

// source is a plain reader of bytes: for the kinds of readers that it knows,
// the library decodes in a single allocation, as large as the data claims to
// be.
type source struct{ rest []byte }

func (s *source) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Writer compresses what is written to it.
type Writer struct{ e *zstd.Encoder }

// NewWriter returns a writer of one frame to w. It does not close w. The frame
// is complete only after Close.
func NewWriter(w io.Writer) (*Writer, error) {
	e, err := zstd.NewWriter(w,
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(window))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return &Writer{e}, nil
}

// Write compresses p.
func (w *Writer) Write(p []byte) (int, error) { return w.e.Write(p) }

// Flush writes everything so far, so that a reader gets it.
func (w *Writer) Flush() error { return w.e.Flush() }

// Close ends the frame.
func (w *Writer) Close() error { return w.e.Close() }
