package render

import (
	"cmp"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// ending is what a session ended with, however long ago that was: a reader who
// continues has to know the request, and what is pending.
type ending struct {
	// Said is what the model said last, with the question or plan that it may end
	// with; Shown what it showed after that by a tool: a question or a plan. Asked
	// is what the user said last.
	Said  *note `json:"said,omitempty"`
	Shown *note `json:"shown,omitempty"`
	Asked *note `json:"asked,omitempty"`
	// After is what went wrong since: errors, interruptions. Success, or a later
	// message, clears it.
	After []note `json:"after,omitempty"`
}

const (
	maxEnding = 3 << 10 // bytes stored of the last message
	maxAfter  = 3
	longAfter = 400
)

// addReply records what the model has said, or shown by a tool if one is named.
func (n *ending) addReply(seq int, tool, text string) bool {
	if text = lastWords(text, maxEnding); text == "" {
		return false
	}
	if n.After = nil; tool != "" {
		n.Shown = &note{Seq: seq, Text: text, How: tool}
	} else {
		n.Said, n.Shown = &note{Seq: seq, Text: text}, nil
	}
	return true
}

func (n *ending) asked(seq int, how, text string) {
	if text = lastWords(text, maxEnding); text != "" {
		n.Asked, n.After = &note{Seq: seq, Text: text, How: how}, nil
	}
}

// addFault records what went wrong.
func (n *ending) addFault(seq int, how, text string) {
	if text = oneLineOf(text, longAfter); text == "" {
		return
	}
	if len(n.After) == maxAfter {
		n.After = append(n.After[:0], n.After[1:]...)
	}
	n.After = append(n.After, note{Seq: seq, Text: text, How: how})
}

// interruption reports whether the text that a program puts into the
// conversation reports that the user has stopped the model.
func interruption(text string) bool {
	text = strings.TrimSpace(clean.Prefix(text, 200))
	return strings.HasPrefix(text, "[Request interrupted") || strings.HasPrefix(text, "<turn_aborted>")
}

// shownToUser returns what a call tells or asks the user; "" if it does neither.
func shownToUser(tool string, input lazyjson.Value) string {
	name := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(tool), "_", ""), "-", "")
	var texts []string
	add := func(v lazyjson.Value) {
		if v.Type == lazyjson.String && strings.TrimSpace(v.Str) != "" {
			texts = append(texts, v.Str)
		}
	}
	switch {
	case strings.Contains(name, "ask") || strings.Contains(name, "question") || name == "requestuserinput":
		add(input.Get("question"))
		for _, q := range lazyjson.All(input.Get("questions")) {
			if add(q); q.IsObject() {
				add(q.Get("question"))
				add(q.Get("prompt"))
				texts = append(texts, options(q.Get("options"))...)
			}
		}
		if len(texts) > 0 {
			texts = append(texts, options(input.Get("options"))...)
		}
	case strings.HasSuffix(name, "planmode") || name == "presentplan" || name == "createplan":
		add(input.Get("plan"))
	case name == "planmoderespond":
		add(input.Get("response"))
		texts = append(texts, options(input.Get("options"))...)
	case name == "attemptcompletion":
		add(input.Get("result"))
	}
	return strings.Join(texts, "\n")
}

// options returns the answers that a question offers.
func options(v lazyjson.Value) (texts []string) {
	for _, one := range lazyjson.All(v) {
		text := one.Str
		if one.IsObject() {
			text = cmp.Or(one.Get("label").Str, one.Get("text").Str)
		}
		if text != "" && len(texts) < 10 {
			texts = append(texts, "("+text+")")
		}
	}
	return texts
}

