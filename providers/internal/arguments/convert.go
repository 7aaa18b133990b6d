package arguments

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// build returns the object of the parsed command line.
func (p *parser) build() (json.RawMessage, error) {
	if len(p.given) == 0 {
		if p.whole == nil {
			return json.RawMessage("{}"), nil
		}
		return p.whole, nil
	}
	root := &tree{}
	if p.whole != nil {
		root = expand(p.whole)
	}
	deep := 1
	for level := 1; level <= deep; level++ { // whole values first, then their members
		for _, g := range p.given {
			deep = max(deep, len(g.names))
			if len(g.names) != level {
				continue
			}
			raw, err := p.convert(g)
			if err != nil {
				return nil, err
			}
			root.set(g.names, raw)
		}
	}
	return root.json(), nil
}

// tree is an object that is being built.
type tree struct {
	names []string
	raw   map[string]json.RawMessage
	sub   map[string]*tree
}

// expand returns an object's members; none if the value is not an object.
func expand(raw json.RawMessage) *tree {
	t := &tree{raw: map[string]json.RawMessage{}}
	list, _ := members(raw)
	for _, m := range list {
		t.names = append(t.names, m.name)
		t.raw[m.name] = m.raw
	}
	return t
}

func (t *tree) set(names []string, raw json.RawMessage) {
	if t.raw == nil {
		t.raw = map[string]json.RawMessage{}
	}
	name := names[0]
	before, there := t.raw[name]
	if !there && t.sub[name] == nil {
		t.names = append(t.names, name)
	}
	if len(names) == 1 {
		t.raw[name] = raw
		return
	}
	if t.sub[name] == nil {
		if t.sub == nil {
			t.sub = map[string]*tree{}
		}
		t.sub[name] = expand(before)
	}
	t.sub[name].set(names[1:], raw)
}

func (t *tree) json() json.RawMessage {
	list := make([]member, len(t.names))
	for i, name := range t.names {
		list[i] = member{name, t.raw[name]}
		if sub := t.sub[name]; sub != nil {
			list[i].raw = sub.json()
		}
	}
	return joinMembers(list)
}

// convert returns the JSON of a property from the values of its flags.
func (p *parser) convert(g *given) (json.RawMessage, *Error) {
	for _, v := range g.values {
		if v.json == nil && !utf8.ValidString(v.text) {
			from := "the value of " + flagName(g.name())
			if v.path != "" {
				from = fileName(v.path)
			}
			return nil, errorf("%s is not text: it is not valid UTF-8", from).
				hint("JSON carries bytes only if encoded, for instance in base64").part(p.schema.part(g.field))
		}
	}
	kinds := g.shape.kinds
	if !kinds.has(array) {
		return p.convertOne(g, g.values[0])
	}
	if len(g.values) == 1 && kinds != array { // a list or something else
		if v := g.values[0]; v.json != nil || looksLike(v.text, '{', '}') || !looksLike(v.text, '[', ']') {
			return p.convertOne(g, v)
		}
	}
	return p.list(g)
}

// convertOne returns the JSON of a single value.
func (p *parser) convertOne(g *given, v value) (json.RawMessage, *Error) {
	if v.json != nil {
		return v.json, nil
	}
	if raw, ok := g.shape.parse(v.text); ok {
		return raw, nil
	}
	if g.shape.kinds.only(object|null) && looksLike(v.text, '{', '}') {
		return nil, p.unreadable(g, v, `'{"name": "value"}'`)
	}
	return quoteJSON(v.text), nil // the check reports what it should be
}

// list returns the JSON array of the values of a list; each value is an item or an
// array of items.
func (p *parser) list(g *given) (json.RawMessage, *Error) {
	items := p.schema.shapeOf(g.shape.items)
	var out []json.RawMessage
	for _, v := range g.values {
		if v.json != nil {
			out = append(out, v.json)
			continue
		}
		if len(g.values) == 1 && g.shape.kinds.has(null) && v.text == "null" {
			return json.RawMessage("null"), nil
		}
		if !looksLike(v.text, '[', ']') {
			raw, ok := items.parse(v.text)
			if !ok {
				raw = quoteJSON(v.text)
			}
			out = append(out, raw)
			continue
		}
		inner, ok := elements(v.text)
		switch {
		case !ok:
			return nil, p.unreadable(g, v, `'["a", "b"]'`)
		case items.kinds.only(array|null) && (len(inner) == 0 || inner[0][0] != '['): // an item that is a list itself
			out = append(out, json.RawMessage(strings.TrimSpace(v.text)))
		default:
			out = append(out, inner...)
		}
	}
	return joinItems(out), nil
}

// joinItems returns a JSON array of some values.
func joinItems(list []json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, raw := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}

// joinMembers returns a JSON object with some members.
func joinMembers(list []member) json.RawMessage {
	size := 2
	for _, m := range list {
		size += len(m.name) + len(m.raw) + 16
	}
	out := append(make([]byte, 0, size), '{') // one long text: no growing in steps
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quoteJSON(m.name)...), ':')
		out = append(out, m.raw...)
	}
	return append(out, '}')
}

func (p *parser) unreadable(g *given, v value, example string) *Error {
	_, err := decode([]byte(v.text))
	return errorf("the value of %s is not JSON: %s", flagName(g.name()), err).
		hint("write %s %s", flagName(g.name()), example).part(p.schema.part(g.field))
}

// parse returns the JSON value that a text denotes in a shape, if it can.
func (s *shape) parse(t string) (json.RawMessage, bool) {
	for _, v := range s.enum {
		if v == t {
			return quoteJSON(t), true
		}
	}
	if s.kinds == str {
		return quoteJSON(t), true
	}
	if trimmed := strings.TrimSpace(t); trimmed != "" && (s.kinds == 0 || s.kinds.has(kindOfText(trimmed))) {
		if _, err := decode([]byte(trimmed)); err == nil {
			return json.RawMessage(trimmed), true
		}
	}
	if lower := strings.ToLower(t); s.kinds.has(boolean) && (lower == "true" || lower == "false") { // also as in Python: True
		return json.RawMessage(lower), true
	}
	return quoteJSON(t), s.kinds == 0 || s.kinds.has(str)
}

// kindOfText returns the kind of JSON value that a text can be, by its first
// character. Quoted text has no kind: quotes are part of a string.
func kindOfText(t string) kinds {
	switch c := t[0]; {
	case c == '{':
		return object
	case c == '[':
		return array
	case c == '-' || c >= '0' && c <= '9':
		return number | integer
	case t == "true" || t == "false":
		return boolean
	case t == "null":
		return null
	}
	return 0
}

// looksLike reports whether a text is meant as a JSON array or object.
func looksLike(t string, begin, end byte) bool {
	t = strings.TrimSpace(t)
	return len(t) >= 2 && t[0] == begin && t[len(t)-1] == end
}

// elements returns the elements of a JSON array.
func elements(t string) (list []json.RawMessage, ok bool) {
	if _, err := decode([]byte(t)); err != nil || json.Unmarshal([]byte(t), &list) != nil {
		return nil, false
	}
	return list, true
}
