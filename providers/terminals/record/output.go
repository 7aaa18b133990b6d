package record

import (
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"slices"
	"syscall"
)

// Output is the output of a command, across all parts that contain it.
type Output struct {
	pieces []byteRange
	size   int64
}

// byteRange is a range of bytes of a file.
type byteRange struct {
	path      string
	from, len int64
}

// Output returns the output of a command. ErrNotExist means that a part of it
// was deleted.
func (t *Terminal) Output(c Record) (*Output, error) {
	o := new(Output)
	last := max(c.Part, c.EndPart)
	for n := c.Part; n <= last; n++ {
		p, ok := t.Part(n)
		if !ok {
			if n > c.Part && n < last && n > t.Parts[0].Number {
				continue // it never existed
			}
			return nil, &iofs.PathError{Op: "read", Path: t.Path(n), Err: iofs.ErrNotExist}
		}
		from, to := min(t.HeaderLen, p.Size), p.Size
		if n == c.Part {
			from = c.Bytes[0]
		}
		if n == last {
			to = c.Bytes[1]
		}
		if to > p.Size || from > to { // not a record of ours
			return nil, &iofs.PathError{Op: "read", Path: t.Path(n), Err: iofs.ErrInvalid}
		}
		o.pieces = append(o.pieces, byteRange{t.Path(n), from, to - from})
		o.size += to - from
	}
	return o, nil
}

// Current returns the output of the command that runs, as far as it is in the log now.
// ErrNotExist means that a part of it was deleted, or that nothing is known of a command.
func (t *Terminal) Current() (*Output, error) {
	if t.CommandAt == nil {
		return nil, iofs.ErrNotExist
	}
	return t.Since(*t.CommandAt)
}

// Since returns what is in the log after a place now.
func (t *Terminal) Since(from Place) (*Output, error) {
	if len(t.Parts) == 0 {
		return nil, iofs.ErrNotExist
	}
	parts := slices.Clone(t.Parts)
	last := &parts[len(parts)-1]
	if info, err := os.Lstat(t.Path(last.Number)); err == nil && info.Mode().IsRegular() {
		last.Size = info.Size()
	}
	now := *t
	now.Parts = parts
	c := Record{}
	c.span(from, Place{last.Number, max(last.Size, from.Byte), from.Line})
	if last.Number != from.Part {
		c.Bytes[1] = last.Size
	}
	return now.Output(c)
}

// Size returns the size in bytes.
func (o *Output) Size() int64 { return o.size }

// ReadAt implements io.ReaderAt. It opens the files that it needs.
func (o *Output) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, iofs.ErrInvalid
	}
	for _, piece := range o.pieces {
		if off >= piece.len {
			off -= piece.len
			continue
		}
		if n == len(p) {
			return n, nil
		}
		want := p[n:min(int64(len(p)), int64(n)+piece.len-off)]
		got, err := piece.read(want, off)
		if n += got; err != nil {
			return n, err
		}
		off = 0
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (p byteRange) read(b []byte, off int64) (int, error) {
	f, err := os.OpenFile(p.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.ReadAt(b, p.from+off)
	if errors.Is(err, io.EOF) && n < len(b) {
		return n, io.ErrUnexpectedEOF // it has become shorter
	}
	return n, err
}
