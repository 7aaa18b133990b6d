package terminals

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/terminals/record"
)

// Log is the newest part of the log of one recorded terminal, for those who show it
// at another place as well.
type Log struct {
	terminal *record.Terminal

	mu     sync.Mutex
	number int // of the part
	part   *part
}

// NewLog returns the log of the terminal that is recorded in a folder. An error means that
// the terminal does not exist, or is just being made.
func NewLog(dir string) (*Log, error) {
	t, err := record.LoadState(dir)
	if err != nil {
		return nil, err
	}
	number := max(t.LastPart(), 1)
	return &Log{terminal: t, number: number, part: newPart(t.Path(number), t.HeaderLen)}, nil
}

func (l *Log) newest() *part {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		path := l.terminal.Path(l.number + 1)
		if _, err := os.Lstat(path); err != nil {
			return l.part
		}
		l.number++
		l.part = newPart(path, l.terminal.HeaderLen)
	}
}

// Attr implements fs.Node.
func (l *Log) Attr(ctx context.Context) (fs.Attr, error) { return l.newest().Attr(ctx) }

// ReadAt implements fs.File.
func (l *Log) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return l.newest().ReadAt(ctx, p, off)
}

// Head implements fs.Headed.
func (l *Log) Head() (length int64, version uint64) { return l.newest().Head() }

// Exists reports whether the recording has not been deleted.
func (l *Log) Exists() bool {
	_, err := l.Attr(context.Background())
	return !errors.Is(err, iofs.ErrNotExist)
}
