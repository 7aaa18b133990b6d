package transcripts

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

// maxLine is the length of the longest line of a log that is read, in bytes.
const maxLine = 64 << 20

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

// openLog opens a log at an offset, in bytes of its text.
func openLog(path string, compressed bool, offset int64) (*logFile, error) {
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

// lines reads lines, and keeps count of what was read.
type lines struct {
	from   io.Reader
	buf    []byte
	start  int // of what is in buf and was not given out
	end    int
	ended  bool
	offset int64  // of start in the log
	sum    uint32 // of all before offset
}

// next returns the next line without its end, its offset, and how long it was
// with its end. A last line that is no whole object waits until it is. A line
// that is too long is returned as nil.
func (l *lines) next(ctx context.Context) (line []byte, at, length int64, err error) {
	searched := l.start
	for {
		if i := bytes.IndexByte(l.buf[searched:l.end], '\n'); i >= 0 {
			return l.take(searched + i + 1)
		}
		searched = l.end
		if l.ended {
			if rest := l.buf[l.start:l.end]; completeObject(rest) {
				return l.take(l.end)
			}
			return nil, 0, 0, io.EOF
		}
		if l.end-l.start >= maxLine {
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

func (l *lines) take(end int) (line []byte, at, length int64, err error) {
	raw := l.buf[l.start:end]
	l.sum = crc32.Update(l.sum, castagnoli, raw)
	at, length = l.offset, int64(len(raw))
	l.start, l.offset = end, l.offset+length
	return bytes.TrimRight(raw, "\r\n"), at, length, nil
}

// skip leaves a line out that is longer than any that is read.
func (l *lines) skip() (line []byte, at, length int64, err error) {
	at = l.offset
	sum := l.sum
	for {
		piece := l.buf[l.start:l.end]
		i := bytes.IndexByte(piece, '\n')
		if i >= 0 {
			piece = piece[:i+1]
		}
		l.sum = crc32.Update(l.sum, castagnoli, piece)
		l.offset += int64(len(piece))
		l.start += len(piece)
		if i >= 0 {
			return nil, at, l.offset - at, nil
		}
		if l.ended { // its end is not written yet
			l.offset, l.sum = at, sum
			return nil, 0, 0, io.EOF
		}
		if err := l.fill(); err != nil {
			return nil, 0, 0, err
		}
	}
}

// fill reads more, behind what is left.
func (l *lines) fill() error {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, max(len(l.buf), 256<<10))...)
	}
	n, err := l.from.Read(l.buf[l.end:])
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

// sumOf is the CRC of the first size bytes of a log.
func sumOf(path string, compressed bool, size int64) (uint32, error) {
	l, err := openLog(path, compressed, 0)
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

// tailOf is the CRC of what lies before an offset of a file.
func tailOf(path string, offset int64) (uint32, error) {
	buf := make([]byte, min(tailSize, offset))
	if _, err := readAt(path, buf, offset-int64(len(buf))); err != nil {
		return 0, err
	}
	return crc32.Checksum(buf, castagnoli), nil
}
