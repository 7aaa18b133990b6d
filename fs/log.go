package fs

import (
	"context"
	"sync"
	"syscall"
)

// Log is a live file on disk that another program appends to: a terminal's log, a
// session's history. It begins with a header of fixed length that its writer may
// rewrite in place. A log that became shorter, or was replaced, is a new
// incarnation.
type Log struct {
	path    string
	headLen int64

	mu   sync.Mutex
	dev  uint64
	ino  uint64 // 0 if the file did not exist at the last look
	seen int64  // the largest size of this incarnation
	born uint64 // number of the incarnation
	head uint64 // version of the header
}

// NewLog returns the log at path, whose first headLen bytes are the header.
// The file need not exist yet.
func NewLog(path string, headLen int64) *Log { return &Log{path: path, headLen: headLen} }

// HeadChanged records that the header was rewritten. Call Env.Changed afterwards.
func (l *Log) HeadChanged() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head++
}

// Head implements Headed.
func (l *Log) Head() (length int64, version uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.headLen, l.head
}

// Attr implements Node.
func (l *Log) Attr(context.Context) (Attr, error) {
	l.mu.Lock() // covers the stat too: an older size after a newer one would look like a truncation
	defer l.mu.Unlock()
	st, err := lstatAs(l.path, syscall.S_IFREG)
	if err != nil {
		l.ino = 0 // the next file may be given the same number
		return Attr{}, err
	}
	if uint64(st.Dev) != l.dev || st.Ino != l.ino || st.Size < l.seen {
		l.dev, l.ino, l.seen = uint64(st.Dev), st.Ino, 0
		l.born++
	}
	l.seen = max(l.seen, st.Size)
	a := diskAttr(st, true)
	a.Version = numbersVersion(l.dev, l.ino, l.born)
	a.InPlace = false // a new incarnation replaces the old one
	return a, nil
}

// ReadAt implements File.
func (l *Log) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	return readRegular(l.path, p, off)
}
