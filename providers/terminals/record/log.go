package record

import (
	"bytes"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"syscall"

	"ctxfs/fs/wording"
)

func partFile(number int) string { return fmt.Sprintf("part-%04d.txt", number) }

// maxPending is how many bytes of text wait for room on the disk.
const maxPending = 1 << 20

// log is the parts of a terminal's log. Text is accepted at once and written
// later; places count what was accepted.
type log struct {
	dir    *folder
	max    int64
	header func() []byte

	file    *os.File // or nil
	part    int
	size    int64 // of the part, with what is pending
	lines   int64 // line feeds in it
	pending []byte
	lost    int64 // bytes that found no room
	ended   int64 // the size of the previous part
}

// place returns the end of the log.
func (l *log) place() Place { return Place{l.part, l.size, l.lines + 1} }

// append accepts text.
func (l *log) append(text []byte) {
	for len(text) > 0 {
		if len(l.pending) > maxPending && l.dir.fault != nil {
			l.lost += int64(len(text))
			return
		}
		n := l.fits(text)
		l.add(text[:n])
		if text = text[n:]; len(text) > 0 && !l.advance() {
			l.add(text)
			return
		}
	}
}

// add adds text to the part.
func (l *log) add(text []byte) {
	l.pending = append(l.pending, text...)
	l.size += int64(len(text))
	l.lines += int64(bytes.Count(text, []byte{'\n'}))
}

// fits returns how many bytes of a text still go into the part: whole lines,
// unless one is longer than a part.
func (l *log) fits(text []byte) int {
	room := l.max - l.size
	switch {
	case int64(len(text)) <= room:
		return len(text)
	case room > 0:
		if i := bytes.LastIndexByte(text[:room], '\n'); i >= 0 {
			return i + 1
		}
	}
	if l.size <= HeaderLen { // a line longer than a part
		n := max(1, int(room))
		for n < len(text) && text[n]&0xc0 == 0x80 {
			n++
		}
		return n
	}
	return 0
}

// advance continues in the next part, if all of this one is written.
func (l *log) advance() bool {
	if l.dir.fault != nil || l.write() != nil {
		return false
	}
	return l.next() == nil
}

// next creates the next part.
func (l *log) next() error {
	number := l.part + 1
	f, err := os.OpenFile(l.dir.file(partFile(number)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	for ; errors.Is(err, iofs.ErrExist); number++ { // another program's file
		f, err = os.OpenFile(l.dir.file(partFile(number+1)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(l.header(), 0); err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	if l.file != nil {
		l.file.Close()
	}
	l.file, l.part, l.ended = f, number, l.size
	l.size, l.lines = HeaderLen+int64(len(l.pending)), HeaderLines+int64(bytes.Count(l.pending, []byte{'\n'}))
	return nil
}

// write writes what is pending.
func (l *log) write() error {
	if len(l.pending) == 0 {
		return nil
	}
	n, err := l.file.WriteAt(l.pending, l.size-int64(len(l.pending)))
	l.pending = l.pending[:copy(l.pending, l.pending[n:])]
	if cap(l.pending) > maxPending && len(l.pending) == 0 {
		l.pending = nil // release the memory of a burst
	}
	return err
}

// deleted reports whether the part was deleted.
func (l *log) deleted() bool {
	var st syscall.Stat_t
	return syscall.Fstat(int(l.file.Fd()), &st) == nil && st.Nlink == 0
}

// gap makes the log note here that text is missing. Too many gaps become one.
func (l *log) gap() {
	if l.lost == 0 || len(l.pending) > 2*maxPending {
		return
	}
	if len(l.pending) > 0 && l.pending[len(l.pending)-1] != '\n' {
		l.add([]byte{'\n'})
	}
	l.add(fmt.Appendf(nil, "[%d bytes were not recorded: %s]\n", l.lost, wording.Cause(l.dir.fault)))
	l.lost = 0
}

// writeHeader writes the header in place.
func (l *log) writeHeader() error {
	_, err := l.file.WriteAt(l.header(), 0)
	return err
}

func (l *log) close() error { return l.file.Close() }

// IsPart reports whether a file name is that of a part.
func IsPart(name string) bool {
	_, ok := partNumber(name)
	return ok
}
