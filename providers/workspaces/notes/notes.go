// Package notes keeps the notes that are left in a workspace for the next to work
// there: short Markdown texts, each with its author as far as that is known.
//
// A note is a file in a folder on disk, with front matter that says who left it, when
// and where. It stays until it is taken; notes that were taken are kept in the folder
// taken beside it. A [Box] shows the notes in a folder in which Markdown files can be
// created.
package notes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/names"
)

const (
	// MaxText is the length of the longest note, in bytes.
	MaxText = 8 << 10
	// MaxNotes is how many notes a box holds that were not taken.
	MaxNotes = 100
	// maxTaken is how many notes are kept that were taken, the last ones.
	maxTaken = 100

	extension = ".md"
	takenName = "taken"
)

// Errors of a box.
var (
	ErrFull  = fmt.Errorf("%w: there are %d notes already; take some: ctxfs note --take NAME", fs.ErrInvalid, MaxNotes)
	ErrEmpty = fmt.Errorf("%w: the note is empty", fs.ErrInvalid)
)

// Author is who left a note, as far as it is known.
type Author struct {
	// Agent is the id of the agent, Session that of its session; "" where they are
	// not known.
	Agent, Session string
	// Dir is the folder in which the author stood; "" if it is not known.
	Dir string
}

// String returns the author in words: "claude-code, session 08940314", or "somebody".
func (a Author) String() string {
	switch {
	case a.Agent == "":
		return "somebody"
	case a.Session == "":
		return a.Agent
	}
	return a.Agent + ", session " + a.Session
}

// Note is one note.
type Note struct {
	// Name is that of its file.
	Name   string
	Author Author
	Time   time.Time
	// Text is Markdown, cleaned and without secrets.
	Text string
}

// Options are the settings of a [Box].
type Options struct {
	// Dir is the folder on disk; it need not exist.
	Dir string
	// AgentOf is that of [drop.Options].
	AgentOf func(pid int) (agent, session string)
	Now     func() time.Time
	// Changed is called with the name of a file in the box, or "" for all, that was
	// added or removed; it only enqueues.
	Changed func(name string)
	// Quiet is for tests; see [drop.Options].
	Quiet time.Duration
}

// Box is a folder of notes, which can be left and taken. It is safe for concurrent use,
// and by several processes: none overwrites a note of another.
type Box struct {
	opts Options
	drop *drop.Folder

	mu     sync.Mutex
	notes  []Note // the newest first
	files  *fs.Folder
	unread error
}

var _ fs.Inbox = (*Box)(nil)

// Open returns the box over a folder. A note that cannot be read is shown as such by
// Fault.
func Open(opts Options) *Box {
	b := &Box{opts: opts, files: new(fs.Folder)}
	b.drop = drop.New(drop.Options{
		Accept: b.accept, AgentOf: opts.AgentOf, Text: true, Quiet: opts.Quiet, Extension: extension, Now: opts.Now, Changed: opts.Changed, MaxBody: MaxText,
	})
	b.load()
	return b
}

// Dir returns the folder on disk.
func (b *Box) Dir() string { return b.opts.Dir }

// Close ends the box. A note that is being written is kept as far as it is.
func (b *Box) Close() error { return b.drop.Close() }

// Reload reads the notes again: another process may have left or taken some.
func (b *Box) Reload() {
	if b.load() {
		b.opts.Changed("")
	}
}

// load reads the notes, and reports whether they are others than before.
func (b *Box) load() (changed bool) {
	var all []Note
	entries, err := os.ReadDir(b.opts.Dir)
	if errors.Is(err, iofs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || filepath.Ext(e.Name()) != extension || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		n, readErr := read(filepath.Join(b.opts.Dir, e.Name()))
		if readErr != nil {
			err = cmp.Or(err, readErr)
			continue
		}
		all = append(all, n)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unread = err
	if slices.Equal(b.notes, sorted(all)) {
		return false
	}
	b.publish(all)
	return true
}

// Fault returns why some notes cannot be read, or nil.
func (b *Box) Fault() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unread
}

// All returns the notes that were not taken, the newest first. The slice is not
// written to.
func (b *Box) All() []Note {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.notes
}

// publish shows these notes. The caller holds mu.
func (b *Box) publish(all []Note) {
	b.notes = sorted(all)
	nodes := make(map[string]fs.Node, len(all))
	for _, n := range all {
		nodes[n.Name] = fs.NewText(n.Time, n.file())
	}
	b.files.Replace(b.opts.Now(), nodes)
}

func sorted(all []Note) []Note {
	all = slices.Clone(all)
	slices.SortFunc(all, func(x, y Note) int { return cmp.Or(y.Time.Compare(x.Time), strings.Compare(x.Name, y.Name)) })
	return all
}

// Leave adds a note under a name of its own, which begins with its first words.
func (b *Box) Leave(from Author, text string) (Note, error) {
	return b.add(nameOf(text), true, from, text)
}

