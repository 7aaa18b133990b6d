package edit

import (
	"bytes"
	"encoding/json"
	"slices"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// toml is a TOML text and its statements, in which keys and tables are put in and taken
// out in the form that their neighbours have.
type toml struct {
	text       []byte
	statements []statement
}

func (t toml) spliced(begin, end int, by string) toml {
	text := splice(t.text, begin, end, by)
	return toml{text, scanTOML(text)}
}

// with returns the text with the edit, and how many tables it made. A value
// that is a table gets a header of its own where that can be.
func (t toml) with(e Edit, table bool) (after []byte, made int) {
	path, value := e.Path, e.Value
	if table && !t.inlineAbove(path) && !t.dotted(path[:len(path)-1]) {
		return t.section("["+tomlKey(path)+"]", value), 0
	}
	above, name := path[:len(path)-1], path[len(path)-1]
	line := func(s statement) string { return tomlKey(path[len(s.table):]) + " = " + tomlValue(value) }
	for depth := len(above); depth > 0; depth-- { // an inline table
		if d, in, ok := t.inline(path[:depth]); ok && in.Kind == syntax.Object {
			inner := value
			for j := len(path) - 1; j > depth; j-- {
				inner = member(path[j], inner)
				made++
			}
			return d.insert(in, path[depth], inner), made
		}
	}
	last := -1
	for i, s := range t.statements { // a header, and what is below it
		if !s.array && slices.Equal(s.table, above) && (s.header || len(above) == 0 || last >= 0) {
			last = i
		}
	}
	if last < 0 && len(above) > 0 { // dotted keys
		for i, s := range t.statements {
			if !s.header && len(s.path()) > len(above) && slices.Equal(s.path()[:len(above)], above) && len(s.table) < len(above) {
				last = i
			}
		}
	}
	switch {
	case last >= 0:
		return t.lineAfter(t.statements[last], line(t.statements[last])), made
	case len(above) > 0:
		return t.section("["+tomlKey(above)+"]", member(name, value)), made + 1
	}
	return t.first(line(statement{})), made
}

// dotted reports whether a table is made by dotted keys.
func (t toml) dotted(path []string) bool {
	return len(path) > 0 && slices.ContainsFunc(t.statements, func(s statement) bool {
		return !s.header && len(s.table) < len(path) && len(s.path()) > len(path) && slices.Equal(s.path()[:len(path)], path)
	})
}

// inline returns the array in brackets or the table in braces with a path.
func (t toml) inline(path []string) (*document, jsonc.Node, bool) {
	for _, s := range t.statements {
		whole := s.path()
		if s.header || len(whole) > len(path) || !slices.Equal(whole, path[:len(whole)]) {
			continue
		}
		at, ok := s.value, true
		for _, name := range path[len(whole):] {
			var n int
			if n, ok = at.Get(name); !ok {
				break
			}
			at = at.Items[n].Value
		}
		if ok && (at.Kind == syntax.Array || at.Kind == syntax.Object) {
			return &document{text: t.text, root: s.value, toml: true}, at, true
		}
	}
	return nil, jsonc.Node{}, false
}

// inlineAbove reports whether one of the tables around a path is written in braces.
func (t toml) inlineAbove(path []string) bool {
	for depth := 1; depth < len(path); depth++ {
		if _, _, ok := t.inline(path[:depth]); ok {
			return true
		}
	}
	return false
}

// section returns the text with another table at its end.
func (t toml) section(header string, value json.RawMessage) []byte {
	body := header
	root, err := jsonc.Locate(value)
	if err != nil {
		return t.text // impossible: it was made by package json
	}
	for _, item := range root.Items {
		body += "\n" + tomlKey([]string{item.Name}) + " = " + tomlValue(value[item.Value.Begin:item.Value.End])
	}
	before, after := "\n", "\n"
	switch {
	case len(t.text) == 0, bytes.HasSuffix(t.text, []byte("\n\n")), bytes.HasSuffix(t.text, []byte("\n\r\n")):
		before = ""
	case !bytes.HasSuffix(t.text, []byte("\n")):
		before, after = "\n\n", ""
	}
	return splice(t.text, len(t.text), len(t.text), lines(before+body+after, t.text))
}

// lineAfter returns the text with a line after that of a statement.
func (t toml) lineAfter(s statement, line string) []byte {
	begin := bytes.LastIndexByte(t.text[:s.begin], '\n') + 1
	indent := ""
	if !s.header {
		indent = string(t.text[begin:s.begin])
	}
	end := bytes.IndexByte(t.text[s.end:], '\n')
	if end < 0 {
		return splice(t.text, len(t.text), len(t.text), newline(t.text)+indent+line)
	}
	end += s.end + 1
	return splice(t.text, end, end, indent+line+newline(t.text))
}

// first returns the text with a line before the first table and what is said of it.
func (t toml) first(line string) []byte {
	nl := newline(t.text)
	if len(t.statements) == 0 {
		if len(t.text) > 0 && !bytes.HasSuffix(t.text, []byte("\n")) {
			line = nl + line
		} else {
			line += nl
		}
		return splice(t.text, len(t.text), len(t.text), line)
	}
	at := bytes.LastIndexByte(t.text[:t.statements[0].begin], '\n') + 1
	for at > 0 {
		above := bytes.LastIndexByte(t.text[:at-1], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimSpace(t.text[above:at]), []byte("#")) {
			break
		}
		at = above
	}
	return splice(t.text, at, at, line+nl+nl)
}

// without returns the text without the value with a path, whatever its form.
func (t toml) without(path []string) toml {
	for i, s := range t.statements {
		switch whole := s.path(); {
		case s.header && within(s.table, path):
			return t.cut(i, func(s statement) bool { return within(s.table, path) }).without(path)
		case !s.header && within(whole, path):
			return t.cutLine(s).without(path)
		case !s.header && within(path, whole) && s.value.Kind == syntax.Object:
			if d, in, ok := t.inline(path[:len(path)-1]); ok {
				if n, ok := in.Get(path[len(path)-1]); ok {
					d.remove(in, n)
					return toml{d.text, scanTOML(d.text)}
				}
			}
		}
	}
	return t
}

// within reports whether a path is another one, or goes on from it.
func within(path, other []string) bool {
	return len(path) >= len(other) && slices.Equal(path[:len(other)], other)
}

// cut takes the table out that begins with a header, with those that follow and belong to
// it, and the empty line before it.
func (t toml) cut(i int, belongs func(statement) bool) toml {
	last := i
	for j := i + 1; j < len(t.statements) && (!t.statements[j].header || belongs(t.statements[j])); j++ {
		last = j
	}
	return t.cutLines(t.statements[i].begin, t.statements[last].end, true)
}

func (t toml) cutLine(s statement) toml { return t.cutLines(s.begin, s.end, false) }

// cutLines takes the lines from begin to end out, if asked with an empty line before them.
func (t toml) cutLines(begin, end int, blank bool) toml {
	begin = bytes.LastIndexByte(t.text[:begin], '\n') + 1
	if n := bytes.IndexByte(t.text[end:], '\n'); n >= 0 {
		end += n + 1
	} else {
		end = len(t.text)
		begin = len(bytes.TrimRight(t.text[:begin], "\r\n"))
		blank = false
	}
	above := begin
	if begin > 0 {
		above = bytes.LastIndexByte(t.text[:begin-1], '\n') + 1
	}
	below := end + bytes.IndexByte(t.text[end:], '\n') + 1
	switch empty := len(bytes.TrimSpace(t.text[above:begin])) == 0; {
	case blank && empty:
		begin = above
	case empty && len(bytes.TrimSpace(t.text[end:below])) == 0: // two empty lines in a row
		end = below
	}
	return t.spliced(begin, end, "")
}

// pruned returns the text without the tables that an edit made, if they are empty.
func (t toml) pruned(e Edit) toml {
	path := e.Path[:len(e.Path)-1]
	for made := e.Made; made > 0 && len(path) > 0; made, path = made-1, path[:len(path)-1] {
		if d, in, ok := t.inline(path); ok {
			if len(in.Items) > 0 || d.skip(in.Begin+1) != in.End-1 {
				return t
			}
			t = t.without(path)
			continue
		}
		i := slices.IndexFunc(t.statements, func(s statement) bool { return s.header && !s.array && slices.Equal(s.table, path) })
		if i < 0 {
			return t
		}
		s, next := t.statements[i], len(t.text)
		if i+1 < len(t.statements) {
			if !t.statements[i+1].header {
				return t
			}
			next = t.statements[i+1].begin
		}
		if len(bytes.TrimSpace(t.text[s.end:next])) > 0 {
			return t
		}
		t = t.cut(i, func(statement) bool { return false })
	}
	return t
}
