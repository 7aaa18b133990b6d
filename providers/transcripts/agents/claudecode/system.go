package claudecode

import (
	"cmp"
	"strconv"
	"strings"

	"ctxfs/providers/transcripts/event"
)

// system reads what the program said, to the user or only for its records.
func (r *reader) system(c *record) {
	text := textOf(c.Content)
	switch c.Subtype {
	case "compact_boundary":
		r.compacted(c)
	case "microcompact_boundary":
		r.microcompacted(c, text)
	case "api_error", "error":
		r.emit(c, event.Event{Kind: event.System, Text: c.errorText(text)})
	case "turn_duration", "stop_hook_summary", "session_start":
	default:
		if text != "" {
			r.emit(c, event.Event{Kind: event.System, Text: text})
		}
	}
}

// compacted emits a compaction mark. The summary is the next record.
func (r *reader) compacted(c *record) {
	r.emit(c, event.Event{Kind: event.Compaction, Compact: &event.Compact{
		Trigger: c.Compact.Get("trigger").String(),
		Tokens:  int(c.Compact.Get("preTokens").Int()),
	}})
	// Earlier messages may be followed again (preserved messages): that takes
	// nothing back.
	r.Conversation = 0
}

// microcompacted emits a note that the program left out old results.
func (r *reader) microcompacted(c *record, text string) {
	meta := c.value.Get("microcompactMetadata")
	text = cmp.Or(text, "Context microcompacted")
	if trigger := meta.Get("trigger").String(); trigger != "" {
		text += ", " + trigger
	}
	if n := meta.Get("preTokens").Int(); n > 0 {
		text += ", " + strconv.FormatInt(n, 10) + " tokens before"
	}
	if n := meta.Get("tokensSaved").Int(); n > 0 {
		text += ", " + strconv.FormatInt(n, 10) + " tokens saved"
	}
	r.emit(c, event.Event{Kind: event.System, Text: text})
}

// errorText returns the words of an error record, which are found under several
// names.
func (c *record) errorText(text string) string {
	words := []string{strings.ReplaceAll(c.Subtype, "_", " ")}
	fault := c.value.Get("error")
	if status := fault.Get("status").Int(); status != 0 {
		words = append(words, strconv.FormatInt(status, 10))
	}
	said := text
	for _, path := range []string{"error.error.message", "error.message", "message", "cause.code"} {
		if said == "" {
			said = fault.Get(path).String()
		}
	}
	if said == "" && fault.Type != 0 && !fault.IsObject() {
		said = fault.String()
	}
	if said == "" {
		said = c.value.Get("cause.message").String()
	}
	if said != "" {
		words[len(words)-1] += ":"
		words = append(words, said)
	}
	if n := c.value.Get("retryAttempt").Int(); n > 0 {
		words = append(words, "(attempt "+strconv.FormatInt(n, 10)+" of "+c.value.Get("maxRetries").String()+")")
	}
	return strings.Join(words, " ")
}
