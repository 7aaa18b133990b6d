package terminals

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/terminals/record"
)

var _ fulltext.Sectioned = (*library)(nil)

// library is the logs of all terminals as the full-text index sees them: in chunks,
// whose sections are commands.
type library struct {
	shown func() []*record.Terminal

	mu     sync.Mutex
	logs   map[string]*log   // by the terminal's ID
	chunks map[string]*chunk // by name
	sizes  map[string]int64  // by path, as of the last call of grown
}

// log is what is known of one terminal's log.
type log struct {
	terminal *record.Terminal
	size     int64 // of the newest part
	all      []*chunk
	chunks   []*chunk // those that can be found
}

func newLibrary(shown func() []*record.Terminal) *library {
	return &library{shown: shown, logs: make(map[string]*log), sizes: make(map[string]int64)}
}

// Texts implements fulltext.Library. The ends of all logs come first, so that a log
// that grows fast does not hide what others have shown. It costs a stat for each open
// terminal: what they have just written is part of it.
func (l *library) Texts() []fulltext.Text {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look()
	all := slices.SortedFunc(maps.Values(l.chunks), func(a, b *chunk) int {
		return cmp.Or(cmp.Compare(a.newer, b.newer), b.time.Compare(a.time), strings.Compare(a.name, b.name))
	})
	texts := make([]fulltext.Text, len(all))
	for i, c := range all {
		texts[i] = fulltext.Text{Session: c.name, Generation: generation(c.terminal), Size: c.to - c.from, Time: c.time}
	}
	return texts
}

// generation distinguishes terminals that have had the same ID.
func generation(t *record.Terminal) uint32 {
	n := t.Started.UnixMilli()<<8 ^ t.HeaderLen
	return uint32(n ^ n>>32)
}

// look brings the chunks up to date. The caller holds mu.
func (l *library) look() {
	terminals := l.shown()
	changed := len(terminals) != len(l.logs)
	logs := make(map[string]*log, len(terminals))
	for _, t := range terminals {
		parts := newest(t)
		size := int64(0)
		if n := len(parts); n > 0 {
			size = parts[n-1].Size
		}
		old := l.logs[t.ID]
		if old == nil || old.terminal != t || old.size != size {
			next := &log{terminal: t, size: size}
			if old != nil && generation(old.terminal) == generation(t) {
				next.all = old.all
			}
			next.all = chunksOf(t, parts, next.all)
			next.chunks = withoutMiddles(next.all)
			old, changed = next, true
		}
		logs[t.ID] = old
	}
	if l.logs = logs; !changed {
		return
	}
	l.chunks = make(map[string]*chunk)
	for _, log := range logs {
		for _, c := range log.chunks {
			l.chunks[c.name] = c
		}
	}
}

// grown returns how many bytes the files at some paths have grown since it was last
// called for them, of those that are parts of logs.
func (l *library) grown(paths []string) (by int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, path := range paths {
		if !record.IsPart(filepath.Base(path)) {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil {
			delete(l.sizes, path)
			continue
		}
		by += max(0, info.Size()-l.sizes[path])
		l.sizes[path] = info.Size()
	}
	return by
}

// newest returns the parts of a terminal, with the size that the newest has now.
func newest(t *record.Terminal) []record.Part {
	n := len(t.Parts)
	if n == 0 || !t.Running() {
		return t.Parts
	}
	parts := slices.Clone(t.Parts)
	p := &parts[n-1]
	if info, err := os.Lstat(t.Path(p.Number)); err == nil && info.Mode().IsRegular() {
		p.Size, p.ModTime = info.Size(), info.ModTime()
	}
	return parts
}

// chunk returns the chunk of a text; nil if it is gone.
func (l *library) chunk(t fulltext.Text) *chunk {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.chunks[t.Session]
	if c == nil || generation(c.terminal) != t.Generation {
		return nil
	}
	return c
}

// Open implements fulltext.Library.
func (l *library) Open(t fulltext.Text) (fulltext.File, error) {
	c := l.chunk(t)
	if c == nil {
		return nil, os.ErrNotExist
	}
	f, err := openLog(c.terminal.Path(c.part))
	if err != nil {
		return nil, err
	}
	return openChunk{f, c.from}, nil
}

// openChunk is a chunk that is being read.
type openChunk struct {
	*os.File
	from int64
}

func (f openChunk) ReadAt(p []byte, off int64) (int, error) { return f.File.ReadAt(p, f.from+off) }

// Sections implements fulltext.Sectioned.
func (l *library) Sections(text fulltext.Text, from, to int64) []fulltext.Section {
	if text.Body != nil { // a screen
		s := fulltext.Section{End: int64(len(text.Body)), Time: text.Time}
		if t := l.terminal(text); t != nil && t.Command != "" {
			s.Number, s.Name = t.Commands, commandWords(t.Command, nil)
		}
		return []fulltext.Section{s}
	}
	c := l.chunk(text)
	if c == nil {
		return []fulltext.Section{{End: to}}
	}
	var all []fulltext.Section
	for _, s := range spansOf(c.terminal, c.part, c.from+from, c.from+to) {
		section := fulltext.Section{Start: s.start - c.from, End: s.end - c.from, Number: s.number, Time: text.Time}
		switch {
		case s.record != nil:
			section.Name, section.Time = commandWords(s.record.Command, s.record), s.record.End
		case s.number > 0:
			section.Name = commandWords(c.terminal.Command, nil)
		}
		all = append(all, section)
	}
	return all
}

// maxNamed is how much of a command finds its output, in bytes.
const maxNamed = 1 << 10

// commandWords returns the words that find what a command has printed: its own, and
// how it failed.
func commandWords(command string, r *record.Record) string {
	command = clean.Prefix(command, maxNamed)
	if r == nil || !r.Failed() {
		return command
	}
	if r.Signal != nil {
		return command + " failed killed " + *r.Signal
	}
	return command + " failed " + exit(r.Exit, nil)
}

// screenEnd is the end of the name of a text that is a screen.
const screenEnd = "/screen"

// maxScreen is how much of a screen is searched, in bytes.
const maxScreen = 256 << 10

// screens returns what is on the screens of the open terminals that are wanted. It is
// the first to have what was printed: lines that may still be redrawn are not in the
// log.
func (l *library) screens(wanted func(*record.Terminal) bool) (all []fulltext.Text) {
	for _, t := range l.shown() {
		if !t.Running() || !wanted(t) {
			continue
		}
		f, err := openLog(filepath.Join(t.Dir, record.ScreenFile))
		if err != nil {
			continue
		}
		body := make([]byte, maxScreen)
		n, _ := f.ReadAt(body, 0)
		info, err := f.Stat()
		if f.Close(); n > 0 && err == nil {
			all = append(all, fulltext.Text{
				Session: t.ID + screenEnd, Generation: generation(t), Size: int64(n), Time: info.ModTime(), Body: body[:n:n],
			})
		}
	}
	return all
}

// terminal returns the terminal of a text; nil if it is gone.
func (l *library) terminal(text fulltext.Text) *record.Terminal {
	id, _, _ := strings.Cut(text.Session, "/")
	for _, t := range l.shown() {
		if t.ID == id && generation(t) == text.Generation {
			return t
		}
	}
	return nil
}
