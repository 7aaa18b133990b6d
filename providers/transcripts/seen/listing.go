package seen

import (
	"strconv"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/toolcall"
)

// listing returns what the result of a call that reads shows of the file. It is not known
// where the result has been cut, or has a form that is not understood.
func (t *Tracker) listing(call *toolcall.Call, result string) (part facts.ReadPart, whole, known bool) {
	view := call.View()
	text := body(result, view != nil)
	if text == "" || isCut(text) {
		return part, false, false
	}
	if part, rest, ok := numbered(text); ok {
		return part, part.Line == 1 && isEnd(rest) && !bounded(call, view), true
	}
	if !t.raw && view == nil {
		return part, false, false
	}
	part = facts.ReadPart{Line: 1, Text: text}
	if from, ok := firstLine(call, view); ok {
		part.Line = from
	}
	return part, !bounded(call, view), true
}

// body returns the text of a result without what agents put around that of the file.
func body(result string, command bool) string {
	if strings.HasPrefix(result, "{") { // {"contents": …}, {"output": …}
		if v := lazyjson.ParseString(result); lazyjson.Valid([]byte(result)) {
			for _, name := range []string{"contents", "content", "output"} {
				if text := v.Get(name); text.Type == lazyjson.String {
					return text.Str
				}
			}
		}
	}
	if command { // of Codex: "Chunk ID: …", "Exit code: 0", and more, then "Output:"
		if head, rest, ok := strings.Cut(result, "\nOutput:\n"); ok && strings.Count(head, "\n") < 8 && strings.Contains(head, ": ") {
			return rest
		}
		return result
	}
	if head, rest, ok := strings.Cut(result, "\n"); ok && strings.HasPrefix(head, "[read_file for ") { // of Cline
		result = rest
	}
	for _, tag := range []string{"<content>", "<file>"} { // of opencode, of Crush
		before, rest, ok := strings.Cut(result, tag+"\n")
		if ok && !strings.Contains(strings.TrimSpace(before), "\n\n") && len(before) < 4<<10 {
			text, _, _ := strings.Cut(rest, "\n</"+tag[1:])
			return text
		}
	}
	text, _, _ := strings.Cut(result, "\n\n<system-reminder>") // of Claude Code
	return text
}

// isCut reports whether a result says that it is incomplete.
func isCut(text string) bool {
	for _, piece := range []string{text[:min(len(text), 600)], text[max(0, len(text)-600):]} {
		piece = strings.ToLower(piece)
		for _, mark := range []string{"truncated]", "tokens truncated", "content has been truncated", "output truncated", "characters truncated", "lines omitted"} {
			if strings.Contains(piece, mark) {
				return true
			}
		}
	}
	return false
}

// separators stand between the number of a line and its text, in the tools of Claude Code
// ("→" and a tab), cat -n and nl (a tab), opencode ("| ", ": "), Crush ("|"), Roo Code
// (" | ") and Copilot (". ").
func separators() []string { return []string{"→", "\t", " | ", "| ", "|", ": ", ". "} }

// numbered reads lines with their numbers, one after the other. Rest is what follows them.
func numbered(text string) (part facts.ReadPart, rest string, ok bool) {
	separator := ""
	number, digits := lineNumber(text)
	for _, s := range separators() {
		if digits > 0 && strings.HasPrefix(text[digits:], s) {
			separator = s
			break
		}
	}
	if separator == "" {
		return part, "", false
	}
	part.Line = number
	var b strings.Builder
	for rest = text; rest != ""; number++ {
		n, digits := lineNumber(rest)
		if n != number || digits == 0 {
			break
		}
		line, more, _ := strings.Cut(rest[digits:], "\n")
		after, ok := strings.CutPrefix(line, separator)
		if !ok && strings.TrimSpace(separator) != "" { // an empty line may have lost its blank
			after, ok = strings.CutPrefix(line, strings.TrimRight(separator, " "))
			ok = ok && after == ""
		}
		if !ok {
			break
		}
		b.WriteString(after)
		b.WriteByte('\n')
		rest = more
	}
	part.Text = b.String()
	return part, rest, part.Text != ""
}

// lineNumber returns the number with which a text begins, and how long that is with the
// blanks before it.
func lineNumber(text string) (number, length int) {
	blanks := 0
	for blanks < len(text) && blanks < 12 && text[blanks] == ' ' {
		blanks++
	}
	length = blanks
	for length < len(text) && length < blanks+9 && text[length] >= '0' && text[length] <= '9' {
		length++
	}
	number, err := strconv.Atoi(text[blanks:length])
	if err != nil {
		return 0, 0
	}
	return number, length
}

// isEnd reports whether what follows the lines of a listing does not say that there are
// more.
func isEnd(rest string) bool {
	rest = strings.ToLower(rest)
	return !strings.Contains(rest, "more lines") && !strings.Contains(rest, "truncated") && !strings.Contains(rest, "showing lines") && !strings.Contains(rest, "use offset")
}

// bounded reports whether a call asks for a part of the file only.
func bounded(call *toolcall.Call, view *toolcall.View) bool {
	if view != nil {
		return view.From > 1 || view.To > 0
	}
	_, from := firstLine(call, nil)
	return from || call.Input.Get("limit").Exists() || call.Input.Get("end_line").Exists() || call.Input.Get("endLine").Exists() ||
		call.Input.Get("view_range").Exists() || call.Input.Get("end_line_one_indexed_inclusive").Exists() && !call.Input.Get("should_read_entire_file").Bool()
}

// firstLine returns the first line that a call asks for, if it names one.
func firstLine(call *toolcall.Call, view *toolcall.View) (line int, ok bool) {
	if view != nil {
		return view.From, view.From > 1
	}
	for _, name := range []string{"offset", "start_line", "startLine"} {
		if v := call.Input.Get(name); v.Exists() && v.Int() > 1 {
			return int(v.Int()), true
		}
	}
	return 1, false
}
