package terminals

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"

	"ctxfs/providers/terminals/record"
)

// chunk is a part of a log that is indexed as one text. Where a chunk ends depends on
// the bytes of the log alone, so all processes have the same ones.
type chunk struct {
	name     string // unique
	terminal *record.Terminal
	part     int
	from, to int64 // in the part's file
	newer    int   // how many chunks of the terminal follow
	time     time.Time
}

const (
	// chunkSize is the least length of a chunk, except for the last one of a part.
	chunkSize = 1 << 20
	// longestLine is how far the end of a line is looked for: a log has no longer
	// lines.
	longestLine = 80 << 10
	// keptChunks is how many chunks of one command's output can be found of its
	// beginning, and as many of its end.
	keptChunks = 32
)

// chunksOf returns the chunks of a terminal, the oldest first. Old are those of before.
func chunksOf(t *record.Terminal, parts []record.Part, old []*chunk) (all []*chunk) {
	known := make(map[string]int64, len(old)) // where chunks end that are complete
	for i, c := range old {
		if i+1 < len(old) && old[i+1].part == c.part && old[i+1].from == c.to {
			known[c.name] = c.to
		}
	}
	for _, p := range parts {
		from := min(t.HeaderLen, p.Size)
		for n := 0; from < p.Size; n++ {
			c := &chunk{name: fmt.Sprintf("%s/%d/%d", t.ID, p.Number, n), terminal: t, part: p.Number, from: from, to: p.Size, time: p.ModTime}
			if end, ok := known[c.name]; ok && end <= p.Size {
				c.to = end
			} else if end, ok := endOfChunk(t.Path(p.Number), from, p.Size); ok {
				c.to = end
			}
			all = append(all, c)
			from = c.to
		}
	}
	for i, c := range all {
		c.newer = len(all) - 1 - i
	}
	return all
}

// withoutMiddles returns chunks without the middles of long outputs: a command that
// floods the terminal does not fill the index.
func withoutMiddles(all []*chunk) (kept []*chunk) {
	for len(all) > 0 {
		n := 1
		if of := all[0].owner(); of >= 0 {
			for n < len(all) && all[n].owner() == of {
				n++
			}
		}
		run := all[:n]
		if all = all[n:]; n > 2*keptChunks {
			kept = append(kept, run[:keptChunks]...)
			run = run[n-keptChunks:]
		}
		kept = append(kept, run...)
	}
	return kept
}

// owner returns the number of the command that has printed all of a chunk, 0 if it is
// of none; -1 if it is of several.
func (c *chunk) owner() int {
	spans := spansOf(c.terminal, c.part, c.from, c.to)
	if len(spans) != 1 {
		return -1
	}
	return spans[0].number
}

// endOfChunk returns where the chunk ends that begins at an offset of a file; ok is
// false while it is not complete.
func endOfChunk(path string, from, size int64) (end int64, ok bool) {
	at := from + chunkSize
	if size <= at {
		return 0, false
	}
	f, err := openLog(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	buf := make([]byte, 4<<10)
	for end = at; end < min(size, at+longestLine); {
		part := buf[:min(int64(len(buf)), size-end)]
		n, _ := f.ReadAt(part, end)
		if i := bytes.IndexByte(part[:n], '\n'); i >= 0 {
			return end + int64(i) + 1, true
		}
		if n < len(part) {
			return 0, false
		}
		end += int64(n)
	}
	if size < at+longestLine {
		return 0, false
	}
	n, _ := f.ReadAt(buf[:utf8.UTFMax], at)
	for i := range n { // not within a character
		if utf8.RuneStart(buf[i]) {
			return at + int64(i), true
		}
	}
	return at, true
}

// openLog opens a file of a terminal, unless it is something else.
func openLog(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// span is a part of a log: the output of a command with its prompt before it, or what
// belongs to no command.
type span struct {
	start, end int64          // in the part's file; they may lie outside of it
	number     int            // of the command, or 0
	record     *record.Record // of a command that has ended
}

// spansOf returns the spans that overlap a range of a part, in order and without gaps.
func spansOf(t *record.Terminal, part int, from, to int64) (all []span) {
	const begin, never = int64(0), int64(1) << 62
	here := func(p record.Place) int64 { // as an offset of this part
		switch {
		case p.Part < part:
			return begin
		case p.Part > part:
			return never
		}
		return p.Byte
	}
	i, _ := slices.BinarySearchFunc(t.Records, from, func(r record.Record, from int64) int {
		if here(endOf(&r)) <= from {
			return -1
		}
		return 1
	})
	before, n := begin, 0 // the end of the command before, and its number
	if i > 0 {
		before, n = here(endOf(&t.Records[i-1])), t.Records[i-1].N
	}
	add := func(s span) {
		if s.start > from { // something unknown came before it
			all = append(all, span{start: before, end: min(s.start, to)})
			from = min(s.start, to)
		}
		if from < to {
			all = append(all, s)
			from = min(s.end, to)
		}
		before, n = s.end, s.number
	}
	for ; i < len(t.Records) && from < to; i++ {
		r := &t.Records[i]
		s := span{start: before, end: here(endOf(r)), number: r.N, record: r}
		if r.N != n+1 {
			s.start = here(record.Place{Part: r.Part, Byte: r.Bytes[0]})
		}
		add(s)
	}
	if from < to && t.Command != "" && t.CommandAt != nil {
		s := span{start: before, end: to, number: t.Commands}
		if t.Commands != n+1 {
			s.start = here(*t.CommandAt)
		}
		add(s)
	}
	if from < to {
		all = append(all, span{start: before, end: never})
	}
	return all
}

// endOf returns where the output of a command ends.
func endOf(r *record.Record) record.Place {
	return record.Place{Part: max(r.Part, r.EndPart), Byte: r.Bytes[1]}
}