// lastWords returns a text as one line of at most limit bytes. A longer one is
// shortened in its first part: the first and the last sentences stay, and the last
// question with what follows it.
func lastWords(text string, limit int) string {
	// Of megabytes no more than needed is cleaned.
	if most := 8 * limit; len(text) > 2*most {
		text = clean.Prefix(text, most) + "\n" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return shortenToEnd(clean.Line(blobs(clean.Text(text))), limit)
}

// shortenToEnd shortens a line to at most limit bytes. Called again with a smaller
// limit it returns parts of what it returned before.
func shortenToEnd(line string, limit int) string {
	const gap = " … "
	if len(line) <= limit {
		return line
	}
	if limit < 60 {
		return clean.Cut(line, limit)
	}
	from, to := lastQuestion(line)
	head := limit / 5
	room := limit - head - 2*len(gap)
	switch {
	case to == 0 || len(line)-from <= room: // the question is among the last words
		tail := lastPart(line, room)
		return clean.Cut(line[:len(line)-len(tail)], head) + gap[len(" …"):] + tail
	case to-from <= room: // it is whole, and as much as there is room for of both ends
		return clean.Cut(line[:from], head) + " " + line[from:to] + gap + lastPart(line[to:], room-(to-from))
	}
	return lastPart(line[:to], limit)
}

// lastQuestion returns where the last question of a line stands, with the rest of
// its sentence; to is 0 if the line asks nothing. In a long line only the second
// half is searched.
func lastQuestion(line string) (from, to int) {
	least := 0
	if len(line) > maxEnding {
		least = len(line) / 2
	}
	for i := len(line) - 1; i >= least; i-- {
		if line[i] != '?' || i+1 < len(line) && !strings.ContainsRune(` "')*_]}`+"`", rune(line[i+1])) {
			continue
		}
		for from = i; from > 0; from-- {
			if line[from] == ' ' && strings.IndexByte(".!?:", line[from-1]) >= 0 {
				from++
				break
			}
		}
		return from, i + 1
	}
	return 0, 0
}

// lastPart returns the end of a line, of at most limit bytes, from the beginning of
// a sentence, or else of a word, where one is near.
func lastPart(line string, limit int) string {
	const ellipsis = "…"
	if len(line) <= limit {
		return line
	}
	if limit <= len(ellipsis) {
		return ""
	}
	tail := strings.ToValidUTF8(line[len(line)-limit+len(ellipsis):], "")
	for i := 1; i < len(tail)/3; i++ {
		if tail[i] == ' ' && strings.IndexByte(".!?", tail[i-1]) >= 0 {
			return ellipsis + tail[i+1:]
		}
	}
	if i := strings.IndexByte(tail, ' '); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	return ellipsis + tail
}

// addEnding records what a session may end with of an event.
func (s *Summary) addEnding(e *event.Event) {
	switch {
	case e.Kind == event.User && e.Origin != event.Injected:
		s.Ending.asked(e.Seq, e.Origin, e.Text)
	case e.Kind == event.User && interruption(e.Text):
		s.Ending.addFault(e.Seq, "interrupted", e.Text)
	case e.Kind == event.Assistant && e.Model == synthetic:
		s.Ending.addFault(e.Seq, "program", e.Text)
	case e.Kind == event.System:
		s.Ending.addFault(e.Seq, "program", e.Text)
	}
}

// synthetic is the model that Claude Code names for messages of its own.
const synthetic = "<synthetic>"

// ending appends what the session ended with, in texts of at most size bytes
// together.
func (d *digest) ending(size int) {
	n := &d.summary.Ending
	var said []*note
	for _, one := range []*note{n.Said, n.Shown} {
		if one != nil {
			said = append(said, one)
		}
	}
	if n.Asked != nil && n.Asked.Seq > d.summary.Ending.replySeq() {
		said = append(said, n.Asked) // earlier questions are answered, and shown above
	}
	open := d.summary.stopped()
	room := size - size/8*(len(n.After)+len(open))
	for i, one := range said {
		// What is short leaves its share to the others.
		least := room / (len(said) - i)
		for _, other := range said[i+1:] {
			least += max(0, room/len(said)-len(other.Text))
		}
		what := "the model said last: "
		if one == n.Asked {
			what = "the user said then: "
		}
		if one.How != "" {
			what += one.How + ": "
		}
		text := shortenToEnd(one.Text, max(least, 80))
		room -= len(text)
		d.line(what+text, one.Seq)
	}
	for _, one := range n.After {
		d.line(one.How+": "+clean.Cut(one.Text, max(size/8, 80)), one.Seq)
	}
	for _, st := range open {
		text := "no result yet: " + st.Tool
		if st.What != "" {
			text += " `" + clean.Cut(st.What, max(size/8, 40)) + "`"
		}
		d.line(text, st.Seq)
	}
}

// replySeq returns the number of what the model said last.
func (n *ending) replySeq() (seq int) {
	for _, one := range []*note{n.Said, n.Shown} {
		if one != nil {
			seq = max(seq, one.Seq)
		}
	}
	return seq
}

// stopped returns the last calls without a result, for an agent that stores
// results.
func (s *Summary) stopped() []*step {
	if s.Results == 0 {
		return nil
	}
	after := s.Ending.replySeq()
	if asked := s.Ending.Asked; asked != nil {
		after = max(after, asked.Seq)
	}
	var open []*step
	for _, st := range s.Open {
		if st.Seq >= after { // the question itself may be a call
			open = append(open, st)
		}
	}
	return open[max(0, len(open)-maxAfter):]
}
