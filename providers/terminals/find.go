package terminals

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/terminals/record"
)

var _ facts.Searcher = (*Provider)(nil)

const (
	// scanned is how much text that is not indexed a search reads, in bytes, where there
	// is a worker: less than a tenth of a second's work. A flood is behind it for some
	// seconds.
	scanned = 4 << 20
	// indexRest makes the worker take at most an eighth of one processor.
	indexRest = 7
)

// newFulltext returns the index of what terminals have shown.
func newFulltext(opts Options, l *library) *fulltext.Index {
	o := fulltext.Options{Path: filepath.Join(opts.Cache, fulltext.FileName), Library: l, Plain: true, Rest: indexRest, Log: opts.Env.Log}
	if opts.Watch {
		o.Scanned = scanned
	}
	return fulltext.New(o)
}

// kind is the kind of matches and documents.
const kind = "terminal"

// Search implements facts.Searcher. It finds the lines that terminals have shown, with
// the commands that printed them, and the commands. The path is that of the command's
// output if it has ended, else of the part of the log, or of the screen as long as the
// line is only there. Titles name the terminal and the command, and Why also says when
// it began and how it ended. A line is found as soon as it is on the screen.
func (p *Provider) Search(ctx context.Context, words, in string, limit int) (facts.Findings, error) {
	only := scopeOf(in)
	q := fulltext.Query{Words: words, Limit: limit, Also: p.library.screens(only.hasScreen)}
	if in != "" {
		q.Only = func(t fulltext.Text) bool { return t.Body != nil || only.hasChunk(p.library.chunk(t)) }
	}
	seen := make(map[string]bool)
	return p.fulltext.Find(ctx, q, func(h fulltext.Hit, all []fulltext.Hit) (facts.Match, bool) {
		m, ok := p.match(h, all)
		key := m.Path + "\x00" + m.Why
		ok = ok && only.has(m.Path) && !seen[key]
		seen[key] = seen[key] || ok
		return m, ok
	})
}

// match returns what is shown of a hit; ok is false if it is gone, or if another hit of
// the same terminal shows more.
func (p *Provider) match(h fulltext.Hit, all []fulltext.Hit) (m facts.Match, ok bool) {
	if h.Text.Body != nil {
		t := p.library.terminal(h.Text)
		if t == nil || slices.ContainsFunc(all, func(other fulltext.Hit) bool { return repeats(h, other) }) {
			return m, false
		}
		f := found{terminal: t, path: t.ID + "/" + record.ScreenFile, line: linesOf(h), place: t.Cwd}
		if h.Number > 0 {
			f.running()
		}
		return f.match(h), true
	}
	c := p.library.chunk(h.Text)
	if c == nil {
		return m, false
	}
	t := c.terminal
	f := found{terminal: t, path: c.path(), line: linesOf(h), place: t.Cwd}
	at := record.Place{Part: c.part, Byte: c.from + max(h.At, 0)}
	switch r := recordOf(t, h.Number); {
	case r != nil:
		f.ended(r, at, h.At < 0)
	case h.Number > 0 && h.Number == t.Commands && t.CommandAt != nil:
		f.running()
		if h.At < 0 || at.Part == t.CommandAt.Part && at.Byte < t.CommandAt.Byte {
			f.line = ""
			if slices.ContainsFunc(all, func(other fulltext.Hit) bool { return shows(other, h) }) {
				return m, false
			}
		}
	}
	return f.match(h), true
}

// linesOf returns the lines of a hit.
func linesOf(h fulltext.Hit) string {
	if h.Further == "" {
		return h.Line
	}
	return h.Line + " … " + h.Further
}

func idOf(h fulltext.Hit) string {
	id, _, _ := strings.Cut(h.Text.Session, "/")
	return id
}

// repeats reports whether the line of a hit on a screen is that of a hit in the log or,
// where no command runs, whether the log has all of its words.
func repeats(screen, other fulltext.Hit) bool {
	if other.Text.Body != nil || idOf(other) != idOf(screen) {
		return false
	}
	const enough = 60
	if strings.Contains(linesOf(other), clean.Prefix(strings.TrimPrefix(screen.Line, "…"), enough)) {
		return true
	}
	for w, has := range screen.Words {
		if other.Words[w] < has {
			return false
		}
	}
	return screen.Number == 0
}

// shows reports whether a hit on a screen is a line of the running command whose other
// hit is only the command itself.
func shows(screen, other fulltext.Hit) bool {
	return screen.Text.Body != nil && idOf(other) == idOf(screen) && screen.Number == other.Number && !strings.Contains(linesOf(other), screen.Line)
}

