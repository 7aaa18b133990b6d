package records

import (
	"fmt"
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
)

// ParseTime parses a time in the format RFC 3339. It returns the zero time for
// any other text.
func ParseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Millis returns the time n milliseconds after 1970, the zero time where n is out
// of range.
func Millis(n int64) time.Time {
	if n <= 0 || n > 1<<48 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

// Time returns the time in a JSON value: RFC 3339, or a number of seconds or
// milliseconds since 1970. It is zero if the record has no time.
func Time(v lazyjson.Value) time.Time {
	switch v.Type {
	case lazyjson.String:
		return ParseTime(v.Str)
	case lazyjson.Number:
		n := v.Float()
		switch {
		case n <= 0 || n > 1e14:
		case n > 1e11:
			return time.UnixMilli(int64(n)).UTC()
		default:
			return time.UnixMilli(int64(n * 1000)).UTC()
		}
	}
	return time.Time{}
}

// PartID returns the id of the nth event of a message, from 0.
func PartID(message string, n int) string {
	if n == 0 {
		return message
	}
	return fmt.Sprintf("%s.%d", message, n)
}

// Prompt returns the beginning of what a person typed, for a title: at most 400
// bytes, without the tags and reminders that programs put around it.
func Prompt(text string) string {
	const most = 400
	text = unwrapped(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// unwrapped returns a prompt without the reminders that programs put before it,
// and without the tags that they put around it.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	for _, tag := range []string{"system-reminder", "mode_notice"} {
		for strings.HasPrefix(text, "<"+tag) {
			_, after, ok := strings.Cut(text, "</"+tag+">")
			if !ok {
				break
			}
			text = strings.TrimSpace(after)
		}
	}
	for _, tag := range []string{"task", "user_message", "user_input", "feedback", "answer"} {
		if rest, ok := strings.CutPrefix(text, "<"+tag); ok {
			_, rest, ok = strings.Cut(rest, ">")
			if ok {
				text, _, _ = strings.Cut(rest, "</"+tag+">")
			}
			break
		}
	}
	return strings.TrimSpace(text)
}

// FirstLine returns the first line of a text that is not blank, cut to 200
// characters, for a title.
func FirstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return cutRunes(line, 200)
		}
	}
	return ""
}

// cutRunes returns the first n runes of a text.
func cutRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
