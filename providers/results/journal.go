package results

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/filelock"
)

// record is a line of the journal: what a result's file does not show.
type record struct {
	File   string
	Time   time.Time
	Origin Origin
	Bytes  int64
	Lines  int
}

// maxNameLen is how many bytes of a foreign name are kept.
const maxNameLen = 1000

func newRecord(file string, t time.Time, o Origin, bytes int64, lines int) record {
	for _, name := range []*string{&o.Source, &o.Server, &o.Tool} {
		*name = clean.Prefix(strings.ToValidUTF8(*name, ""), maxNameLen)
	}
	return record{file, t.UTC().Truncate(time.Millisecond), o, bytes, lines}
}

// line returns the record as a line of the journal: numbers and quoted names
// between tabs, which is parsed four times as fast as JSON.
func (r record) line() string {
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%q\t%q\t%q\n", r.File, r.Time.UnixMilli(), r.Bytes, r.Lines, r.Origin.Source, r.Origin.Server, r.Origin.Tool)
}

// parseLine parses a line of the journal. ok is false for a line that is torn, or
// that no save of ctxfs can have written.
func parseLine(line string) (r record, ok bool) {
	cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	if len(cells) != 7 {
		return record{}, false
	}
	t, _, ok := parseName(cells[0])
	at, err1 := strconv.ParseInt(cells[1], 10, 64)
	size, err2 := strconv.ParseInt(cells[2], 10, 64)
	lines, err3 := strconv.Atoi(cells[3])
	source, err4 := strconv.Unquote(cells[4])
	server, err5 := strconv.Unquote(cells[5])
	tool, err6 := strconv.Unquote(cells[6])
	r = record{cells[0], time.UnixMilli(at).UTC(), Origin{source, server, tool}, size, lines}
	if !ok || cmp.Or(err1, err2, err3, err4, err5, err6) != nil || size < 0 || lines < 0 || !r.Time.Truncate(time.Second).Equal(t) {
		return record{}, false
	}
	return r, true
}

// journal is the file of records. Any number of processes append to it; one at
// a time may replace it, while no process appends.
type journal struct{ dir string }

func (j journal) path() string { return filepath.Join(j.dir, "journal") }

func (j journal) lockPath() string { return filepath.Join(j.dir, "lock") }

// append adds a record. Each line begins with a line end, so that a line torn by a
// full disk or a crash spoils no other.
func (j journal) append(r record) error {
	lock := j.lock(filelock.Shared)
	defer lock.Release()
	f, err := os.OpenFile(j.path(), os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + r.line())
	return errors.Join(err, f.Close())
}

// compact removes the records that keep does not accept.
func (j journal) compact(keep func(record) bool) error {
	lock := j.lock(filelock.Exclusive)
	defer lock.Release()
	text, err := os.ReadFile(j.path())
	if errors.Is(err, iofs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	for line := range strings.Lines(string(text)) {
		if r, ok := parseLine(line); ok && keep(r) {
			kept.WriteString(line)
		}
	}
	return atomicfile.Write(j.path(), kept.Bytes())
}

// lock waits for the lock, which appending processes share, and which a replacing
// process holds alone, never for longer than that takes. On a file system without
// locks it is nil, and several processes may lose what names cannot hold.
func (j journal) lock(mode filelock.Mode) *filelock.Lock {
	l, _ := filelock.Wait(context.Background(), j.lockPath(), mode)
	return l
}

// reader is a position in the journal.
type reader struct {
	journal
	info os.FileInfo // of the file that was read
	at   int64
}

// next returns the records that were appended since the last call; all of them
// if the journal was replaced since.
func (r *reader) next() (records []record, err error) {
	f, err := os.OpenFile(r.path(), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, iofs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if r.info == nil || !os.SameFile(info, r.info) || info.Size() < r.at {
		r.at = 0
	}
	r.info = info
	text, err := io.ReadAll(io.NewSectionReader(f, r.at, info.Size()-r.at))
	if err != nil {
		return nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // the rest is being written
	r.at += int64(len(text))
	for line := range strings.Lines(string(text)) {
		if rec, ok := parseLine(line); ok {
			records = append(records, rec)
		}
	}
	return records, nil
}