// nameOf returns the name of a note without one: its first words.
func nameOf(text string) string {
	first := strings.FieldsFunc(clean.Prefix(clean.Text(text), 100), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	base := strings.ToLower(strings.Join(first[:min(len(first), 5)], "-"))
	return names.File(cmp.Or(base, "note"))
}

// add adds a note. If the name is taken it finds another one, or fails with
// fs.ErrExist.
func (b *Box) add(base string, another bool, from Author, text string) (Note, error) {
	text = strings.TrimSpace(mask.Text(clean.Text(strings.ToValidUTF8(text, "\uFFFD"))))
	switch {
	case text == "":
		return Note{}, ErrEmpty
	case len(text) > MaxText:
		return Note{}, fmt.Errorf("%w: a note has at most %d bytes", fs.ErrTooLarge, MaxText)
	case len(b.All()) >= MaxNotes:
		return Note{}, ErrFull
	}
	n := Note{Author: from, Time: b.opts.Now().UTC().Truncate(time.Second), Text: text}
	for k := 1; ; k++ {
		n.Name = base + extension
		if k > 1 {
			n.Name = base + "~" + strconv.Itoa(k) + extension
		}
		err := atomicfile.Create(filepath.Join(b.opts.Dir, n.Name), n.file())
		if err == nil {
			break
		}
		if !another || !errors.Is(err, iofs.ErrExist) || k > 10*MaxNotes {
			return Note{}, err
		}
	}
	b.mu.Lock()
	b.publish(append(slices.Clone(b.notes), n))
	b.mu.Unlock()
	b.opts.Changed(n.Name)
	return n, nil
}

// Take removes a note from the box, by its name with or without ".md", and returns it.
// It is kept in the folder taken. The error is fs.ErrNotExist if there is no such note.
func (b *Box) Take(name string) (Note, error) {
	name = strings.TrimSuffix(name, extension) + extension
	if name != filepath.Base(name) {
		return Note{}, fs.ErrNotExist
	}
	n, err := read(filepath.Join(b.opts.Dir, name))
	if err != nil {
		return Note{}, err
	}
	taken := filepath.Join(b.opts.Dir, takenName)
	if err := os.MkdirAll(taken, 0o700); err != nil {
		return Note{}, err
	}
	to := b.opts.Now().UTC().Format("20060102T150405.000000000Z_") + name
	if err := os.Rename(filepath.Join(b.opts.Dir, name), filepath.Join(taken, to)); err != nil {
		return Note{}, err
	}
	if kept, err := os.ReadDir(taken); err == nil {
		for _, old := range kept[:max(0, len(kept)-maxTaken)] {
			os.Remove(filepath.Join(taken, old.Name()))
		}
	}
	b.mu.Lock()
	b.publish(slices.DeleteFunc(slices.Clone(b.notes), func(o Note) bool { return o.Name == name }))
	b.mu.Unlock()
	b.opts.Changed(name)
	return n, nil
}

// accept takes a file that was created in the box.
func (b *Box) accept(_ context.Context, name string, from fs.Standpoint, body []byte) (drop.Work, error) {
	if !utf8.Valid(body) {
		return nil, fmt.Errorf("%w: the note is not UTF-8 text", fs.ErrInvalid)
	}
	n, err := b.add(strings.TrimSuffix(name, extension), false, Author{Agent: from.Agent, Session: from.Session, Dir: from.Dir}, string(body))
	if err != nil {
		return nil, err
	}
	return func(context.Context) drop.Outcome {
		return drop.Outcome{OK: true, Text: "left as " + n.Name, File: n.Name}
	}, nil
}

func (n Note) file() []byte {
	var f strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&f, "%s: %s\n", key, strconv.Quote(clean.Line(value)))
		}
	}
	f.WriteString("---\n")
	fmt.Fprintf(&f, "time: %s\n", n.Time.Format(time.RFC3339))
	line("agent", n.Author.Agent)
	line("session", n.Author.Session)
	line("folder", n.Author.Dir)
	f.WriteString("---\n" + n.Text + "\n")
	return []byte(f.String())
}

// read reads a note's file. What a person has written there by hand is a note too.
func read(path string) (Note, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Note{}, err
	}
	n := Note{Name: filepath.Base(path), Time: info.ModTime().UTC().Truncate(time.Second)}
	if info.Size() > 2*MaxText {
		return Note{}, fmt.Errorf("%s: %w: a note has at most %d bytes", path, fs.ErrTooLarge, MaxText)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return Note{}, err
	}
	matter, err := frontmatter.Parse(body)
	if err == nil {
		n.Author = Author{Agent: clean.Line(matter.String("agent")), Session: clean.Line(matter.String("session")), Dir: clean.Line(matter.String("folder"))}
		if at, err := time.Parse(time.RFC3339, matter.String("time")); err == nil {
			n.Time = at.UTC()
		}
		body = body[matter.Body:]
	}
	n.Text = strings.TrimSpace(mask.Text(clean.Text(strings.ToValidUTF8(string(body), "\uFFFD"))))
	return n, nil
}
