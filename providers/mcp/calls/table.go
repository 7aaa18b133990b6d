package calls

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
)

// The files that show the log of calls: that to which calls are added, and the one
// before it.
const (
	TableName = "CALLS.tsv"
	olderName = "CALLS.1.tsv"
)

const (
	tableColumns = "time\twho\tserver\ttool\toutcome\tms\tfile\n"
	tableTime    = "2006-01-02T15:04:05.000Z" // RFC 3339, UTC, with milliseconds
	// markEvery is how many bytes of the log are read at most before those that are
	// wanted.
	markEvery = 64 << 10
)

// Table shows one file of the log of calls as a table: a line of tab-separated values
// for each call, the newest last, and above them the names of the columns. It grows
// with the log, and is made of it as it is read: nothing else is stored, so that it
// has every call that the log has. A log that was renamed because it is full is a new
// incarnation.
type Table struct {
	path string

	mu      sync.Mutex
	dev     uint64
	ino     uint64 // 0 if the file did not exist at the last look
	born    int    // number of the incarnation
	version uint64 // of the incarnation
	read    int64  // bytes of whole lines of the log that are in the table
	size    int64  // of the table, in bytes
	modTime time.Time
	marks   []tableMark
}

// tableMark is a place in the log, the beginning of a line, and that in the table.
type tableMark struct{ log, table int64 }

// Tables returns the nodes that show the log, by their names. That of the older file is
// not there if nothing was renamed yet.
func (l *Log) Tables() map[string]fs.Node {
	all := map[string]fs.Node{TableName: l.table}
	if _, err := os.Lstat(l.path + olderSuffix); err == nil {
		all[olderName] = l.older
	}
	return all
}

// Prepare reads the log, so that no reader waits for that.
func (l *Log) Prepare() {
	for _, table := range l.Tables() {
		_, _ = table.Attr(context.Background()) // its reader sees the error
	}
}

// Attr implements fs.Node.
func (t *Table) Attr(context.Context) (fs.Attr, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, err := t.refresh()
	if err != nil {
		return fs.Attr{}, err
	}
	if f != nil {
		f.Close()
	}
	return fs.Attr{
		Mode: 0o444, Size: t.size, ModTime: t.modTime, Live: true,
		Version: t.version,
	}, nil
}

// ReadAt implements fs.File.
func (t *Table) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f, err := t.refresh()
	if err != nil {
		return 0, err
	}
	if f != nil {
		defer f.Close()
	}
	n := 0
	if off < int64(len(tableColumns)) {
		n = copy(p, tableColumns[off:])
	}
	if n < len(p) && off+int64(n) < t.size {
		more, err := t.rows(f, p[n:], off+int64(n))
		if n += more; err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// refresh takes what was added to the log, and returns its file, or nil. The caller holds
// mu, and closes the file.
func (t *Table) refresh() (*os.File, error) {
	f, err := os.OpenFile(t.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		if t.ino != 0 || t.size == 0 {
			t.restart(0, 0)
			t.modTime = dirTime(t.path)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", t.path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	dev, ino := uint64(0), uint64(1)
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		dev, ino = uint64(st.Dev), st.Ino
	}
	if dev != t.dev || ino != t.ino || info.Size() < t.read {
		t.restart(dev, ino)
	}
	if info.Size() > t.read {
		if err := t.take(f, info.Size()); err != nil {
			f.Close()
			return nil, err
		}
	}
	t.modTime = info.ModTime()
	return f, nil
}

// restart begins with another file, 0 for none. A table that has shown no row yet stays the
// same incarnation, so that who follows it sees the first one. The caller holds mu.
func (t *Table) restart(dev, ino uint64) {
	t.dev, t.ino = dev, ino
	if t.size != int64(len(tableColumns)) {
		t.born++
		t.version = fs.BytesVersion([]byte(fmt.Sprint(dev, ino, t.born)))
	}
	t.read, t.size, t.marks = 0, int64(len(tableColumns)), nil
}

// dirTime returns the time of the folder of a file that does not exist.
func dirTime(path string) time.Time {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			return info.ModTime()
		}
		if dir == filepath.Dir(dir) {
			return time.Unix(0, 0)
		}
	}
}

// take takes the lines of the log up to size. The caller holds mu.
func (t *Table) take(f *os.File, size int64) error {
	return eachLine(io.NewSectionReader(f, t.read, size-t.read), func(line []byte) bool {
		if len(t.marks) == 0 || t.read-t.marks[len(t.marks)-1].log >= markEvery {
			t.marks = append(t.marks, tableMark{t.read, t.size})
		}
		t.read += int64(len(line))
		t.size += int64(len(tableRow(line)))
		return true
	})
}

// rows reads from the rows at an offset of the table. The caller holds mu.
func (t *Table) rows(f *os.File, p []byte, off int64) (n int, err error) {
	i, found := slices.BinarySearchFunc(t.marks, off, func(m tableMark, off int64) int { return cmp.Compare(m.table, off) })
	if !found {
		i--
	}
	at := t.marks[i]
	err = eachLine(io.NewSectionReader(f, at.log, t.read-at.log), func(line []byte) bool {
		row := tableRow(line)
		if skip := off + int64(n) - at.table; skip < int64(len(row)) {
			n += copy(p[n:], row[skip:])
		}
		at.table += int64(len(row))
		return n < len(p)
	})
	return n, err
}

// eachLine calls yield with each whole line, its end included, until it returns false. A
// line without an end is being written.
func eachLine(r io.Reader, yield func(line []byte) bool) error {
	for lines := bufio.NewReaderSize(r, 32<<10); ; {
		line, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !yield(line):
			return nil
		}
	}
}

// tableRow returns the row of a line of the log, or nothing if the line is no call.
// It depends on the line alone.
func tableRow(line []byte) []byte {
	var c Called
	if json.Unmarshal(line, &c) != nil || c.Time.IsZero() {
		return nil
	}
	cells := []string{
		c.Time.UTC().Format(tableTime), c.Who(), c.Server, c.Tool, c.Outcome, strconv.FormatInt(c.MS, 10), resultFile(c.File),
	}
	for i, text := range cells {
		cells[i] = clean.Cut(clean.Line(text), loggedText)
	}
	return []byte(strings.Join(cells, "\t") + "\n")
}

// Who returns the caller: the agent with its session, "gateway" for an unknown one
// that came by that way, and else "person".
func (c *Called) Who() string {
	who := c.Agent
	switch {
	case who != "":
	case c.Via == "gateway":
		who = "gateway"
	case c.Session == "":
		return "person"
	default:
		who = "agent"
	}
	if c.Session != "" {
		who += "/" + c.Session
	}
	return who
}

// resultFile returns the path from the tree's root of the file that has a result.
func resultFile(path string) string {
	if path == "" {
		return ""
	}
	return "results/" + filepath.Base(path)
}
