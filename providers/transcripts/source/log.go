package source

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/zstd"
)

// MaxLine is the length of the longest line of a log that is read, in bytes.
const MaxLine = 64 << 20

// tailSize is how much of what was read last tells that a log still is the same.
const tailSize int64 = 4 << 10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// logFile is a log that is read from somewhere to its end.
type logFile struct {
	io.Reader
	close []func()
}

func (l *logFile) Close() {
	for _, f := range l.close {
		f()
	}
}

// OpenLog opens a log at an offset, in bytes of its text.
func OpenLog(path string, compressed bool, offset int64) (*logFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	l := &logFile{Reader: f, close: []func(){func() { f.Close() }}}
	if !compressed {
		_, err = f.Seek(offset, io.SeekStart)
	} else if z, zErr := zstd.NewReader(f); zErr == nil {
		l.Reader = z
		l.close = append([]func(){func() { z.Close() }}, l.close...)
		_, err = io.CopyN(io.Discard, z, offset)
	} else {
		err = zErr
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Lines reads lines, and keeps count of what was read.
type Lines struct {
	From   io.Reader
	Buf    []byte
	start  int // of what is in buf and was not given out
	end    int
	ended  bool
	Offset int64  // of start in the log
	Sum    uint32 // of all before offset
}

// Next returns the next line without its end, its offset, and how long it was
// with its end. A last line that is no whole object waits until it is. A line
// that is too long is returned as nil.
func (l *Lines) Next(ctx context.Context) (line []byte, at, length int64, err error) {
	searched := l.start
	for {
		if i := bytes.IndexByte(l.Buf[searched:l.end], '\n'); i >= 0 {
			return l.take(searched + i + 1)
		}
		searched = l.end
		if l.ended {
			if rest := l.Buf[l.start:l.end]; completeObject(rest) {
				return l.take(l.end)
			}
			return nil, 0, 0, io.EOF
		}
		if l.end-l.start >= MaxLine {
			return l.skip()
		}
		if err := ctx.Err(); err != nil {
			return nil, 0, 0, err
		}
		searched -= l.start
		if err := l.fill(); err != nil {
			return nil, 0, 0, err
		}
		searched += l.start
	}
}

func (l *Lines) take(end int) (line []byte, at, length int64, err error) {
	raw := l.Buf[l.start:end]
	l.Sum = crc32.Update(l.Sum, castagnoli, raw)
	at, length = l.Offset, int64(len(raw))
	l.start, l.Offset = end, l.Offset+length
	return bytes.TrimRight(raw, "\r\n"), at, length, nil
}

// skip leaves a line out that is longer than any that is read.
func (l *Lines) skip() (line []byte, at, length int64, err error) {
	at = l.Offset
	sum := l.Sum
	for {
		piece := l.Buf[l.start:l.end]
		i := bytes.IndexByte(piece, '\n')
		if i >= 0 {
			piece = piece[:i+1]
		}
		l.Sum = crc32.Update(l.Sum, castagnoli, piece)
		l.Offset += int64(len(piece))
		l.start += len(piece)
		if i >= 0 {
			return nil, at, l.Offset - at, nil
		}
		if l.ended { // its end is not written yet
			l.Offset, l.Sum = at, sum
			return nil, 0, 0, io.EOF
		}
		if err := l.fill(); err != nil {
			return nil, 0, 0, err
		}
	}
}

// fill reads more, behind what is left.
func (l *Lines) fill() error {
	if l.start > 0 {
		copy(l.Buf, l.Buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
	}
	if l.end == len(l.Buf) {
		l.Buf = append(l.Buf, make([]byte, max(len(l.Buf), 256<<10))...)
	}
	n, err := l.From.Read(l.Buf[l.end:])
	l.end += n
	if errors.Is(err, io.EOF) {
		l.ended = true
		return nil
	}
	return err
}

// completeObject tells whether a line without an end is whole all the same.
func completeObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' && lazyjson.Valid(line)
}

// Checksum is the CRC of the first size bytes of a log.
func Checksum(path string, compressed bool, size int64) (uint32, error) {
	l, err := OpenLog(path, compressed, 0)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	sum := crc32.New(castagnoli)
	n, err := io.CopyN(sum, l, size)
	if n < size && errors.Is(err, io.EOF) {
		return 0, nil
	}
	return sum.Sum32(), err
}

// TailChecksum is the CRC of what lies before an offset of a file.
func TailChecksum(path string, offset int64) (uint32, error) {
	buf := make([]byte, min(tailSize, offset))
	if _, err := ReadAt(path, buf, offset-int64(len(buf))); err != nil {
		return 0, err
	}
	return crc32.Checksum(buf, castagnoli), nil
}
