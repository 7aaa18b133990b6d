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

// tailSize is the length in bytes of the end of what was read, which identifies a
// log that has grown.
const tailSize int64 = 4 << 10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Log is a log that is open for reading from an offset to its end.
type Log struct {
	io.Reader
	close []func()
}

// Close closes the log.
func (l *Log) Close() {
	for _, f := range l.close {
		f()
	}
}

// OpenLog opens a log at an offset in bytes; of a compressed one, in bytes of its
// text. The caller must call Close.
func OpenLog(path string, compressed bool, offset int64) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	l := &Log{Reader: f, close: []func(){func() { f.Close() }}}
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

// Lines reads the lines of From, and keeps the length and the checksum of what it
// has read. Offset and Sum are set to those of what precedes it; Buf may be set to
// memory to use.
type Lines struct {
	From   io.Reader
	Buf    []byte
	start  int // of the part of Buf that was not returned yet
	end    int
	ended  bool
	Offset int64  // of start in the log
	Sum    uint32 // CRC-32C of everything before Offset
}

// Next returns the next line without its end, its offset, and its length with the
// end, both in bytes.
//
//  1. A line longer than [MaxLine] is returned as nil.
//  2. At the end of the log the error is io.EOF; a last line without an end that is
//     not a whole JSON object is left for the next time.
//  3. Other errors are those of From, and that of ctx.
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

// skip passes over a line that is longer than MaxLine.
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

// fill moves the unread bytes to the front of the buffer and reads more after them.
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

// completeObject reports whether a line without an end is a whole JSON object.
func completeObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' && lazyjson.Valid(line)
}

// Checksum returns the CRC-32C of the first size bytes of a log; 0 if it is shorter.
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

// TailChecksum returns the CRC-32C of the bytes before an offset of a file, tailSize
// of them. The error of a shorter file is io.EOF.
func TailChecksum(path string, offset int64) (uint32, error) {
	buf := make([]byte, min(tailSize, offset))
	if _, err := ReadAt(path, buf, offset-int64(len(buf))); err != nil {
		return 0, err
	}
	return crc32.Checksum(buf, castagnoli), nil
}
