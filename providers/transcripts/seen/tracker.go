// Package seen finds out what a session last saw of the files that it read and wrote:
// their text, as far as its own log has it.
//
// A [Tracker] takes the events of a session in order. It starts from what calls have read
// (listing.go), and repeats on it what calls have edited (edit.go). Where that leaves a
// doubt, the text is forgotten, never guessed: a caller then knows only the time. A
// [Reader] runs the agents' readers over logs and databases (reader.go).
//
// Unlike all else in transcripts, the texts are not masked, since they are compared with
// files on disk.
package seen

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/toolcall"
)

const (
	// maxText is the longest text of a file that is kept, in bytes, and maxTexts is how
	// much of all files is; what was seen first is forgotten first.
	maxText  = 512 << 10
	maxTexts = 16 << 20
	// maxParts is how many pieces of a file are kept.
	maxParts = 64
	// maxOpen is how many calls wait for their results.
	maxOpen = 100
)

// Tracker follows what a session sees of files. It is not safe for concurrent use.
type Tracker struct {
	cwd     string
	raw     bool // the agent's tools show files as they are, without numbers of lines
	results int
	open    []*open
	files   map[string]*file
	turn    int // counts changes of files
	size    int // of all texts
}

// open is a call that waits for its result.
type open struct {
	id   string
	call *toolcall.Call
	at   time.Time
	// recorded is what the agent has recorded of the file.
	recorded []event.File
}

// file is what the session knows of a file.
type file struct {
	facts.Read
	turn int
}

// NewTracker returns a Tracker of a session of an agent in a folder.
func NewTracker(agent, cwd string) *Tracker {
	return &Tracker{cwd: cwd, raw: slices.Contains(rawReaders(), agent), files: make(map[string]*file)}
}

// rawReaders are the agents whose tools for reading return the text of a file as it is.
// Seen in sessions of each.
func rawReaders() []string { return []string{"gemini", "pi", "cursor", "cline", "codex"} }

// Add adds the next event of the session.
func (t *Tracker) Add(e *event.Event) {
	switch {
	case e.Quiet:
	case e.Call != nil:
		call := *e.Call
		if len(t.open) == maxOpen {
			t.open = slices.Delete(t.open, 0, 1)
		}
		t.open = append(t.open, &open{id: call.ID, call: toolcall.Parse(&call), at: e.Time})
	case e.Result != nil:
		t.results++
		i := slices.IndexFunc(t.open, func(o *open) bool {
			return o.id == e.Result.CallID && (o.id != "" || o.call.Tool == e.Result.Name)
		})
		if i < 0 {
			return
		}
		o := t.open[i]
		t.open = slices.Delete(t.open, i, i+1)
		if !e.Result.Error {
			t.done(o, e.Time, e.Result.Text)
		}
	}
}

// File adds what an agent has recorded of a file beside the result of a call.
func (t *Tracker) File(callID string, f event.File) {
	for _, o := range t.open {
		if o.id == callID {
			o.recorded = append(o.recorded, f)
		}
	}
}

// Reads returns what the session has seen, in the order of the paths. The texts must not
// be changed. Where the agent stores no results at all, a call counts as done.
func (t *Tracker) Reads() (all []facts.Read) {
	if t.results == 0 {
		for _, o := range t.open {
			t.done(o, o.at, "")
		}
		t.open = nil
	}
	for _, f := range t.files {
		s := f.Read
		s.Parts = slices.Clone(s.Parts)
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b facts.Read) int { return cmp.Compare(a.File, b.File) })
	return all
}

// done records what a call has done.
func (t *Tracker) done(o *open, at time.Time, result string) {
	if patch := o.call.Patch(); patch != "" {
		t.patch(patch, at)
		return
	}
	for _, removed := range o.call.Removes() {
		t.removed(t.path(removed), at)
	}
	files := o.call.Files()
	for _, named := range files {
		f := t.file(named.Path, at)
		switch {
		case len(files) > 1:
			t.set(f, nil, false) // the texts are not assigned to files
		case named.Writes:
			t.written(f, o)
		default:
			t.read(f, o, result)
		}
	}
}

