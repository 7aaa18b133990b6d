package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/procs"
)

// MaxRecords is how many records of a terminal are kept: its last ones, and at
// most a tenth more.
const MaxRecords = 10_000

// Part is one file of a log.
type Part struct {
	Number  int
	Size    int64
	ModTime time.Time
}

// Terminal is what a terminal's folder holds.
type Terminal struct {
	Meta
	ID      string
	Dir     string
	Parts   []Part   // those that exist, by number
	Records []Record // the last ones, in the order of their ends
	// Killed reports whether the recorder ended without finishing: the state is
	// then Ended, and the last record is of the command that ran.
	Killed bool
	// Changed is when something in the folder last changed.
	Changed time.Time
}

// Running reports whether the terminal is still recorded.
func (t *Terminal) Running() bool { return t.State != Ended }

// LastPart returns the number of the newest part, or 0.
func (t *Terminal) LastPart() int {
	if len(t.Parts) == 0 {
		return t.Meta.Parts
	}
	return max(t.Meta.Parts, t.Parts[len(t.Parts)-1].Number)
}

// Attachable reports whether windows can be attached to the terminal while it runs.
func (t *Terminal) Attachable() bool { return t.Source == Term || t.Source == Run && t.Background }

// Part returns the part with a number.
func (t *Terminal) Part(number int) (Part, bool) {
	i, ok := slices.BinarySearchFunc(t.Parts, number, func(p Part, n int) int { return p.Number - n })
	if !ok {
		return Part{}, false
	}
	return t.Parts[i], true
}

// Journal returns a reader of the terminal's records.
func (t *Terminal) Journal() *Records { return &Records{Path: filepath.Join(t.Dir, RecordsFile)} }

// Path returns the file of a part.
func (t *Terminal) Path(part int) string { return filepath.Join(t.Dir, partFile(part)) }

// Load reads a terminal's folder. It leaves out what it cannot read in meta.json
// and in records (half a line, an unknown key). An error means that the folder
// cannot be read, or is just being created.
func Load(dir string) (*Terminal, error) {
	t, err := LoadState(dir)
	if err != nil {
		return nil, err
	}
	records, _, err := t.Journal().Next()
	if err != nil {
		return nil, err
	}
	t.Add(records)
	return t, nil
}

