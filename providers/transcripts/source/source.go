// Package source reads the files that agents have written. A [Source] is one place
// where a session is stored: a log, or an entry of a database. Its [Stat] shows
// whether the file has changed since it was read. [ReadStart] identifies the
// session from the beginning of a log; [OpenLog] and [Lines] read its lines from
// any offset.
//
// The package knows no agent: formats come from package history. Their readers run
// on foreign data; [Guard] returns their panics as errors.
package source

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

// Source is a place where a session is stored: a log, or an entry of a store. It is
// immutable.
type Source struct {
	Path   string
	Format history.Format // nil where the file was not read by this process yet
	Key    string         // names the session in a store; "" for a log
	Stamp  string         // moves when the session does
	Stat   Stat
	Birth  time.Time // of the file; zero where the file system does not know
}

// Stat identifies the content of a file: while it is the same, so is the file.
type Stat struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime"` // in nanoseconds
	Inode   uint64 `json:"inode"`
}

// StatOf returns the stat of a file.
func StatOf(info os.FileInfo) Stat {
	return Stat{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Inode: inode(info)}
}

// WithJournal returns the stat of a database together with the files that SQLite
// keeps beside it: the newest time, and the sum of their sizes.
func WithJournal(path string, s Stat) Stat {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Lstat(path + suffix); err == nil {
			s.Size += info.Size()
			s.ModTime = max(s.ModTime, info.ModTime().UnixNano())
		}
	}
	return s
}

// HasJournal reports whether a file is a database whose write-ahead log is in
// use.
func HasJournal(path string) bool {
	_, err := os.Lstat(path + "-wal")
	return err == nil
}

// Database returns the path of the database that a file of SQLite's belongs to,
// and any other path as it is.
func Database(path string) string {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if db, ok := strings.CutSuffix(path, suffix); ok {
			return db
		}
	}
	return path
}

// Unchanged reports whether the file of a source still has the stat that it was
// found with.
func (src *Source) Unchanged() bool {
	info, err := os.Lstat(src.Path)
	if err != nil {
		return false
	}
	now := StatOf(info)
	if src.Key != "" {
		now = WithJournal(src.Path, now)
	}
	return now == src.Stat
}

// LowestRank is below the rank of every format of an agent's own.
const LowestRank = -1 << 20

// Rank returns the precedence of a format: if a session has several sources, the
// one with the highest rank is read.
func Rank(f history.Format) int {
	switch f := f.(type) {
	case history.Log:
		return f.Rank
	case history.Store:
		return f.Rank
	}
	return LowestRank
}

// IsGone reports whether an error says that there is no such file, rather than
// that this cannot be known.
func IsGone(err error) bool {
	return errors.Is(err, iofs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// FaultText returns an error as one line of at most 500 bytes.
func FaultText(err error) string { return clean.Cut(clean.Line(err.Error()), 500) }

// readerFault is a panic of an agent's reader.
type readerFault struct{ cause any }

func (f *readerFault) Error() string {
	return fmt.Sprintf("this record is not understood: %v", f.cause)
}

// Guard calls f and returns a panic as an error: an agent's reader that fails
// on foreign data costs its own session only.
func Guard[T any](f func() (T, error)) (value T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &readerFault{fault}
		}
	}()
	return f()
}

// ReadAt reads len(p) bytes of the file at path from an offset, as
// [io.ReaderAt] does.
func ReadAt(path string, p []byte, off int64) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}

func inode(info os.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
