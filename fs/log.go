package fs

import (
	"context"
	iofs "io/fs"
	"sync"
	"syscall"
)

// Log is a live file on disk that somebody else appends to: a terminal's log,
// a session's history. It begins with a header of HeadLen bytes that its
// writer may rewrite in place. A log that became shorter, or was replaced, is
// a new incarnation.
type Log struct {
	path    string
	headLen int64

	mu   sync.Mutex
	dev  uint64
	ino  uint64
	seen int64  // the largest size of this incarnation
	born uint64 // number of the incarnation
	head uint64 // version of the header
}

// NewLog returns the log at path. The file need not exist yet.
func NewLog(path string, headLen int64) *Log {
	return &Log{path: path, headLen: headLen}
}

// HeadChanged says that the header was rewritten. Tell Env.Changed afterwards.
func (l *Log) HeadChanged() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head++
}

// Head implements Headed.
func (l *Log) Head() (int64, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.headLen, l.head
}

// Attr implements Node.
func (l *Log) Attr(context.Context) (Attr, error) {
	var st syscall.Stat_t
	a, err := diskAttr(l.path, true, &st)
	if err != nil {
		return Attr{}, err
	}
	if a.Mode.Type() != iofs.FileMode(0) {
		return Attr{}, pathError("stat", l.path, ErrNotExist)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if uint64(st.Dev) != l.dev || st.Ino != l.ino || st.Size < l.seen {
		l.dev, l.ino, l.seen = uint64(st.Dev), st.Ino, 0
		l.born++
	}
	l.seen = max(l.seen, st.Size)
	a.Version = numbersVersion(l.dev, l.ino, l.born)
	return a, nil
}

// ReadAt implements File.
func (l *Log) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	fd, err := openRegular(l.path, 0)
	if err != nil {
		return 0, pathError("open", l.path, err)
	}
	defer syscall.Close(fd)
	return preadFull(fd, p, off)
}
