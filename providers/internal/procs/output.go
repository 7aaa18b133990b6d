package procs

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// What is read of a program's output once the program has ended: until it has been quiet for
// quietTime, since processes that it left behind may hold the other end. If they print on,
// waiting for them ends after drainTime, and reading after drainSize bytes, the largest pipe
// that needs no privileges: so what was on its way is read, however slow the reader is.
const (
	quietTime = 50 * time.Millisecond
	drainTime = time.Second
	drainSize = 1 << 20
)

// Output reads what a program prints, to the end. A read deadline of the file means that the
// program has ended.
type Output struct {
	f      *os.File
	ended  bool
	late   int           // bytes that were read since then
	waited time.Duration // for more of them
}

// NewOutput returns an Output that reads a pipe or a terminal.
func NewOutput(f *os.File) *Output { return &Output{f: f} }

// Read implements io.Reader.
func (o *Output) Read(p []byte) (n int, err error) {
	if !o.ended {
		if n, err = o.f.Read(p); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		o.ended = true
	}
	if o.late >= drainSize || o.waited >= drainTime {
		return 0, io.EOF
	}
	if n = readNow(o.f, p); n == 0 {
		begun := time.Now()
		if o.f.SetReadDeadline(begun.Add(quietTime)) == nil {
			n, _ = o.f.Read(p)
		}
		o.waited += time.Since(begun)
	}
	if o.late += n; n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}

// readNow reads what is available, without waiting: after a deadline os.File itself reads
// nothing any more, not even that. The file must not block.
func readNow(f *os.File, p []byte) (n int) {
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

// Relay passes on what a program prints, to the end; see [Output].
func Relay(from *os.File, show func(p []byte)) {
	o, buf := NewOutput(from), make([]byte, 64<<10)
	for {
		n, err := o.Read(buf)
		if n > 0 {
			show(buf[:n])
		}
		if err != nil {
			return
		}
	}
}
