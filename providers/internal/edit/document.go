package edit

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// document is a JSON text and its values, in which items are put in and taken out in the
// form that their neighbours have.
type document struct {
	text []byte
	root jsonc.Node
}

// insert returns the text with another item at the end of an object or array.
func (d *document) insert(in jsonc.Node, name string, value json.RawMessage) []byte {
	end := in.End - 1
	last := len(bytes.TrimRight(d.text[:end], " \t\r\n")) // of what is in it
	blank := last == in.Begin+1
	if len(in.Items) == 0 {
		switch {
		case blank && in.Begin != d.root.Begin && d.oneLine():
			pad := string(d.text[last:end])
			return splice(d.text, last, end, pad+d.item(in, name, value, "", false)+pad)
		case blank:
			indent := d.indent(in.Begin)
			return splice(d.text, last, end, d.lines("\n"+indent+d.unit()+d.item(in, name, value, indent+d.unit(), true)+"\n"+indent))
		}
		closing := "" // comments
		indent := d.indent(in.Begin)
		if !bytes.Contains(d.text[last:end], []byte("\n")) {
			closing = "\n" + indent
		}
		return splice(d.text, last, last, d.lines("\n"+indent+d.unit()+d.item(in, name, value, indent+d.unit(), true)+closing))
	}
	tail := in.Items[len(in.Items)-1]
	after := jsonc.SkipSpace(d.text, tail.Value.End)
	trailing := d.text[after] == ','
	var separator, added string
	if d.multiline(in, len(in.Items)-1) {
		indent := d.indent(tail.Begin)
		separator, added = "\n"+indent, d.item(in, name, value, indent, true)
	} else {
		separator, added = d.gap(in), d.item(in, name, value, "", false)
		if last > after+1 && bytes.Contains(d.text[after:last], []byte("//")) || bytes.Contains(d.text[tail.Value.End:last], []byte("//")) {
			separator = "\n" + d.indent(in.Begin) + d.unit()
		}
	}
	if trailing {
		return splice(d.text, last, last, d.lines(separator+added+","))
	}
	text := splice(d.text, last, last, d.lines(separator+added))
	return splice(text, tail.Value.End, tail.Value.End, ",")
}

// replace returns the text with another value of an item.
func (d *document) replace(in jsonc.Node, i int, value json.RawMessage) []byte {
	old := in.Items[i]
	multi := d.multiline(in, i) || bytes.Contains(d.text[old.Value.Begin:old.Value.End], []byte("\n"))
	return splice(d.text, old.Value.Begin, old.Value.End, d.lines(d.render(value, d.indent(old.Begin), multi)))
}

// remove takes an item out, and the comma that it needed.
func (d *document) remove(in jsonc.Node, i int) {
	begin, end := in.Items[i].Begin, in.Items[i].Value.End
	comma := jsonc.SkipSpace(d.text, end)
	hasComma := d.text[comma] == ','
	// The white space before the item goes with it, unless that ends a comment which
	// something else would then be in.
	from := len(bytes.TrimRight(d.text[:begin], " \t\r\n"))
	to := end
	if hasComma && comma == end {
		to++
	}
	before := d.text[bytes.LastIndexByte(d.text[:from], '\n')+1 : from]
	if rest := bytes.TrimLeft(d.text[to:], " \t"); bytes.Contains(before, []byte("//")) && !bytes.HasPrefix(rest, []byte("\n")) && !bytes.HasPrefix(rest, []byte("\r\n")) {
		from = begin
	}
	if i == 0 && !bytes.Contains(d.text[from:begin], []byte("\n")) { // what follows takes its place
		from = begin
		for len(in.Items) > 1 && to < len(d.text) && d.text[to] == ' ' {
			to++
		}
	}
	text := d.text
	if hasComma && comma != end {
		text = splice(text, comma, comma+1, "")
	}
	text = splice(text, from, to, "")
	if !hasComma && i > 0 {
		comma = jsonc.SkipSpace(d.text, in.Items[i-1].Value.End)
		text = splice(text, comma, comma+1, "")
	}
	if len(in.Items) == 1 { // an empty one is written without space
		if inner := text[in.Begin+1:]; len(inner) > 0 {
			n := len(inner) - len(bytes.TrimLeft(inner, " \t\r\n"))
			if inner[n] == '}' || inner[n] == ']' {
				text = splice(text, in.Begin+1, in.Begin+1+n, "")
			}
		}
	}
	d.text = text
}

// lines returns a text of ours with the ends of lines of the document.
func (d *document) lines(ours string) string { return lines(ours, d.text) }

// oneLine reports whether the whole document is one line.
func (d *document) oneLine() bool {
	return !bytes.Contains(bytes.TrimSpace(d.text), []byte("\n"))
}

// multiline reports whether an item begins a line.
func (d *document) multiline(in jsonc.Node, i int) bool {
	from := in.Begin
	if i > 0 {
		from = in.Items[i-1].Value.End
	}
	return bytes.Contains(d.text[from:in.Items[i].Begin], []byte("\n"))
}

// indent returns the white space at the beginning of the line of an offset.
func (d *document) indent(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit returns by how much the document indents: the difference between the first value
// that begins a line and the one around it.
func (d *document) unit() string {
	var find func(n jsonc.Node) string
	find = func(n jsonc.Node) string {
		for i, item := range n.Items {
			if d.multiline(n, i) {
				if unit, ok := strings.CutPrefix(d.indent(item.Begin), d.indent(n.Begin)); ok && unit != "" {
					return unit
				}
			}
			if unit := find(item.Value); unit != "" {
				return unit
			}
		}
		return ""
	}
	if unit := find(d.root); unit != "" {
		return unit
	}
	return "  "
}

// gap returns the space after a comma within a line.
func (d *document) gap(in jsonc.Node) string {
	if n := len(in.Items); n > 1 {
		before := jsonc.SkipSpace(d.text, in.Items[n-2].Value.End)
		between := string(d.text[before+1 : in.Items[n-1].Begin])
		if strings.TrimSpace(between) == "" {
			return between
		}
	}
	return strings.TrimPrefix(d.colon(), ":")
}

// colon returns the colon between the names and values of the document.
func (d *document) colon() string {
	var find func(n jsonc.Node) string
	find = func(n jsonc.Node) string {
		for _, item := range n.Items {
			if n.Kind == syntax.Object {
				between := d.text[item.Begin:item.Value.Begin]
				if bytes.HasSuffix(between, []byte(":")) {
					return ":"
				}
				return ": "
			}
			if c := find(item.Value); c != "" {
				return c
			}
		}
		return ""
	}
	if c := find(d.root); c != "" {
		return c
	}
	return ": "
}

// item returns an item of an object or array: a member, or an element.
func (d *document) item(in jsonc.Node, name string, value json.RawMessage, indent string, multi bool) string {
	if in.Kind == syntax.Array {
		return d.render(value, indent, multi)
	}
	return string(encode(name)) + d.colon() + d.render(value, indent, multi)
}

// render returns a value: over several lines, all but the first with an indent, or on one.
func (d *document) render(value json.RawMessage, indent string, multi bool) string {
	if !multi {
		return spaced(value, d.colon() == ": ")
	}
	var out bytes.Buffer
	if err := json.Indent(&out, value, indent, d.unit()); err != nil {
		return string(value) // impossible: it was made by package json
	}
	return out.String()
}

// spaced returns a compact value, if so asked with a space after colons and commas.
func spaced(value json.RawMessage, spaces bool) string {
	if !spaces {
		return string(value)
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
			out.WriteByte(' ')
		}
	}
	return out.String()
}
