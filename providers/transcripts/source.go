package transcripts

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/agents/history"
)

// source is a place where a session lies: a log, or an entry of a store. It does
// not change.
type source struct {
	path   string
	format history.Format // nil where the file was not read by this process yet
	key    string         // names the session in a store; "" for a log
	stamp  string         // moves when the session does
	stat   stat
	birth  time.Time // of the file; zero where the file system does not know
}

// stat identifies the content of a file: while it is the same, so is the file.
type stat struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime"` // in nanoseconds
	Inode   uint64 `json:"inode"`
}

// statOf returns the stat of a file.
func statOf(info os.FileInfo) stat {
	return stat{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Inode: inode(info)}
}

// withJournal returns the stat of a database together with the files that SQLite
// keeps beside it: the newest time, and the sum of their sizes.
func withJournal(path string, s stat) stat {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Lstat(path + suffix); err == nil {
			s.Size += info.Size()
			s.ModTime = max(s.ModTime, info.ModTime().UnixNano())
		}
	}
	return s
}

// hasJournal reports whether a file is a database whose write-ahead log is in
// use.
func hasJournal(path string) bool {
	_, err := os.Lstat(path + "-wal")
	return err == nil
}

// database returns the path of the database that a file of SQLite's belongs to,
// and any other path as it is.
func database(path string) string {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if db, ok := strings.CutSuffix(path, suffix); ok {
			return db
		}
	}
	return path
}

// unchanged reports whether the file of a source still has the stat with which
// it was found.
func (src *source) unchanged() bool {
	info, err := os.Lstat(src.path)
	if err != nil {
		return false
	}
	now := statOf(info)
	if src.key != "" {
		now = withJournal(src.path, now)
	}
	return now == src.stat
}

// archiveRank is below the rank of every format of an agent's own.
const archiveRank = -1 << 20

// rankOf returns the precedence of a format: of several sources of a session the
// one with the highest rank is read.
func rankOf(f history.Format) int {
	switch f := f.(type) {
	case history.Log:
		return f.Rank
	case history.Store:
		return f.Rank
	}
	return archiveRank
}

// isBelow reports whether a path is at or below another one.
func isBelow(path, in string) bool { return path == in || strings.HasPrefix(path, in+"/") }

// isGone reports whether an error says that there is no such file, rather than
// that this cannot be known.
func isGone(err error) bool {
	return errors.Is(err, iofs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// faultText returns an error as one line of at most 500 bytes.
func faultText(err error) string { return clean.Cut(clean.Line(err.Error()), 500) }

// readerFault is a panic of an agent's reader.
type readerFault struct{ cause any }

func (f *readerFault) Error() string {
	return fmt.Sprintf("this record is not understood: %v", f.cause)
}

// guarded calls f and returns a panic as an error: an agent's reader that fails
// on foreign data costs its own session only.
func guarded[T any](f func() (T, error)) (value T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &readerFault{fault}
		}
	}()
	return f()
}

// readAt reads len(p) bytes of the file at path from an offset, as
// [io.ReaderAt] does.
func readAt(path string, p []byte, off int64) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}
