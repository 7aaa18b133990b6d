package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// Error says why arguments cannot be used. Its texts are clean: foreign names
// and values in them are cut and hold no control characters.
type Error struct {
	What string          // what is wrong, as one sentence in lower case without a full stop
	Hint string          // what was probably meant or what to write; may be ""
	Part json.RawMessage // the part of the schema that matters, an object with a name or a few, at most some 2 kB; may be nil
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.What
	}
	return e.What + "; " + e.Hint
}

func errorf(format string, args ...any) *Error { return &Error{What: fmt.Sprintf(format, args...)} }

func (e *Error) hint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

func (e *Error) part(part json.RawMessage) *Error {
	e.Part = part
	return e
}

// quoted shows a foreign text within a sentence.
func quoted(s string) string { return `"` + shown(s) + `"` }

func shown(s string) string {
	const longest = 60
	return clean.Cut(clean.Line(clean.Prefix(s, 4*longest)), longest)
}

// flagName shows a name as a flag.
func flagName(name string) string { return "--" + shown(name) }

// listed shows a list of names, cut where it is long.
func listed(names []string, show func(string) string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = show(name)
	}
	return wording.List(list, 30)
}

// object1 is a JSON object of one member.
func object1(name string, raw json.RawMessage) json.RawMessage {
	return objectOf([]member{{name, raw}})
}

// objectOf is the JSON object of some members. Hidden characters are escaped.
func objectOf(list []member) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(quoteJSON(m.name))
		out.WriteByte(':')
		out.Write(m.raw)
	}
	out.WriteByte('}')
	return clean.JSON(out.Bytes())
}

// quoteJSON is a text as a JSON string. What is not valid UTF-8 is replaced.
func quoteJSON(s string) json.RawMessage {
	var out bytes.Buffer
	out.Grow(len(s) + 16)
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string and a buffer: cannot fail
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
