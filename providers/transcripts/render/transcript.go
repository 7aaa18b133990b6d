// Package render renders the events of a session as text: transcript.md, the files
// in results/, messages.jsonl, digest.md and files.tsv. It has no files and no
// clock: equal events give equal bytes.
//
// # transcript.md
//
// The transcript is a heading followed by blocks, one for each event, in order. A
// block begins with one line, which is made for searching:
//
//	### [08940314/00012] 2026-02-08T05:46:11Z tool-call Bash call=9cXkT2fQ
//
// The words are, in this order and without spaces of their own:
//
//   - the anchor: the session's short id and the number of the event, of five
//     digits or more. Numbers of events that are not shown are left out.
//   - the time in UTC, or "-"
//   - the kind: user, assistant, thinking, tool-call, tool-result, system,
//     compaction (a summary), unknown
//   - the tool of calls and results, the type of unknown records
//   - queued, injected or sdk, in user blocks that no person typed at the prompt
//   - error, in results
//   - call=, the last eight characters of the call's id: a result has that of its
//     call
//   - model=, in an assistant's block when the model has changed
//   - agent=, the subagent within this session that the block belongs to
//   - subagent=, the id of the session that a call has started
//
// So `rg '^### .* user'` lists what the agent was sent, and `rg 'tool-result
// Bash.*error'` the commands that failed.
//
// The text follows that line, as it was said and with its own line ends. The
// arguments of a call are lines of "name: value"; a value of several lines stands
// below its name, indented. Texts over 4 KB, or over 16 KB where a person or the
// model said them, are folded to their first and last lines; single lines are cut
// at 2 KB. A block that does not show its whole text ends with a line that says
// where that is:
//
//	[whole: results/9cXkT2fQ.Bash.txt, 36.7 KB, 1207 lines]
//
// Marks are lines of their own:
//
//	===== COMPACTION 1 auto 2026-02-08T05:46:11Z, 155000 tokens before [08940314/00400] =====
//	===== REWIND to 00012 2026-02-08T05:46:11Z, 3 taken back [08940314/00420] =====
//	===== FORK of 79e9becd-…: 120 records are told there, by-id/79e9becd-… [08940314/00001] =====
//
// No text can pass for a heading or a mark: a line of a text that begins with
// "### " or "=====" gets a space before it. Control characters, escapes and
// invisible characters are removed, and binary data is replaced by a note such as
// "[image/png 34 KB]".
package render

import (
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
)

// Transcript renders the events of one session as transcript.md, one after the
// other. JSON saves and restores it between two runs.
type Transcript struct {
	// ID8 is the session's short id, as anchors show it.
	ID8 string `json:"id8"`
	// Compactions is how many there were.
	Compactions int `json:"compactions,omitempty"`
	// Model is the one that a heading named last.
	Model string `json:"model,omitempty"`
	// Taken reports whether a file in the session's results/ has that name already,
	// without regard to case; it has to know the names that Append has returned. If
	// it is nil, no name is taken.
	Taken func(name string) bool `json:"-"`
}

// Folded describes a text that is not shown whole: it is a file in results/.
type Folded struct {
	// Name is the file's name in results/; "" if nothing was folded.
	Name string
	// Size and Lines are those of the text that [ResultText] makes of the event.
	Size  int64
	Lines int
	// Spill is the agent's own file with the whole text, if the event has only a
	// part of it. Its text is foreign and has to be cleaned.
	Spill string
}

// Header appends the heading of a transcript: what never changes in a session.
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

// Append appends the block of an event to a transcript, or nothing where the event
// is quiet. A text that the block does not show in full has to be served as
// results/<Folded.Name>: [ResultText] returns it for the same event.
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
	text := fullText(e)
	dst = t.heading(dst, e)
	dst, cut := appendFolded(dst, text, foldLimit(e))
	var folded Folded
	if spill := spillPath(e); cut || spill != "" {
		folded = Folded{Name: t.fileName(e), Size: int64(len(text)), Lines: countLines(text), Spill: spill}
		dst = appendPointer(dst, &folded)
	}
	return append(dst, '\n'), folded
}

// ResultText returns the whole text of an event, as results/ has it where the
// transcript shows only a part: the same bytes every time.
func ResultText(e *event.Event) []byte { return []byte(fullText(e)) }

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

// appendTime appends a time in UTC, or "-".
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

// fullText returns all the text of an event, cleaned, with notes for binary data.
func fullText(e *event.Event) string {
	var text string
	switch {
	case e.Call != nil:
		text = readable(e.Call.Input)
		if e.Text != "" {
			text = e.Text + "\n" + text
		}
	case e.Result != nil:
		text = e.Result.Text
	case e.Kind == event.Unknown:
		text = readable(e.Record)
	case e.Kind == event.Compaction && e.Compact != nil:
		text = e.Compact.Summary
	default:
		text = e.Text
	}
	return blobs(clean.Text(text))
}

// spillPath returns the path of the agent's own file with the whole result, or "".
func spillPath(e *event.Event) string {
	if e.Result == nil {
		return ""
	}
	return e.Result.Spill
}

// The lengths in bytes above which texts are folded.
const (
	longText  = 4 << 10
	longProse = 16 << 10 // of what people and the model said
)

func foldLimit(e *event.Event) int {
	if e.Kind == event.Assistant || e.Kind == event.User && e.Origin != event.Injected {
		return longProse
	}
	return longText
}

// countLines returns the number of lines of a text; a last one without an end
// counts too.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
