package worktree

import (
	"bytes"
	"context"
	"io"

	"ctxfs/providers/internal/atomicfile"
)

// maxDiff is the longest diff that is kept, in bytes.
const maxDiff = 32 << 20

// writeDiff writes the patch from one tree to another to a file, as many whole files of it
// as maxDiff has room for, and reports whether that is all.
func (s shadow) writeDiff(ctx context.Context, path, from, to string) (whole bool, err error) {
	err = atomicfile.WriteFrom(path, func(w io.Writer) error {
		cut := &cutter{to: w, left: maxDiff}
		_, err := s.ask(ctx, question{output: cut, args: []string{
			"diff-tree", "-r", "-p", "--binary", "--full-index", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", from, to,
		}})
		if err == nil {
			err = cut.end()
		}
		whole = !cut.full
		return err
	})
	return whole, err
}

// cutter passes on a patch in parts, each of which is of one file, as long as there is room
// for the whole part. It takes everything, so that the patch comes to its end.
type cutter struct {
	to   io.Writer
	left int
	part bytes.Buffer
	full bool
}

// partStart is how the part of a file begins. No line within a part begins so: those of
// texts begin with a sign, those of binaries have no space.
var partStart = []byte("\ndiff --git ")

func (c *cutter) Write(p []byte) (int, error) {
	n := len(p)
	if c.full {
		return n, nil
	}
	from := max(0, c.part.Len()-len(partStart))
	c.part.Write(p)
	for {
		i := bytes.Index(c.part.Bytes()[from:], partStart)
		if i < 0 {
			break
		}
		if err := c.pass(c.part.Next(from + i + 1)); err != nil {
			return 0, err
		}
		from = 0
	}
	if c.part.Len() > c.left {
		c.full = true
		c.part = bytes.Buffer{}
	}
	return n, nil
}

func (c *cutter) pass(part []byte) error {
	if c.full = c.full || len(part) > c.left; c.full {
		return nil
	}
	c.left -= len(part)
	_, err := c.to.Write(part)
	return err
}

func (c *cutter) end() error { return c.pass(c.part.Bytes()) }
