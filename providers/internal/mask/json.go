package mask

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxfs/fs/jsonscan"
)

// JSON returns a JSON text, or lines of JSON, with its secrets masked, and as
// valid as it was. It does not retain text, and returns it if there are no
// secrets. Secret numbers become strings.
func JSON(text []byte) []byte {
	m := New()
	out := m.Mask(text)
	if len(out) == len(text) && bytes.Equal(out, text) || valid(out) || !valid(text) {
		return out
	}
	return (&values{text: text, spans: m.all}).mask()
}

// valid reports whether all lines of a text, or the whole, are JSON.
func valid(text []byte) bool {
	if json.Valid(text) {
		return true
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !json.Valid(line) {
			return false
		}
	}
	return true
}

// values masks a JSON text with a secret that extends beyond a string: each value
// by itself, by its key and by the secrets that lie within it.
type values struct {
	text   []byte
	spans  []span // of the whole text, in order
	out    []byte
	levels []level
}

// level is an object or array around a place of the text.
type level struct {
	object bool
	value  bool   // of an object: a value comes next
	key    string // of the value, or of the array
	label  string // the name of the object itself, as in {"name": NAME, "value": ...}
	flag   string // the preceding flag, in an array of arguments
}

// mask returns the masked text. The text is valid, so brackets match.
func (v *values) mask() []byte {
	v.out = make([]byte, 0, len(v.text))
	v.levels = []level{{}}
	done := 0
	for s := (jsonscan.Scanner{Text: v.text}); ; {
		t := s.Next()
		v.out = append(v.out, v.text[done:t.Begin]...) // white space
		done = t.End
		in := &v.levels[len(v.levels)-1]
		switch c := t.Kind; {
		case c == jsonscan.End, c == jsonscan.Open:
			return append(v.out, v.text[t.Begin:t.End]...)
		case c == jsonscan.String:
			v.literal(in, t.Begin, t.End)
			continue
		case c == jsonscan.Word && (v.text[t.Begin] == '-' || is(v.text[t.Begin], digit)):
			v.scalar(in, t.Begin, t.End)
			continue
		case c == '{':
			v.levels = append(v.levels, level{object: true})
		case c == '[':
			v.levels = append(v.levels, level{key: in.key})
		case (c == '}' || c == ']') && len(v.levels) > 1:
			v.levels = v.levels[:len(v.levels)-1]
		case c == ':':
			in.value = true
		case c == ',':
			in.value = false
		}
		v.out = append(v.out, v.text[t.Begin:t.End]...)
	}
}

// literal masks a string, which may be a key.
func (v *values) literal(in *level, at, end int) {
	var s string
	_ = json.Unmarshal(v.text[at:end], &s) // the text is valid
	if in.object && !in.value {
		if in.key = s; in.label != "" && strings.EqualFold(s, "value") {
			in.key = in.label
		}
		v.out = append(v.out, encoded(v.text[at:end], s, Text(s))...)
		return
	}
	v.scalar(in, at, end)
	switch {
	case !in.object:
		in.flag = ""
		if name := strings.TrimLeft(s, "-"); len(name) < len(s) {
			in.flag = name
		}
	case strings.EqualFold(in.key, "name"), strings.EqualFold(in.key, "key"):
		in.label = s
	}
}

// scalar masks a value that is a string or a number.
func (v *values) scalar(in *level, at, end int) {
	literal := v.text[at:end]
	for len(v.spans) > 0 && v.spans[0].from < at { // those that begin before do not end here
		v.spans = v.spans[1:]
	}
	inside := 0
	for inside < len(v.spans) && v.spans[inside].to <= end {
		inside++
	}
	if inside > 0 {
		if masked := hide(v.text[:end], at, v.spans[:inside]); json.Valid(masked) {
			literal = masked
		}
	}
	s := string(literal)
	if literal[0] == '"' {
		_ = json.Unmarshal(literal, &s) // the text is valid
	}
	hidden := Field(in.key, s)
	if !in.object && in.flag != "" {
		hidden = Field(in.flag, hidden)
	}
	if hidden == s {
		hidden = Text(s)
	}
	v.out = append(v.out, encoded(literal, s, hidden)...)
}

// encoded returns what replaces a literal with the value s, once that is
// hidden.
func encoded(literal []byte, s, hidden string) []byte {
	if hidden == s {
		return literal
	}
	out, _ := json.Marshal(hidden) // a string
	return out
}
