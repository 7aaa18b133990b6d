package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"time"
)

// files is the state of a database's files.
type files struct {
	// header is the beginning of the file, with a counter of its changes.
	header          string
	size            int64
	changed         time.Time
	wal, shm        file
	journal         file
	journalUnfinish bool
}

// file is the state of one of the files beside a database.
type file struct {
	exists  bool
	size    int64
	changed time.Time
}

const (
	headerSize = 100
	// versionAt is where the header says whether there is a write-ahead log: 2.
	versionAt = 18
)

func statFiles(path string) (files, error) {
	f, err := os.Open(path)
	if err != nil {
		return files{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return files{}, err
	}
	if !info.Mode().IsRegular() {
		return files{}, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	header := make([]byte, headerSize)
	n, err := io.ReadFull(f, header)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return files{}, err
	}
	found := files{header: string(header[:n]), size: info.Size(), changed: info.ModTime()}
	found.wal = beside(path + "-wal")
	found.shm = beside(path + "-shm")
	found.journal = beside(path + "-journal")
	found.journalUnfinish = found.journal.size > 0 && !zeroed(path+"-journal")
	return found, nil
}

func beside(path string) file {
	info, err := os.Stat(path)
	if err != nil {
		return file{}
	}
	return file{exists: true, size: info.Size(), changed: info.ModTime()}
}

// zeroed reports whether a journal was kept after its transaction had ended:
// its header is then zero.
func zeroed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	var start [8]byte
	_, err = io.ReadFull(f, start[:])
	return err != nil || start == [8]byte{}
}

// logged reports whether the database has a write-ahead log.
func (f files) logged() bool { return len(f.header) > versionAt && f.header[versionAt] == 2 }

// unchangedSince reports whether nothing was written between two states. The index of the
// log is left out: readers write to it.
func (f files) unchangedSince(g files) bool {
	f.shm, g.shm = file{}, file{}
	return f == g
}

// how returns how the database can be read without leaving a trace, and whether
// SQLite's locks guard the reading.
func (f files) how() (how url.Values, locked bool, err error) {
	switch {
	case f.logged() && f.wal.size > 0 && f.shm.exists:
		// In use, or left by a program that died. Readers of a log block no writer,
		// and the files that they need exist already.
		return url.Values{"mode": {"ro"}}, true, nil
	case f.logged() && f.wal.size > 0:
		// A log without its index: no program uses it (the folder is a copy, or
		// cannot be written). The index is built in memory; that needs the
		// exclusive mode, which without locks excludes no other program.
		return url.Values{"mode": {"ro"}, "vfs": {"unix-none"}, "_pragma": {"locking_mode(exclusive)"}}, false, nil
	case f.journalUnfinish:
		return nil, false, ErrUnfinished
	}
	return url.Values{"mode": {"ro"}, "immutable": {"1"}}, false, nil
}