// path returns the path of the log that a chunk is of.
func (c *chunk) path() string {
	newer := 0
	for _, p := range c.terminal.Parts {
		if p.Number > c.part {
			newer++
		}
	}
	return partName(c.terminal.ID, newer)
}

// recordOf returns the record of a command, or nil.
func recordOf(t *record.Terminal, n int) *record.Record {
	i, ok := slices.BinarySearchFunc(t.Records, n, func(r record.Record, n int) int { return r.N - n })
	if !ok || n == 0 {
		return nil
	}
	return &t.Records[i]
}

// found describes a hit.
type found struct {
	terminal *record.Terminal
	path     string
	line     string
	place    string // the folder
	command  string // "" for what belongs to none
	when     string // of the command
	outcome  string
}

// running describes the command that runs.
func (f *found) running() {
	f.command, f.outcome = f.terminal.Command, record.Running
	if f.terminal.CommandStarted != nil {
		f.when = wording.Minute(*f.terminal.CommandStarted)
	}
}

// ended describes a command that has ended. Named says that only the command itself
// has the words, and not the line at a place.
func (f *found) ended(r *record.Record, at record.Place, named bool) {
	output, err := f.terminal.Output(*r)
	before := at.Part == r.Part && at.Byte < r.Bytes[0]
	if before && !named && !echoes(f.line, r.Command) {
		return // another program has printed it while the shell prompted
	}
	f.command, f.when, f.place = r.Command, wording.Minute(r.Start), cmp.Or(r.Cwd, f.place)
	f.outcome = exit(r.Exit, r.Signal)
	if err != nil {
		return
	}
	f.path = f.terminal.ID + "/" + commandsName + "/" + strconv.Itoa(r.N) + ".txt"
	if named || before {
		f.line = lastLine(output)
	}
}

// echoes reports whether a line is the prompt with a command.
func echoes(line, command string) bool {
	const enough = 60
	command, _, _ = strings.Cut(command, "\n")
	return strings.Contains(line, clean.Prefix(clean.Line(command), enough))
}

// lastLine returns the last line of an output that is not empty, if it is not too long.
func lastLine(o *record.Output) string {
	text := make([]byte, min(o.Size(), 1<<10))
	n, _ := o.ReadAt(text, o.Size()-int64(len(text)))
	whole := o.Size() == int64(n)
	text = bytes.TrimSpace(text[:n])
	i := bytes.LastIndexByte(text, '\n')
	if i < 0 && !whole {
		return ""
	}
	return clean.Cut(clean.Line(strings.ToValidUTF8(string(text[i+1:]), "")), commandLen)
}

// The most bytes that a match shows of a command.
const foundCommandLen = 80

// match returns the match that shows a hit.
func (f *found) match(h fulltext.Hit) facts.Match {
	m := facts.Match{
		Path: f.path, Kind: kind, Title: "terminal " + f.terminal.ID,
		Evidence: facts.Evidence{Time: cmp.Or(h.Time, h.Text.Time), Place: f.place, Part: f.terminal.ID},
	}
	if f.command == "" {
		m.Why = wording.Minute(h.Text.Time) + ": " + f.line
		return m
	}
	command := clean.Cut(clean.Line(f.command), foundCommandLen)
	m.Title += ": " + command
	m.Why = fmt.Sprintf("%s $ %s (%s)", f.when, command, f.outcome)
	if f.line != "" {
		m.Why += ": " + f.line
	}
	return m
}

// scope is a path below which is searched.
type scope struct {
	path string
	id   string // of the terminal; "" for all
	log  string // the name of a part of its log; "" for all
}

func scopeOf(in string) scope {
	s := scope{path: in}
	first, _, deeper := strings.Cut(in, "/")
	if name, ok := strings.CutSuffix(first, ".txt"); ok && !deeper {
		s.log = first
		name, _, _ = strings.Cut(name, ".")
		first = name
	}
	s.id = first
	return s
}

func (s scope) hasScreen(t *record.Terminal) bool { return s.id == "" || t.ID == s.id && s.log == "" }

// hasChunk reports whether a chunk, which may be nil, is in the scope.
func (s scope) hasChunk(c *chunk) bool {
	return c != nil && c.terminal.ID == s.id && (s.log == "" || s.log == c.path())
}

// has reports whether a match is in the scope: what is found in a log is, wherever its
// path leads.
func (s scope) has(path string) bool {
	rest, ok := strings.CutPrefix(path, s.path)
	return s.path == "" || s.log != "" || s.path == s.id || ok && (rest == "" || rest[0] == '/')
}
