package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"

	"ctxfs/fs/jsonscan"
	"ctxfs/providers/internal/clean"
)

// Member is one member of a JSON object, its value as it was written.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Object is a JSON object with its members in their order: the order of a
// schema's keys is its author's choice and is preserved.
type Object []Member

var errNotObject = errors.New("not a JSON object")

// ParseObject reads an object, whose values remain parts of raw. If members have
// the same name the last one counts, in the place of the first.
func ParseObject(raw []byte) (Object, error) {
	if s := (jsonscan.Scanner{Text: raw}); s.Next().Kind != '{' || !json.Valid(raw) {
		return nil, errNotObject
	}
	var o Object
	place := make(map[string]int)
	for name, value := range Parts(raw) {
		if i, ok := place[name]; ok {
			o[i].Value = value
			continue
		}
		place[name] = len(o)
		o = append(o, Member{name, value})
	}
	return o, nil
}

// Get returns the value of a member, or nil.
func (o Object) Get(name string) json.RawMessage {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Text returns the value of a member that is a string, or "".
func (o Object) Text(name string) string {
	var s string
	if raw := o.Get(name); raw == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// With sets a member, in the place of one with that name or at the end, and
// returns the object. It may change o.
func (o Object) With(name string, value json.RawMessage) Object {
	for i := range o {
		if o[i].Name == name {
			o[i].Value = value
			return o
		}
	}
	return append(o, Member{name, value})
}

// Append appends the object's text to out, without spaces between members.
func (o Object) Append(out []byte) ([]byte, error) {
	out = append(out, '{')
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), m.Value...)
	}
	return append(out, '}'), nil
}

// Indent returns the one form in which JSON is shown: indented by two spaces,
// cleaned of what terminals and readers could misinterpret, with a final newline.
func Indent(compact []byte) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(compact) + len(compact)/4)
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return bytes.Clone(clean.JSON(out.Bytes())), nil // without the buffer's spare room
}
