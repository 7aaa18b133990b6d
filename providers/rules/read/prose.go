package read

import (
	"iter"
	"strings"
)

// Prose yields the lines of a Markdown text without their ends, with spaces instead of
// what is code: lines of blocks between fences, and spans between backticks.
func Prose(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		fence := ""
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			switch mark := fenceOf(line); {
			case fence == "" && fenceOf(withoutMarker(line)) != "":
				fence = fenceOf(withoutMarker(line))
				line = ""
			case fence != "":
				if strings.HasPrefix(mark, fence) && strings.Trim(strings.TrimSpace(line), mark[:1]) == "" {
					fence = ""
				}
				line = ""
			default:
				line = withoutSpans(line)
			}
			if !yield(line) {
				return
			}
		}
	}
}

// withoutMarker returns a line without the mark of an item of a list or of a quotation.
func withoutMarker(line string) string {
	rest := strings.TrimLeft(line, " \t")
	for _, mark := range []string{"- ", "* ", "+ ", "> "} {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			return after
		}
	}
	return line
}

// fenceOf returns the fence that a line begins with, or "".
func fenceOf(line string) string {
	rest := strings.TrimLeft(line, " \t") // in a list a block is indented
	for _, c := range []string{"`", "~"} {
		if n := len(rest) - len(strings.TrimLeft(rest, c)); n >= 3 {
			return rest[:n]
		}
	}
	return ""
}

// withoutSpans replaces the spans of code in a line by spaces.
func withoutSpans(line string) string {
	if !strings.Contains(line, "`") {
		return line
	}
	out := []byte(line)
	for at := 0; at < len(line); {
		if line[at] != '`' {
			at++
			continue
		}
		ticks := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
		end := closingTicks(line[at+ticks:], ticks)
		if end < 0 {
			at += ticks
			continue
		}
		for i := at; i < at+ticks+end; i++ {
			out[i] = ' '
		}
		at += ticks + end
	}
	return string(out)
}

// closingTicks returns where the run of exactly n backticks ends that closes a span, or
// -1.
func closingTicks(s string, n int) int {
	for at := 0; at < len(s); {
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		if run == n {
			return at + n
		}
		at += max(run, 1)
	}
	return -1
}
