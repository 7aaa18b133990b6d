package render

import (
	"strings"

	"ctxfs/providers/internal/lazyjson"
)

// readable renders a JSON object as lines of "name: value", without escapes. A value
// of several lines stands below its name, indented; so do lists and objects, unless
// they are short. Text that is not a JSON object or list stays as it is.
func readable(input string) string {
	text := strings.TrimLeft(input, " \t\r\n")
	if text == "" || text[0] != '{' && text[0] != '[' || !lazyjson.Valid([]byte(text)) {
		return input
	}
	var w writer
	w.out.Grow(len(input) + len(input)/8)
	w.members(lazyjson.ParseString(text), 0)
	return w.out.String()
}

type writer struct{ out strings.Builder }

// deepest is the depth from which JSON stays JSON.
const deepest = 12

// members writes the members of an object or a list, each beginning on a line
// of its own.
func (w *writer) members(v lazyjson.Value, depth int) {
	object := v.IsObject()
	for key, value := range lazyjson.All(v) {
		w.indent(depth)
		if object {
			w.name(key.String())
			w.out.WriteByte(':')
		} else {
			w.out.WriteByte('-')
		}
		w.value(value, depth)
	}
}

// value writes a value after its name, and the line's end.
func (w *writer) value(v lazyjson.Value, depth int) {
	switch {
	case v.Type == lazyjson.String:
		w.text(v.String(), depth)
	case v.Type == lazyjson.JSON && !isShort(v.Raw) && depth < deepest:
		w.out.WriteByte('\n')
		w.members(v, depth+1)
	default:
		w.text(v.Raw, depth)
	}
}

// text writes a text after its name: on the same line, or below it.
func (w *writer) text(s string, depth int) {
	if !strings.ContainsAny(s, "\n\r") {
		if s != "" {
			w.out.WriteByte(' ')
			w.out.WriteString(s)
		}
		w.out.WriteByte('\n')
		return
	}
	w.out.WriteByte('\n')
	for s != "" {
		var line string
		line, s, _ = strings.Cut(s, "\n")
		if line != "" {
			w.indent(depth + 1)
			w.out.WriteString(line)
		}
		w.out.WriteByte('\n')
	}
}

// name writes the name of a member: one line whatever it is.
func (w *writer) name(s string) {
	if strings.ContainsAny(s, "\n\r") {
		s = strings.Join(strings.Fields(s), " ")
	}
	w.out.WriteString(s)
}

func (w *writer) indent(depth int) {
	for range depth {
		w.out.WriteString("  ")
	}
}

// isShort reports whether JSON may stay as it is: it fits beside its name, and has
// no escapes.
func isShort(raw string) bool { return len(raw) <= 100 && !strings.ContainsAny(raw, "\\\n") }
