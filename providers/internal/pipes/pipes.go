// Package pipes reads the output of programs that have ended, while processes that they
// left behind may hold the other end of the pipe.
package pipes

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// maxLeft is how much is read after a deadline, in bytes: the largest pipe that needs no
// privileges. More comes only from who prints on.
const maxLeft = 1 << 20

// Reader reads a pipe until its other end is closed or, after a read deadline of the file,
// until it is empty: then os.File itself reads nothing any more, not even what is there.
type Reader struct {
	f    *os.File
	late int // bytes that were read after the deadline
}

// NewReader returns a Reader of a pipe.
func NewReader(f *os.File) *Reader { return &Reader{f: f} }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (n int, err error) {
	n, err = r.f.Read(p)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	if r.late >= maxLeft {
		return n, io.EOF
	}
	if n == 0 {
		n = ReadNow(r.f, p)
	}
	if r.late += n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// ReadNow reads what is available, without waiting; 0 means that nothing is, or ever will
// be. The file must not block.
func ReadNow(f *os.File, p []byte) (n int) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		for {
			if n, err = unix.Read(int(fd), p); err != unix.EINTR {
				n = max(n, 0)
				return
			}
		}
	})
	return n
}
