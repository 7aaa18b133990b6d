package fstest

import (
	"bytes"
	"context"
	"errors"
	"io"

	"ctxfs/fs"
)

// file checks sizes, versions and reads.
func (c *checker) file(at string, f fs.File, a fs.Attr) {
	if !a.Mode.IsRegular() {
		c.errorf("%s: a file of mode %v", shown(at), a.Mode)
	}
	before, err := c.tree.Stat(c.ctx, f)
	if err != nil {
		c.errorf("%s: stat: %v", shown(at), err)
		return
	}
	if before.Size < 0 || a.Size != fs.SizeOnDemand && !a.Live && before.Size != a.Size {
		c.errorf("%s: size %d, then %d", shown(at), a.Size, before.Size)
	}
	first, err := readAll(c.ctx, c.tree, f, 1<<16)
	if err != nil {
		c.errorf("%s: read: %v", shown(at), err)
		return
	}
	second, err := readAll(c.ctx, c.tree, f, 1009)
	if err != nil {
		c.errorf("%s: read again: %v", shown(at), err)
		return
	}
	after, err := c.tree.Stat(c.ctx, f)
	if err != nil {
		c.errorf("%s: stat again: %v", shown(at), err)
		return
	}
	if before.Version != after.Version {
		c.errorf("%s: the version went from %d to %d, although nothing was changed", shown(at), before.Version, after.Version)
		return
	}
	if before.Live {
		head := int64(0)
		if h, ok := f.(fs.Headed); ok {
			head, _ = h.Head()
		}
		c.grown(at, before, after, first, second, head)
		return
	}
	if !bytes.Equal(first, second) {
		c.errorf("%s: two reads of one version differ", shown(at))
	}
	if int64(len(first)) != before.Size || after.Size != before.Size || !after.ModTime.Equal(before.ModTime) {
		c.errorf("%s: size %d at %v, %d bytes read, then size %d at %v", shown(at), before.Size, before.ModTime, len(first), after.Size, after.ModTime)
	}
	c.offsets(at, f, first)
}

// grown checks a live file: bytes once shown stay, except in a header.
func (c *checker) grown(at string, before, after fs.Attr, first, second []byte, head int64) {
	if after.Size < before.Size || int64(len(first)) < before.Size || len(second) < len(first) {
		c.errorf("%s: a live file shrank: size %d, read %d and %d, size %d", shown(at), before.Size, len(first), len(second), after.Size)
		return
	}
	head = min(head, int64(len(first)))
	if !bytes.Equal(first[head:], second[head:len(first)]) {
		c.errorf("%s: bytes of a live file changed", shown(at))
	}
}

// offsets reads at unusual offsets.
func (c *checker) offsets(at string, f fs.File, body []byte) {
	size := int64(len(body))
	for _, off := range []int64{0, 1, size / 3, size/2 + 1, size - 1, size, size + 1, size + 1<<20} {
		for _, length := range []int{0, 1, 7, 4096} {
			if off < 0 || length == 0 && off >= size {
				continue
			}
			p := make([]byte, length)
			n, err := c.tree.ReadAt(c.ctx, f, p, off)
			want := body[min(off, size):min(off+int64(length), size)]
			if !bytes.Equal(p[:n], want) {
				c.errorf("%s: %d bytes at %d: got %d, and not those that a whole read gives", shown(at), length, off, n)
			}
			if n < length && !errors.Is(err, io.EOF) || err != nil && !errors.Is(err, io.EOF) || n == length && err != nil && off+int64(n) < size {
				c.errorf("%s: %d bytes at %d of %d: %d, %v", shown(at), length, off, size, n, err)
			}
		}
	}
	if n, err := c.tree.ReadAt(c.ctx, f, make([]byte, 1), -1); n != 0 || err == nil || errors.Is(err, io.EOF) {
		c.errorf("%s: a read before the beginning: %d, %v", shown(at), n, err)
	}
}

// readAll reads to the end in pieces of that size.
func readAll(ctx context.Context, tree *fs.Tree, f fs.File, piece int) ([]byte, error) {
	var body []byte
	p := make([]byte, piece)
	for {
		n, err := tree.ReadAt(ctx, f, p, int64(len(body)))
		body = append(body, p[:n]...)
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return body, err
		}
		if n < piece {
			return body, io.ErrShortBuffer
		}
	}
}
