package render

import (
	"cmp"
	"strconv"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
)

// Digest makes digest.md, of at most budget tokens as count counts them: what an
// agent needs to go on after its context was lost, each line with the place in
// the transcript. What the budget or the summary has no room for is counted,
// part for part. Without count tokens are estimated.
func (s *Summary) Digest(session event.Session, budget int, count func(string) int) []byte {
	if count == nil {
		count = func(text string) int { return len(text)/3 + 1 }
	}
	head := s.digestHead(session)
	// The largest size of the parts that the budget allows, by halving.
	low, high := 0, 32<<10
	best := s.digestParts(session, head, low)
	for high-low > 200 {
		middle := (low + high) / 2
		text := s.digestParts(session, head, middle)
		if count(string(text)) <= budget {
			low, best = middle, text
		} else {
			high = middle
		}
	}
	return best
}

func (s *Summary) digestHead(session event.Session) []byte {
	out := []byte("# Digest of ")
	out = append(out, clean.Line(session.Agent)...)
	out = append(out, " session "...)
	out = append(out, clean.Line(session.ID)...)
	if session.Title != "" {
		out = append(out, ": "...)
		out = append(out, brief(session.Title, 100)...)
	}
	out = append(out, '\n')
	if session.CWD != "" {
		out = append(out, clean.Cut(clean.Line(session.CWD), 300)...)
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

// digestParts makes the digest with parts that have size bytes together.
func (s *Summary) digestParts(session event.Session, head []byte, size int) []byte {
	d := digest{summary: s, id8: ID8(session.ID), out: append([]byte(nil), head...)}
	for _, part := range []struct {
		title string
		share int // of a hundred
		write func(*digest, int)
	}{
		{"Request", 14, (*digest).request},
		{"Concepts and tools", 7, (*digest).tools},
		{"Files and changes", 15, (*digest).files},
		{"Errors and what followed", 11, (*digest).failures},
		{"Problem solving so far", 13, (*digest).points},
		{"User messages", 25, (*digest).messages},
		{"Open tasks", 7, (*digest).tasks},
		{"Current work", 8, (*digest).work},
	} {
		d.out = append(d.out, "\n## "...)
		d.out = append(d.out, part.title...)
		d.out = append(d.out, '\n')
		from := len(d.out)
		part.write(&d, size*part.share/100)
		if len(d.out) == from {
			d.out = append(d.out, "none\n"...)
		}
	}
	return d.out
}

// ID8 is the short id of a session in anchors and names: the first eight letters
// and digits of its id, without the word that some agents begin all their ids
// with ("ses_", "agent-").
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

// isHexadecimal tells the first part of a uuid from a word.
func isHexadecimal(part string) bool {
	return len(part) == 8 && strings.Trim(part, "0123456789abcdefABCDEF") == ""
}

func isWord(part string) bool {
	for _, c := range []byte(part) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return true
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

// left appends what was left out of a part, and where to find it.
func (d *digest) left(n int, what, where string) {
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

// lineCost is about what an anchor and the rest of a line take.
const lineCost = 20

// share tells how many of n texts can be shown in size bytes, and with how many
// bytes each: rather fewer of them than less than least bytes of each.
func share(n, size, least, most int) (shown, each int) {
	if n == 0 {
		return 0, 0
	}
	shown = min(n, max(size/(least+lineCost), 1))
	return shown, min(max(size/shown-lineCost, least), most)
}
