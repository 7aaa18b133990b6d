package render

import (
	"cmp"
	"strconv"

	"ctxfs/providers/transcripts/event"
)

// isMark reports whether events of a kind are lines between the blocks.
func isMark(kind event.Kind) bool {
	return kind == event.Compaction || kind == event.Rewind || kind == event.Fork
}

// mark appends the line of a mark.
func (t *Transcript) mark(dst []byte, e *event.Event) []byte {
	dst = append(dst, "===== "...)
	switch e.Kind {
	case event.Compaction:
		t.Compactions++
		dst = append(dst, "COMPACTION "...)
		dst = strconv.AppendInt(dst, int64(t.Compactions), 10)
		dst = append(dst, ' ')
		var c event.Compact
		if e.Compact != nil {
			c = *e.Compact
		}
		dst = appendToken(dst, cmp.Or(c.Trigger, "-"))
		dst = append(dst, ' ')
		dst = appendTime(dst, e.Time)
		if c.Tokens > 0 {
			dst = append(dst, ", "...)
			dst = strconv.AppendInt(dst, int64(c.Tokens), 10)
			dst = append(dst, " tokens before"...)
		}
	case event.Rewind:
		dst = append(dst, "REWIND to "...)
		var back event.Rewound
		if e.Rewound != nil {
			back = *e.Rewound
		}
		if back.To > 0 {
			dst = appendSeq(dst, back.To)
		} else {
			dst = append(dst, "the beginning"...)
		}
		dst = append(dst, ' ')
		dst = appendTime(dst, e.Time)
		if back.Count > 0 {
			dst = append(dst, ", "...)
			dst = strconv.AppendInt(dst, int64(back.Count), 10)
			dst = append(dst, " taken back"...)
		}
	case event.Fork:
		dst = append(dst, "FORK of "...)
		dst = appendToken(dst, cmp.Or(e.Text, "another session"))
		dst = append(dst, ": "...)
		if e.Rewound != nil && e.Rewound.Count > 0 {
			dst = strconv.AppendInt(dst, int64(e.Rewound.Count), 10)
			dst = append(dst, " records are"...)
		} else {
			dst = append(dst, "what came before is"...)
		}
		dst = append(dst, " told there"...)
		if e.Text != "" {
			dst = append(dst, ", by-id/"...)
			dst = appendToken(dst, e.Text)
		}
	}
	dst = append(dst, ' ')
	dst = t.anchor(dst, e.Seq)
	return append(dst, " =====\n"...)
}
