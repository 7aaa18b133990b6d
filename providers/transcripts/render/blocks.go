package render

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/transcripts/event"
)

// Block is a block of a transcript, as it is read back.
type Block struct {
	// Anchor names the block in its session: "0b0e2bd1/00012".
	Anchor string
	// Time is zero if the block has no time.
	Time time.Time
	Kind event.Kind
	// Name is the tool of a call or a result, and the origin of a user's block.
	Name string
	// Call is the end of a call's id.
	Call  string
	Error bool
	// Agent is the subagent that the block belongs to, or "".
	Agent string
	// Body is the text below the heading.
	Body string
}

// blockMark is what a block begins with, and no other line.
const blockMark = "### ["

// Blocks calls yield with each block of a transcript, given its first most bytes.
// Marks of compactions, rewinds and forks are in the block before them.
func Blocks(transcript io.Reader, most int, yield func(Block)) error {
	return eachBlock(transcript, most, func(text []byte) {
		if b, ok := parseBlock(string(text)); ok {
			yield(b)
		}
	})
}

// eachBlock is Blocks before the headings are read. The bytes are valid until yield
// returns.
func eachBlock(text io.Reader, most int, yield func(block []byte)) error {
	const step = 256 << 10
	mark := []byte("\n" + blockMark)
	var buf []byte // from the beginning of a block, or of what precedes the first one
	tail := 0      // bytes at its end that may begin a mark
	for ended := false; !ended; {
		from := len(buf)
		buf = slices.Grow(buf, step)[:from+step]
		n, err := io.ReadFull(text, buf[from:])
		buf = buf[:from+n]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			ended = true
		} else if err != nil {
			return err
		}
		start, search := 0, max(0, from-tail)
		for {
			i := bytes.Index(buf[search:], mark)
			if i < 0 {
				break
			}
			end := search + i + 1
			yield(buf[start:min(end, start+most)])
			start, search = end, end
		}
		if ended {
			yield(buf[start:min(len(buf), start+most)])
			return nil
		}
		rest := buf[start:]
		if len(rest) > most+len(mark) { // the end of a long block is not needed
			rest = append(rest[:most:most], rest[len(rest)-len(mark):]...)
		}
		buf = append(buf[:0], rest...)
		tail = min(len(buf), len(mark))
	}
	return nil
}

// parseBlock reads a block; ok is false for what precedes the first one.
func parseBlock(text string) (b Block, ok bool) {
	line, body, _ := strings.Cut(text, "\n")
	anchor, rest, ok := strings.Cut(line, "] ")
	words := strings.Fields(rest)
	if !strings.HasPrefix(line, blockMark) || !ok || len(words) < 2 {
		return b, false
	}
	b.Anchor = strings.TrimPrefix(anchor, blockMark)
	b.Time, _ = time.Parse(time.RFC3339, words[0]) // "-" is no time
	b.Kind, b.Body = event.Kind(words[1]), body
	if len(words) > 2 && !strings.Contains(words[2], "=") {
		b.Name = words[2]
	}
	b.Error = slices.Contains(words, "error")
	for _, w := range words {
		if value, ok := strings.CutPrefix(w, "call="); ok && b.Call == "" {
			b.Call = value
		} else if value, ok := strings.CutPrefix(w, "agent="); ok && b.Agent == "" {
			b.Agent = value
		}
	}
	return b, true
}
