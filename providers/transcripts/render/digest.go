package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
)

// Digest returns digest.md, of at most budget tokens as count counts them: what an
// agent needs to continue after its context was lost, each line with its place in
// the transcript. It ends with what the session ended with, which has precedence if
// there is little room. What the budget or the summary has no room for is counted,
// part by part. If count is nil, tokens are estimated.
func (s *Summary) Digest(session event.Session, budget int, count func(string) int) []byte {
	if count == nil {
		count = func(text string) int { return len(text)/3 + 1 }
	}
	d := digest{summary: s, id8: ID8(session.ID)}
	head := s.digestHead(session)
	ending := largestFitting(100, 2*maxEnding, budget*2/5, count, d.lastWords)
	out := 0 // how many parts there is no room for at all
	text := func(size int) []byte { return slices.Concat(head, d.parts(size, out), ending) }
	for out < len(digestParts) && count(string(text(0))) > budget {
		out++
	}
	return largestFitting(0, 32<<10, budget, count, text)
}

// largestFitting returns the text of about the largest size between low and high
// that has at most so many tokens, else the text of size low.
func largestFitting(low, high, tokens int, count func(string) int, text func(size int) []byte) []byte {
	best := text(low)
	for most := high; most-low > 1+high/200; {
		middle := (low + most) / 2
		if one := text(middle); count(string(one)) <= tokens {
			low, best = middle, one
		} else {
			most = middle
		}
	}
	return best
}

func (s *Summary) digestHead(session event.Session) []byte {
	out := []byte("# Digest of ")
	out = append(out, clean.Line(session.Agent)...)
	out = append(out, " session "...)
	out = append(out, clean.Cut(clean.Line(session.ID), 100)...)
	if session.Title != "" {
		out = append(out, ": "...)
		out = append(out, oneLineOf(session.Title, 100)...)
	}
	out = append(out, '\n')
	if session.CWD != "" {
		out = append(out, clean.Cut(clean.Line(session.CWD), 200)...)
		out = append(out, ", "...)
	}
	if !session.Start.IsZero() {
		out = append(appendTime(out, session.Start), " to "...)
		out = append(appendTime(out, session.Last), ", "...)
	}
	out = strconv.AppendInt(out, int64(s.Events), 10)
	out = append(out, " blocks"...)
	if session.Model != "" {
		out = append(out, ", "...)
		out = appendToken(out, session.Model)
	}
	return append(out, ". An anchor such as [id/00012] is a block of transcript.md: rg -F '/00012]' -A 20 transcript.md\n"...)
}

type digestPart struct {
	title string
	share int // of a hundred
	rank  int // the part of the highest rank is left out first where there is no room
	write func(*digest, int)
}

var digestParts = [...]digestPart{
	{"Request", 14, 1, (*digest).request},
	{"Concepts and tools", 7, 8, (*digest).tools},
	{"Files and changes", 15, 5, (*digest).files},
	{"Errors and what followed", 11, 6, (*digest).failures},
	{"Problem solving so far", 13, 7, (*digest).conclusions},
	{"User messages", 27, 4, (*digest).messages},
	{"Open tasks", 7, 3, (*digest).tasks},
	{"Current work", 6, 2, (*digest).lastCalls},
}

// parts returns all parts but the ending, of size bytes together, without the out
// parts of the highest ranks.
func (d digest) parts(size, out int) []byte {
	d.out = nil
	for _, part := range digestParts {
		if part.rank <= len(digestParts)-out {
			d.part(part.title, size*part.share/100, part.write)
		}
	}
	return d.out
}

// lastWords returns the ending.
func (d digest) lastWords(size int) []byte {
	d.out = nil
	d.part("Last words", size, (*digest).ending)
	return d.out
}

func (d *digest) part(title string, size int, write func(*digest, int)) {
	d.out = append(d.out, "\n## "...)
	d.out = append(d.out, title...)
	d.out = append(d.out, '\n')
	from := len(d.out)
	write(d, size)
	if len(d.out) == from {
		d.out = append(d.out, "none\n"...)
	}
}

// ID8 returns the short id of a session in anchors and names: the first eight
// letters and digits of its id, without the word that some agents begin all their
// ids with ("ses_", "agent-").
func ID8(id string) string {
	const length = 8
	if i := strings.IndexAny(id, "_-"); i > 0 && i < len(id)-1 && !isHexadecimal(id[:i]) && isWord(id[:i]) {
		id = id[i+1:]
	}
	short := make([]byte, 0, length)
	for i := 0; i < len(id) && len(short) < length; i++ {
		if c := id[i]; isName(id[i:i+1]) && c != '-' && c != '_' {
			short = append(short, c)
		}
	}
	return cmp.Or(string(short), "session")
}

// isHexadecimal reports whether the first part of an id is that of a uuid, not a
// word.
func isHexadecimal(part string) bool {
	return len(part) == 8 && strings.Trim(part, "0123456789abcdefABCDEF") == ""
}

func isWord(part string) bool {
	return !slices.ContainsFunc([]byte(part), func(c byte) bool { return c|0x20 < 'a' || c|0x20 > 'z' })
}

// digest is a digest.md that is being written.
type digest struct {
	summary *Summary
	id8     string
	out     []byte
}

// line appends "- text [anchor]".
func (d *digest) line(text string, seq int) {
	d.out = append(d.out, "- "...)
	d.out = append(d.out, text...)
	if seq > 0 {
		d.out = append(d.out, ' ')
		d.out = (&Transcript{ID8: d.id8}).anchor(d.out, seq)
	}
	d.out = append(d.out, '\n')
}

// omitted appends how many lines were left out of a part, and where to find them.
func (d *digest) omitted(n int, what, where string) {
	if n > 0 {
		d.out = append(d.out, '(')
		d.out = strconv.AppendInt(d.out, int64(n), 10)
		d.out = append(d.out, " more "...)
		d.out = append(d.out, what...)
		d.out = append(d.out, ": "...)
		d.out = append(d.out, where...)
		d.out = append(d.out, ")\n"...)
	}
}

// lineCost is about the size of an anchor and the rest of a line, in bytes.
const lineCost = 20

// budgetShare returns how many of n texts can be shown in size bytes, and how many
// bytes of each: rather fewer texts than less than least bytes of each.
func budgetShare(n, size, least, most int) (shown, each int) {
	if n == 0 {
		return 0, 0
	}
	shown = min(n, max(size/(least+lineCost), 1))
	return shown, min(max(size/shown-lineCost, least), most)
}
