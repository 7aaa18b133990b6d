package render

import (
	"strconv"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
)

// Transcript makes transcript.md of the events of one session, one after the
// other. JSON saves and restores it between two runs.
type Transcript struct {
	// ID8 is the session's short id, as anchors show it.
	ID8 string `json:"id8"`
	// Compactions counts those that were met.
	Compactions int `json:"compactions,omitempty"`
	// Model is the one that was told last.
	Model string `json:"model,omitempty"`
	// Taken tells whether a file in the session's results/ has that name already,
	// without regard to case; it has to know the names that Append has returned.
	// Nil means that none has.
	Taken func(name string) bool `json:"-"`
}

// Folded tells of a text that is not shown whole: it is a file in results/.
type Folded struct {
	// Name is the file's name in results/; "" if nothing was folded.
	Name string
	// Size and Lines are those of the text that [ResultText] makes of the event.
	Size  int64
	Lines int
	// Spill is the file in which the agent keeps the whole, where the event has
	// only a part of it. What is there is foreign text: it is to be cleaned.
	Spill string
}

// Header appends the heading of a transcript: what never changes of a session.
func (t *Transcript) Header(dst []byte, s event.Session) []byte {
	dst = append(dst, "# "...)
	dst = append(dst, clean.Line(s.Agent)...)
	dst = append(dst, " session "...)
	dst = append(dst, clean.Line(s.ID)...)
	dst = append(dst, '\n')
	dst = fact(dst, "cwd", s.CWD)
	if !s.Start.IsZero() {
		dst = append(dst, "start: "...)
		dst = append(appendTime(dst, s.Start), '\n')
	}
	dst = fact(dst, "subagent of", s.Parent)
	dst = fact(dst, "fork of", s.ForkOf)
	return append(dst, "Blocks begin with `### [id/number] time kind`: `rg -A 3 '^### .* user$'` lists what was asked. "+
		"Long texts are whole in results/.\n\n"...)
}

func fact(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(dst, name...)
	dst = append(dst, ": "...)
	dst = append(dst, clean.Line(value)...)
	return append(dst, '\n')
}

// Append appends the block of an event to a transcript, or nothing where the
// event is quiet. The text that an event cannot show whole is to be served as
// results/<Folded.Name>: it is what [ResultText] makes of the same event.
func (t *Transcript) Append(dst []byte, e *event.Event) ([]byte, Folded) {
	if e.Quiet {
		return dst, Folded{}
	}
	if isMark(e.Kind) {
		dst = t.mark(dst, e)
		if e.Compact == nil || e.Compact.Summary == "" {
			return append(dst, '\n'), Folded{}
		}
	}
	text := whole(e)
	dst = t.heading(dst, e)
	dst, cut := appendFolded(dst, text, foldLimit(e))
	var folded Folded
	if spill := spillOf(e); cut || spill != "" {
		folded = Folded{Name: t.fileName(e), Size: int64(len(text)), Lines: lines(text), Spill: spill}
		dst = appendPointer(dst, &folded)
	}
	return append(dst, '\n'), folded
}

// ResultText makes the whole text of an event, as results/ has it where the
// transcript shows only a part: the same bytes every time.
func ResultText(e *event.Event) []byte { return []byte(whole(e)) }

// heading appends the first line of a block.
func (t *Transcript) heading(dst []byte, e *event.Event) []byte {
	dst = append(dst, "### "...)
	dst = t.anchor(dst, e.Seq)
	dst = append(dst, ' ')
	dst = appendTime(dst, e.Time)
	dst = append(dst, ' ')
	dst = appendToken(dst, string(e.Kind))
	switch {
	case e.Call != nil:
		dst = word(dst, "", e.Call.Name)
		dst = word(dst, "call=", shortCall(e.Call.ID))
	case e.Result != nil:
		dst = word(dst, "", e.Result.Name)
		if e.Result.Error {
			dst = append(dst, " error"...)
		}
		dst = word(dst, "call=", shortCall(e.Result.CallID))
	case e.Kind == event.Unknown:
		dst = word(dst, "", e.Text)
	case e.Kind == event.User:
		dst = word(dst, "", e.Origin)
	case e.Kind == event.Compaction:
		dst = append(dst, " summary"...)
	}
	if e.Model != "" && e.Model != t.Model {
		t.Model = e.Model
		dst = word(dst, "model=", e.Model)
	}
	dst = word(dst, "agent=", e.Agent)
	dst = word(dst, "subagent=", e.Subagent)
	return append(dst, '\n')
}

func word(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(dst, ' ')
	dst = append(dst, name...)
	return appendToken(dst, value)
}

// anchor appends [id8/00012].
func (t *Transcript) anchor(dst []byte, seq int) []byte {
	dst = append(dst, '[')
	dst = append(dst, t.ID8...)
	dst = append(dst, '/')
	dst = appendSeq(dst, seq)
	return append(dst, ']')
}

// appendSeq appends a number of at least five digits.
func appendSeq(dst []byte, seq int) []byte {
	for least := 10000; least > 1 && seq < least; least /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(seq), 10)
}

// appendTime appends a time in UTC, or "-" where there is none.
func appendTime(dst []byte, at time.Time) []byte {
	if at.IsZero() {
		return append(dst, '-')
	}
	return at.UTC().AppendFormat(dst, time.RFC3339)
}

// appendToken appends a foreign name as one word of a heading.
func appendToken(dst []byte, s string) []byte {
	const longest = 120
	from := len(dst)
	if len(s) > longest || !isToken(s) {
		s = clean.Prefix(clean.Line(clean.Prefix(s, 8*longest)), longest)
	}
	dst = append(dst, s...)
	for i, c := range dst[from:] {
		if c == ' ' {
			dst[from+i] = '_'
		}
	}
	return dst
}

func isToken(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
