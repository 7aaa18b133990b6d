package fs

import (
	"context"
	"hash/fnv"
	"io"
	iofs "io/fs"
	"time"
)

// Text is a file whose bytes are in memory and never change. A change is a
// new Text in its folder.
type Text struct {
	body    []byte
	modTime time.Time
	version uint64
	perm    iofs.FileMode
}

// NewText returns a read-only file. The bytes are not copied and must not be
// written to again. The version is made of the bytes, so that a Text made
// again from the same facts is the same file to all who know it.
func NewText(t time.Time, body []byte) *Text {
	return &Text{body: body, modTime: t, version: BytesVersion(body), perm: 0o444}
}

// NewScript is NewText for an executable.
func NewScript(t time.Time, body []byte) *Text {
	f := NewText(t, body)
	f.perm = 0o555
	return f
}

// BytesVersion makes a version of a file's bytes.
func BytesVersion(body []byte) uint64 {
	h := fnv.New64a()
	h.Write(body)
	return h.Sum64()
}

// Attr implements Node.
func (f *Text) Attr(context.Context) (Attr, error) {
	return Attr{Mode: f.perm, Size: int64(len(f.body)), ModTime: f.modTime, Version: f.version}, nil
}

// ReadAt implements File.
func (f *Text) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	return readBytesAt(f.body, p, off)
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