// removed records that the session has removed what it knows at and below a path.
func (t *Tracker) removed(path string, at time.Time) {
	for name, f := range t.files {
		if fs.Within(name, path) {
			t.file(name, at)
			t.set(f, nil, false)
			f.Gone = true
		}
	}
}

// path returns the path of a file that a call names.
func (t *Tracker) path(name string) string {
	name = strings.TrimPrefix(name, "file://")
	if len(name) < 2 || name[1] != ':' && !strings.HasPrefix(name, `\\`) { // no path of Windows
		name = path.Clean(name)
		if t.cwd != "" && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "~") {
			name = path.Join(t.cwd, name)
		}
	}
	return name
}

// file returns what is known of a file that a call names, as seen now.
func (t *Tracker) file(name string, at time.Time) *file {
	name = t.path(name)
	f := t.files[name]
	if f == nil {
		f = &file{Read: facts.Read{File: strings.Clone(name)}}
		t.files[f.File] = f
	}
	t.turn++
	f.turn, f.Gone = t.turn, false
	if !at.IsZero() {
		f.Time = at.UTC()
	}
	return f
}

// set sets the text of a file; no parts stand for a text that is not known.
func (t *Tracker) set(f *file, parts []facts.ReadPart, whole bool) {
	t.size -= f.size()
	for i := range parts {
		parts[i].Text = lines(parts[i].Text)
	}
	f.Parts, f.Whole = parts[max(0, len(parts)-maxParts):], whole
	if f.size() > maxText {
		f.Parts, f.Whole = nil, false
	}
	t.size += f.size()
	for t.size > maxTexts {
		var oldest *file
		for _, other := range t.files {
			if len(other.Parts) > 0 && other != f && (oldest == nil || other.turn < oldest.turn) {
				oldest = other
			}
		}
		if oldest == nil {
			return
		}
		t.size -= oldest.size()
		oldest.Parts, oldest.Whole = nil, false
	}
}

func (f *file) size() (n int) {
	for _, p := range f.Parts {
		n += len(p.Text)
	}
	return n
}

// lines returns a text as whole lines, with "\n" as their ends. It is a copy: a part of a
// record would keep all of it in memory.
func lines(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if text == "" || strings.HasSuffix(text, "\n") {
		return strings.Clone(text)
	}
	return text + "\n"
}

// read records that the session has read a file.
func (t *Tracker) read(f *file, o *open, result string) {
	for _, r := range o.recorded {
		t.see(f, facts.ReadPart{Line: r.Line, Text: r.Text}, r.Whole)
		return
	}
	part, whole, known := t.listing(o.call, result)
	switch {
	case known:
		t.see(f, part, whole)
	case !strings.Contains(result, "nchanged since"): // Claude Code: "File unchanged since last read."
		t.set(f, nil, false)
	}
}

// see adds what was seen of a file to what is known. Pieces that were seen before and lie
// where the new one does are replaced.
func (t *Tracker) see(f *file, part facts.ReadPart, whole bool) {
	if whole {
		t.set(f, []facts.ReadPart{part}, true)
		return
	}
	if part.Text = strings.TrimRight(lines(part.Text), "\n"); part.Text == "" {
		return
	}
	part.Text += "\n" // a listing may show one line more than the file has
	if f.Whole && len(f.Parts) > 0 && contains(f.Parts[0].Text, part.Text) {
		return // as it was known
	}
	count := strings.Count(part.Text, "\n")
	parts := []facts.ReadPart{}
	for _, p := range f.Parts {
		n := strings.Count(p.Text, "\n")
		if !f.Whole && (part.Line == 0 || p.Line == 0 || p.Line+n <= part.Line || part.Line+count <= p.Line) && p.Text != part.Text {
			parts = append(parts, p)
		}
	}
	parts = append(parts, part)
	slices.SortStableFunc(parts, func(a, b facts.ReadPart) int { return cmp.Compare(a.Line, b.Line) })
	t.set(f, parts, false)
}

// contains reports whether a text has some lines, one after the other.
func contains(text, some string) bool {
	return strings.HasPrefix(text, some) || strings.Contains(text, "\n"+some)
}