// LoadState is Load without the records, except for the one of Killed.
func LoadState(dir string) (*Terminal, error) {
	t := &Terminal{ID: filepath.Base(dir), Dir: dir}
	if err := t.readMeta(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.ModTime().After(t.Changed) && !strings.HasPrefix(e.Name(), ".") {
			t.Changed = info.ModTime()
		}
		if number, ok := partNumber(e.Name()); ok {
			t.Parts = append(t.Parts, Part{number, info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(t.Parts, func(a, b Part) int { return a.Number - b.Number })
	if t.State != Ended && !t.isRecorded() {
		t.State, t.Killed = Ended, true
		t.Ended = momentOf(t.Changed)
	}
	return t, nil
}

// partNumber returns the number of a part's file.
func partNumber(name string) (number int, ok bool) {
	digits, ok := strings.CutPrefix(name, "part-")
	digits, text := strings.CutSuffix(digits, ".txt")
	number, err := strconv.Atoi(digits)
	return number, ok && text && err == nil && number > 0 && partFile(number) == name
}

// maxMeta is the largest meta.json that is read.
const maxMeta = 1 << 20

// readMeta reads meta.json.
func (t *Terminal) readMeta() error {
	text, err := readSmall(filepath.Join(t.Dir, MetaFile), maxMeta)
	if err != nil {
		return err
	}
	return t.parse(text)
}

// parse reads the text of meta.json, and cleans it: a file may contain
// anything.
func (t *Terminal) parse(text []byte) error {
	if err := json.Unmarshal(text, &t.Meta); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(t.Dir, MetaFile), err)
	}
	m := &t.Meta
	if m.State != Running && m.State != Idle {
		m.State = Ended
	}
	m.HeaderLen = min(max(m.HeaderLen, 0), 1<<16)
	for _, s := range []*string{&m.Name, &m.Source, &m.Pane, &m.Signal, &m.Cwd, &m.Command, &m.LastCommand} {
		*s = clean.Text(*s)
	}
	for i := range m.Argv {
		m.Argv[i] = clean.Text(m.Argv[i])
	}
	if m.Fault != nil {
		m.Fault.What = clean.Line(m.Fault.What)
	}
	if m.CommandAt != nil && !m.CommandAt.sane() {
		m.CommandAt = nil
	}
	return nil
}

func (p *Place) sane() bool { return p.Part > 0 && p.Byte >= 0 && p.Line > 0 }

// readSmall reads a regular file of at most limit bytes. It never blocks,
// whatever the path leads to.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, &iofs.PathError{Op: "read", Path: path, Err: iofs.ErrInvalid})
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// isRecorded reports whether the recorder is running.
func (t *Terminal) isRecorded() bool {
	if t.Holder <= 0 {
		return false
	}
	start := procs.Began(t.Holder)
	return start != "" && start == t.HolderStart
}

// Add adds new records; others who have the slice keep theirs. If the terminal
// was killed, Add derives the record of the command that ran.
func (t *Terminal) Add(records []Record) {
	if n := len(t.Records); n > 0 && len(records) > 0 && t.Records[n-1].made {
		t.Records = slices.Clone(t.Records[:n-1]) // the real one has come
	}
	for _, c := range records {
		if n := len(t.Records); n == 0 || t.Records[n-1].N < c.N {
			t.Records = append(t.Records, c)
		}
	}
	if n := len(t.Records); n > MaxRecords+MaxRecords/10 {
		t.Records = slices.Clone(t.Records[n-MaxRecords:])
	}
	last, ok := t.Part(t.LastPart())
	if !t.Killed || t.CommandAt == nil || t.CommandStarted == nil || !ok {
		return
	}
	if n := len(t.Records); n > 0 && t.Records[n-1].N >= t.Commands {
		return
	}
	from := *t.CommandAt
	c := Record{N: t.Commands, Command: t.Command, Cwd: t.Cwd, Start: *t.CommandStarted, End: *t.Ended, Source: FromEnd, made: true}
	c.Ms = c.End.Sub(c.Start).Milliseconds()
	c.span(from, Place{last.Number, last.Size, from.Line + 1})
	c.Lines = nil // not counted
	t.Records = append(t.Records, c)
}

// Records reads commands.jsonl as it grows.
type Records struct {
	Path string
	off  int64
	file os.FileInfo // the file last read from, or nil
}

// Next returns the records that were added since the last call, without unreadable
// ones; none if there is no file. Anew reports whether earlier records no longer
// count: the file was replaced, or has become shorter.
func (r *Records) Next() (records []Record, anew bool, err error) {
	f, err := os.OpenFile(r.Path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, iofs.ErrNotExist) {
		anew = r.file != nil
		r.off, r.file = 0, nil
		return nil, anew, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, false, err
	}
	if r.file != nil && (!os.SameFile(info, r.file) || info.Size() < r.off) {
		r.off, anew = 0, true
	}
	r.file = info
	text, err := io.ReadAll(io.NewSectionReader(f, r.off, info.Size()-r.off))
	if err != nil {
		return nil, anew, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	r.off += int64(whole)
	return parseRecords(text[:whole]), anew, nil
}

// parseRecords parses lines of commands.jsonl.
func parseRecords(text []byte) (records []Record) {
	for line := range bytes.Lines(text) {
		var c Record
		if json.Unmarshal(line, &c) != nil || c.N <= 0 || c.Part <= 0 || c.Bytes[0] < 0 || c.EndPart < 0 ||
			c.EndPart == 0 && c.Bytes[1] < c.Bytes[0] || c.EndPart != 0 && (c.EndPart <= c.Part || c.Bytes[1] < 0) {
			continue
		}
		c.Command, c.Cwd = clean.Text(c.Command), clean.Text(c.Cwd)
		c.at = Place{Part: c.Part, Byte: c.Bytes[0]}
		records = append(records, c)
	}
	return records
}
