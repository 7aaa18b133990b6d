package render

import (
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
)

// whole is all the text of an event, cleaned, with notes for binary data.
func whole(e *event.Event) string {
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

// spillOf is the file in which the agent keeps the whole of a result.
func spillOf(e *event.Event) string {
	if e.Result == nil {
		return ""
	}
	return e.Result.Spill
}

// The sizes from which on texts are folded.
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

// lines counts lines as wc -l does, and a last one without an end.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
