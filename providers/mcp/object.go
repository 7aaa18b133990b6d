package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
)

// member is one member of a JSON object, its value as it came.
type member struct {
	name  string
	value json.RawMessage
}

// object is a JSON object with its members in their order: the order of a
// schema's keys is its author's choice, and kept.
type object []member

var errNotObject = errors.New("not a JSON object")

// parseObject reads an object. Of members of one name the last counts.
func parseObject(raw []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil {
		return nil, err
	} else if start != json.Delim('{') {
		return nil, errNotObject
	}
	var o object
	place := make(map[string]int)
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string) // the decoder allows no other
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if i, ok := place[name]; ok {
			o[i].value = value
			continue
		}
		place[name] = len(o)
		o = append(o, member{name, value})
	}
	_, err := dec.Token()
	return o, err
}

// get is the value of a member, or nil.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// text is the value of a member that is a text, or "".
func (o object) text(name string) string {
	var s string
	if raw := o.get(name); raw == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// with is the object with a member, in the place of one of that name.
func (o object) with(name string, value json.RawMessage) object {
	for i := range o {
		if o[i].name == name {
			o[i].value = value
			return o
		}
	}
	return append(o, member{name, value})
}

// append adds the object's compact text to out.
func (o object) append(out []byte) ([]byte, error) {
	out = append(out, '{')
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), m.value...)
	}
	return append(out, '}'), nil
}
