package cache

import (
	"cmp"
	"strings"

	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// writer receives the events of one run of an agent's reader and appends them to
// an entry.
type writer struct {
	entry *Entry
	*scratch
	// keepTexts stores folded texts in the entry, because the source cannot be cut.
	keepTexts bool
	// messagesOnly writes nothing but messages.jsonl, of limit events.
	messagesOnly bool
	limit        int
	// inherited are the records that are left out; nil for none. teller is the id
	// of the session that has the one that was left out last.
	inherited *inherited
	teller    string

	span event.Span // of the record that is being read

	err error
}

// flushSize is how much is collected before it is written, in bytes.
const flushSize = 1 << 20

func (w *writer) Session() *event.Session { return &w.entry.Session }

func (w *writer) Emit(e event.Event) int {
	b := w.entry
	if w.messagesOnly && b.Seq == w.limit {
		return b.Seq
	}
	e.Mask()
	if e.Kind == event.Fork {
		e.Text = w.tellerOf(e.Text)
	}
	b.Seq++
	e.Seq = b.Seq
	e.At = w.span
	if !isMark(&e) {
		w.span.Part++
	}
	b.Understood = b.Understood || e.Kind != event.Unknown
	if e.Kind == event.Unknown && strings.HasPrefix(e.Record, "{") {
		e.Quiet = true // a new type of record; a damaged one is shown
	}
	b.Session.Saw(e.Time)
	b.Timed = b.Timed || !e.Quiet && !e.Time.IsZero()
	if w.messagesOnly {
		w.messages = render.AppendJSON(w.messages, &e)
		w.flushMuch()
		return e.Seq
	}
	if !e.Quiet && b.Transcript == 0 && len(w.transcript) == 0 {
		w.transcript = b.Writer.Header(w.transcript, b.Session)
	}
	var folded render.Folded
	if w.transcript, folded = b.Writer.Append(w.transcript, &e); folded.Name != "" {
		w.fold(&e, folded)
	}
	b.Summary.CWD = cmp.Or(b.Summary.CWD, b.Session.CWD)
	b.Summary.Add(&e)
	if b.Messages >= 0 {
		w.messages = render.AppendJSON(w.messages, &e)
	}
	w.flushMuch()
	return e.Seq
}

// isMark reports whether an event depends on what came before its record, so that
// the record alone does not determine it.
func isMark(e *event.Event) bool { return e.Kind == event.Rewind || e.Kind == event.Fork }

func (w *writer) flushMuch() {
	if len(w.transcript)+len(w.text)+len(w.messages) > flushSize {
		w.flush()
	}
}

// fold records where a text is that the transcript does not show whole.
func (w *writer) fold(e *event.Event, f render.Folded) {
	r := Result{
		Name: f.Name, at: e.At, Size: f.Size, Spill: f.Spill, Time: e.Time,
	}
	if w.keepTexts {
		text := render.ResultText(e)
		r.at = event.Span{Offset: w.entry.Text + int64(len(w.text)), Length: int64(len(text)), Part: stored}
		w.text = append(w.text, text...)
	}
	w.index = r.append(w.index)
	w.names()[strings.ToLower(f.Name)] = struct{}{}
	w.entry.Results++
}

// taken reports whether a name in results/ is in use.
func (w *writer) taken(name string) bool {
	_, ok := w.names()[strings.ToLower(name)]
	return ok
}

// names returns the names in results/, which are read when first needed.
func (w *writer) names() map[string]struct{} {
	b := w.entry
	if b.names == nil {
		b.names = make(map[string]struct{})
		results, err := b.readResults()
		if err != nil && w.err == nil {
			w.err = err
		}
		for _, r := range results {
			b.names[strings.ToLower(r.Name)] = struct{}{}
		}
	}
	return b.names
}

func (w *writer) Note(id string) {
	b := w.entry
	hash := HashID(id)
	w.knownIDs()[hash] = uint32(b.Seq)
	w.ids = appendID(w.ids, hash, uint32(b.Seq))
}

func (w *writer) Known(id string) (seq int, ok bool) {
	n, ok := w.knownIDs()[HashID(id)]
	return int(n), ok
}

// knownIDs returns the ids of the entry, which are read when first needed.
func (w *writer) knownIDs() map[uint64]uint32 {
	if w.entry.ids == nil {
		ids, err := w.entry.readIDs()
		if err != nil && w.err == nil {
			w.err = err
		}
		w.entry.ids = ids
	}
	return w.entry.ids
}

// inherit leaves out the records that other sessions have, unless the entry has to be
// whole.
func (w *writer) inherit(b *Entry, in *inherited) {
	if in.sum() != 0 && !b.Whole {
		w.inherited = in
	}
}

func (w *writer) Inherited(id string) bool {
	if w.inherited == nil {
		return false
	}
	teller, ok := w.inherited.teller(id)
	if ok {
		w.teller = teller
	}
	return ok
}

// tellerOf returns the id of the session that has the records which a fork leaves
// out. The reader knows only what the fork says about itself: that session may be
// gone, or have no such record.
func (w *writer) tellerOf(says string) string {
	switch {
	case w.teller != "":
		return w.teller
	case w.inherited != nil && !w.inherited.Has(says):
		return w.inherited.Nearest().ID
	}
	return says
}

// flush writes what was collected.
func (w *writer) flush() {
	b := w.entry
	for _, part := range []struct {
		name string
		text *[]byte
		size *int64
	}{
		{transcriptFileName(b.Generation), &w.transcript, &b.Transcript},
		{resultsFileName(b.Generation), &w.index, &b.Index},
		{idsFileName(b.Generation), &w.ids, &b.IDs},
		{textFileName(b.Generation), &w.text, &b.Text},
		{sumsFileName(b.Generation), &w.sums, &b.Sums},
		{messagesFileName(b.Generation), &w.messages, &b.Messages},
	} {
		if w.err == nil {
			w.err = b.appendTo(part.name, *part.text, part.size)
		}
		*part.text = (*part.text)[:0]
	}
}

// scratch is memory for rendering one session, reused for the next: most sessions
// are small, and without reuse it would be most of what is allocated.
type scratch struct {
	read []byte // of the log

	// What a writer collects.
	transcript, index, ids, text, sums, messages []byte
}

// maxScratch is the largest piece that is reused, in bytes: memory that one very
// long record needed is freed.
const maxScratch = 4 << 20

// borrow returns memory to work in. The caller must release it.
func (c *Cache) borrow() *scratch {
	if s, ok := c.scratch.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

func (c *Cache) release(s *scratch) {
	for _, piece := range []*[]byte{&s.read, &s.transcript, &s.index, &s.ids, &s.text, &s.sums, &s.messages} {
		if *piece = (*piece)[:0]; cap(*piece) > maxScratch {
			*piece = nil
		}
	}
	c.scratch.Put(s)
}
