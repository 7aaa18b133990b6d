package edit

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxfs/providers/internal/jsonc"
)

// tree is a JSON text with its syntax, in which items are put in and taken out in the form
// that their neighbours have. An item is a member of an object or an element of an array.
type tree struct {
	text []byte // as it was parsed
	root *jsonc.Value
}

// count returns how many items a value has.
func count(v *jsonc.Value) int {
	switch in := v.Value.(type) {
	case *jsonc.Object:
		return len(in.Members)
	case *jsonc.Array:
		return len(in.Elements)
	}
	return 0
}

// item returns what an item begins with, and its value: the same for an element.
func item(v *jsonc.Value, i int) (first, value *jsonc.Value) {
	switch in := v.Value.(type) {
	case *jsonc.Object:
		return &in.Members[i].Name, &in.Members[i].Value
	case *jsonc.Array:
		return &in.Elements[i], &in.Elements[i]
	}
	return nil, nil
}

// ending returns what stands before the closing bracket.
func ending(v *jsonc.Value) *jsonc.Extra {
	if in, ok := v.Value.(*jsonc.Object); ok {
		return &in.AfterExtra
	}
	return &v.Value.(*jsonc.Array).AfterExtra
}

// get returns the last member of an object that has the name.
func get(v *jsonc.Value, name string) (at int, ok bool) {
	in, _ := v.Value.(*jsonc.Object)
	for at = count(v) - 1; in != nil && at >= 0; at-- {
		if in.Members[at].Name.Value.(jsonc.Literal).String() == name {
			return at, true
		}
	}
	return 0, false
}

// content returns an extra without the white space at its end.
func content(e jsonc.Extra) jsonc.Extra { return bytes.TrimRight(e, " \t\r\n") }

func join(parts ...jsonc.Extra) jsonc.Extra {
	all := jsonc.Extra{}
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// insert puts another item at the end of an object or array.
func (t *tree) insert(in *jsonc.Value, name string, value json.RawMessage) error {
	end, n := ending(in), count(in)
	comments := content(*end)
	space := string((*end)[len(comments):])
	nl, indent := newline(t.text), t.indent(in.StartOffset)
	within := indent + t.unit()
	before, multi := nl+within, true
	switch {
	case n > 0 && t.startsLine(in, n-1):
		first, _ := item(in, n-1)
		within = t.indent(first.StartOffset)
		before = nl + within
	case n > 0:
		if multi = false; !bytes.Contains(comments, []byte("//")) {
			before = t.gap(in)
		}
	case len(comments) == 0 && in != t.root && !bytes.Contains(bytes.TrimSpace(t.text), []byte("\n")):
		before, multi = space, false
	case len(comments) == 0 || !strings.Contains(space, "\n"):
		space = nl + indent
	}
	v, err := jsonc.Tree([]byte(lines(t.render(value, within, multi), t.text)))
	if err != nil {
		return err
	}
	if n > 0 {
		if _, last := item(in, n-1); last.AfterExtra != nil { // a comma at the end
			v.AfterExtra = jsonc.Extra{}
		}
	}
	lead := join(comments, jsonc.Extra(before))
	switch to := in.Value.(type) {
	case *jsonc.Object:
		v.BeforeExtra = jsonc.Extra(t.space())
		to.Members = append(to.Members, jsonc.Member{Name: jsonc.Value{BeforeExtra: lead, Value: jsonc.Literal(encode(name))}, Value: *v})
	case *jsonc.Array:
		v.BeforeExtra = lead
		to.Elements = append(to.Elements, *v)
	}
	*end = jsonc.Extra(space)
	return nil
}

// replace gives an item another value.
func (t *tree) replace(in *jsonc.Value, i int, value json.RawMessage) error {
	first, old := item(in, i)
	multi := t.startsLine(in, i) || bytes.Contains(t.text[old.StartOffset:old.EndOffset], []byte("\n"))
	v, err := jsonc.Tree([]byte(lines(t.render(value, t.indent(first.StartOffset), multi), t.text)))
	if err == nil {
		old.Value = v.Value
	}
	return err
}

// remove takes an item out. Comments around it stay.
func remove(in *jsonc.Value, i int) {
	n, end := count(in), ending(in)
	first, value := item(in, i)
	whole, trail := first.BeforeExtra, value.AfterExtra
	// The white space before it goes, unless that ends a comment in which the rest would be.
	lead := func(rest ...jsonc.Extra) jsonc.Extra {
		kept := content(whole)
		after := bytes.TrimLeft(join(rest...), " \t\r")
		if bytes.Contains(kept[bytes.LastIndexByte(kept, '\n')+1:], []byte("//")) && !bytes.HasPrefix(after, []byte("\n")) {
			return whole
		}
		return kept
	}
	switch {
	case i < n-1:
		next, _ := item(in, i+1)
		if i == 0 && !bytes.Contains(whole, []byte("\n")) { // what follows takes its place
			next.BeforeExtra = join(whole, trail, bytes.TrimLeft(next.BeforeExtra, " "))
		} else {
			next.BeforeExtra = join(lead(trail, next.BeforeExtra), trail, next.BeforeExtra)
		}
	case n == 1:
		if *end = join(lead(trail, *end), trail, *end); len(content(*end)) == 0 {
			*end = nil
		}
	default:
		_, prev := item(in, i-1)
		if *end = join(lead(trail, *end), trail, *end); trail == nil {
			*end = join(prev.AfterExtra, *end)
			prev.AfterExtra = nil // or else there would be a comma
		} else if prev.AfterExtra == nil {
			prev.AfterExtra = jsonc.Extra{}
		}
	}
	switch from := in.Value.(type) {
	case *jsonc.Object:
		from.Members = append(from.Members[:i], from.Members[i+1:]...)
	case *jsonc.Array:
		from.Elements = append(from.Elements[:i], from.Elements[i+1:]...)
	}
}

// startsLine reports whether an item begins a line.
func (t *tree) startsLine(in *jsonc.Value, i int) bool {
	first, _ := item(in, i)
	from := in.StartOffset
	if i > 0 {
		_, before := item(in, i-1)
		from = before.EndOffset
	}
	return bytes.Contains(t.text[from:first.StartOffset], []byte("\n"))
}

// indent returns the white space at the beginning of the line of an offset.
func (t *tree) indent(at int) string {
	line := t.text[bytes.LastIndexByte(t.text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// search returns the first text that find returns for a value of the document, or another one.
func search(v *jsonc.Value, find func(in *jsonc.Value, i int) string, or string) string {
	for i := range count(v) {
		if found := find(v, i); found != "" {
			return found
		}
		_, value := item(v, i)
		if found := search(value, find, ""); found != "" {
			return found
		}
	}
	return or
}

// unit returns by how much the document indents: the difference between the first value
// that begins a line and the one around it.
func (t *tree) unit() string {
	return search(t.root, func(in *jsonc.Value, i int) string {
		if !t.startsLine(in, i) {
			return ""
		}
		first, _ := item(in, i)
		if unit, ok := strings.CutPrefix(t.indent(first.StartOffset), t.indent(in.StartOffset)); ok {
			return unit
		}
		return ""
	}, "  ")
}

// space returns what stands between the colons and values of the document: a space or nothing.
func (t *tree) space() string {
	return strings.TrimPrefix(search(t.root, func(in *jsonc.Value, i int) string {
		first, value := item(in, i)
		switch {
		case first == value:
			return ""
		case len(value.BeforeExtra) == 0:
			return ":"
		}
		return ": "
	}, ": "), ":")
}

// gap returns the space after a comma within a line.
func (t *tree) gap(in *jsonc.Value) string {
	if n := count(in); n > 1 {
		if first, _ := item(in, n-1); len(content(first.BeforeExtra)) == 0 {
			return string(first.BeforeExtra)
		}
	}
	return t.space()
}

// render returns a value: over several lines, all but the first with an indent, or on one.
func (t *tree) render(value json.RawMessage, indent string, multi bool) string {
	if multi {
		var out bytes.Buffer
		_ = json.Indent(&out, value, indent, t.unit()) // it was made by package json
		return out.String()
	}
	var out strings.Builder
	inString, escaped := false, false
	for _, c := range value {
		out.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == ':'):
			out.WriteString(t.space())
		}
	}
	return out.String()
}
