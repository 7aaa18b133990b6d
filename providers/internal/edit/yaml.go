package edit

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/internal/yaml"
)

const yamlMember kind = "yaml"

// YAMLMember sets a key of a mapping in a YAML file of one document, in block style;
// mappings on the way are made. Another value that stands there is a [Conflict], unless the
// edit is [Edit.Owned], and so are mappings in braces that are not empty.
func YAMLMember(path []string, value any) Edit { return valued(yamlMember, path, value) }

// parseYAML returns the values of a text.
func parseYAML(text []byte) (syntax.Value, error) {
	v, _, err := yaml.Parse(string(text))
	return v, err
}

// mapping is a mapping in block style: its lines, and how far its keys are indented, -1 if
// it has none.
type mapping struct{ from, to, indent int }

// yamlText are the lines of a text, with their ends.
type yamlText [][]byte

// body returns a line without white space and comment at its end, and its indent.
func (y yamlText) body(i int) (body string, indent int) {
	line := strings.TrimRight(string(y[i]), " \t\r\n")
	body = strings.TrimLeft(line, " ")
	indent = len(line) - len(body)
	if strings.HasPrefix(body, "#") || strings.HasPrefix(body, "---") && indent == 0 {
		return "", indent
	}
	return body, indent
}

// mapping returns the mapping in a range of lines.
func (y yamlText) mapping(from, to int) mapping {
	for i := from; i < to; i++ {
		if body, indent := y.body(i); body != "" {
			return mapping{from, to, indent}
		}
	}
	return mapping{from, to, -1}
}

// key returns the line of a key in a mapping, what stands behind its colon, and the line
// after its value.
func (y yamlText) key(m mapping, name string) (at int, rest string, end int, ok bool) {
	for i := m.from; i < m.to; i++ {
		body, indent := y.body(i)
		if body == "" || indent != m.indent {
			continue
		}
		key, value, found := strings.Cut(body, ":")
		if body[0] == '"' || body[0] == '\'' {
			if n := strings.Index(body[1:], body[:1]); n >= 0 {
				key = body[1 : n+1]
				value, found = strings.CutPrefix(strings.TrimLeft(body[n+2:], " "), ":")
			}
		}
		if !found || strings.TrimSpace(key) != name || value != "" && value[0] != ' ' && value[0] != '\t' {
			continue
		}
		for end = i + 1; end < m.to; end++ {
			if body, indent := y.body(end); body != "" && indent <= m.indent && (indent < m.indent || !strings.HasPrefix(body, "- ")) {
				break
			}
		}
		return i, strings.TrimSpace(withoutComment(value)), y.last(i, end, m.indent+1), true
	}
	return 0, "", 0, false
}

// withoutComment returns what stands behind a colon without the comment after it.
func withoutComment(s string) string {
	if strings.HasPrefix(strings.TrimSpace(s), "#") {
		return ""
	}
	before, _, _ := strings.Cut(s, " #")
	return before
}

// last returns the line after the last one of a range that is neither empty nor a comment
// that is indented less.
func (y yamlText) last(from, to, indent int) int {
	for ; to > from+1; to-- {
		line := strings.TrimRight(string(y[to-1]), " \t\r\n")
		if trimmed := strings.TrimLeft(line, " "); trimmed != "" && (trimmed[0] != '#' || len(line)-len(trimmed) >= indent) {
			return to
		}
	}
	return to
}

func (e Edit) putYAML(text []byte) ([]byte, Edit, error) {
	was, err := parseYAML(text)
	if err != nil {
		return nil, e, err
	}
	value, _ := jsonc.Parse(e.Value) // it was made by package json
	e.Created = len(bytes.TrimSpace(text)) == 0
	if is, ok := was.At(e.Path...); ok {
		switch {
		case same(is, value):
			e.Found = !e.Ours
			return text, e, nil
		case !e.Ours:
			return nil, e, &Conflict{Line: is.Line, Reason: pathName(e.Path) + " has another value already"}
		}
		if text, err = e.takeYAML(text); err != nil {
			return nil, e, err
		}
		if was, err = parseYAML(text); err != nil {
			return nil, e, err
		}
	}
	after := e.insertYAML(text)
	if after == nil {
		return nil, e, e.byHand()
	}
	is, err := parseYAML(after.text)
	e.Made, e.Before = after.made, after.before
	return e.verified(was, is, err, -1, after.text)
}

// inserted is a text with a key, how many mappings were made for it, and what stood where
// the first of them is.
type inserted struct {
	text   []byte
	made   int
	before string
}

// insertYAML returns the text with the key; nil where it has a form that is not understood.
func (e Edit) insertYAML(text []byte) *inserted {
	y := yamlText(slices.Collect(bytes.Lines(text)))
	m, above, done := y.mapping(0, len(y)), 0, inserted{}
	for i, name := range e.Path {
		at, rest, end, ok := y.key(m, name)
		if ok && i < len(e.Path)-1 {
			switch rest {
			case "":
				above, m = m.indent, y.mapping(at+1, end)
				if m.indent >= 0 && m.indent <= above {
					return nil // a sequence
				}
				if m.indent < 0 {
					m = mapping{at + 1, at + 1, above + y.unit()}
				}
				continue
			case "{}":
				colon := bytes.LastIndex(y[at], []byte("{}"))
				begin := len(bytes.TrimRight(y[at][:colon], " \t"))
				done.before = string(y[at][begin : colon+2])
				y[at] = splice(y[at], begin, colon+2, "")
				m = mapping{at + 1, at + 1, m.indent + y.unit()}
				continue
			}
			return nil
		}
		if ok {
			return nil // impossible: it was taken out
		}
		value := e.Value
		for j := len(e.Path) - 1; j > i; j-- {
			value = member(e.Path[j], value)
			done.made++
		}
		indent := max(m.indent, 0)
		nl := newline(text)
		line := strings.ReplaceAll(yamlLines(member(name, value), indent, y.unit()), "\n", nl)
		to := len(y)
		if m.to > m.from || i > 0 {
			to = y.last(m.from-1, m.to, indent)
		}
		before, after := bytes.Join(y[:to], nil), bytes.Join(y[to:], nil)
		if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
			line = nl + strings.TrimSuffix(line, nl)
		}
		done.text = slices.Concat(before, []byte(line), after)
		return &done
	}
	return nil
}

// takeYAML is the reverse of putYAML.
func (e Edit) takeYAML(text []byte) ([]byte, error) {
	was, err := parseYAML(text)
	if err != nil {
		return text, err
	}
	value, _ := jsonc.Parse(e.Value) // it was made by package json
	if is, ok := was.At(e.Path...); !ok || !e.Ours && !same(is, value) {
		return text, nil
	}
	y := yamlText(slices.Collect(bytes.Lines(text)))
	for path, made := e.Path, e.Made; ; path, made = path[:len(path)-1], made-1 {
		at, end, ok := y.find(path)
		if !ok {
			return text, e.byHand()
		}
		ended := end < len(y) || bytes.HasSuffix(y[end-1], []byte("\n"))
		if y = slices.Delete(y, at, end); !ended && at > 0 {
			y[at-1] = bytes.TrimRight(y[at-1], "\r\n")
		}
		if len(path) == 1 {
			break
		}
		above, behind, _ := y.find(path[:len(path)-1])
		if body, _ := y.body(above); y.mapping(above+1, behind).indent >= 0 || !strings.HasSuffix(withoutComment(body), ":") || behind > above+1 {
			break
		}
		if made > 0 {
			continue
		}
		if e.Before != "" {
			n := bytes.LastIndexByte([]byte(withoutComment(string(y[above]))), ':') + 1
			y[above] = splice(y[above], n, n, e.Before)
		}
		break
	}
	text = bytes.Join(y, nil)
	if e.Created && len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if _, err := parseYAML(text); err != nil {
		return nil, e.byHand()
	}
	return text, nil
}

// find returns the lines of a key and its value.
func (y yamlText) find(path []string) (at, end int, ok bool) {
	m := y.mapping(0, len(y))
	for i, name := range path {
		if at, _, end, ok = y.key(m, name); !ok {
			return 0, 0, false
		}
		if i < len(path)-1 {
			m = y.mapping(at+1, end)
		}
	}
	return at, end, true
}

// unit returns by how much the text indents.
func (y yamlText) unit() int {
	for i := range y {
		if body, indent := y.body(i); body != "" && indent > 0 && !strings.HasPrefix(body, "-") {
			return indent
		}
	}
	return 2
}

// plain are strings that YAML cannot take for anything else, except for some words.
var plain = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)

// yamlLines returns a mapping, which is compact JSON, as lines of block style.
func yamlLines(value json.RawMessage, indent, unit int) string {
	root, err := jsonc.Locate(value)
	if err != nil {
		return "" // impossible: it was made by package json
	}
	var out strings.Builder
	var write func(n jsonc.Node, indent int, first bool)
	scalar := func(n jsonc.Node) string {
		text := value[n.Begin:n.End]
		var s string
		words := []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
		if n.Kind == syntax.Text && json.Unmarshal(text, &s) == nil && plain.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
			return s
		}
		return string(text)
	}
	write = func(n jsonc.Node, indent int, first bool) {
		for _, item := range n.Items {
			if !first {
				out.WriteString(strings.Repeat(" ", indent))
			}
			first = false
			v := item.Value
			switch nested := len(v.Items) > 0; {
			case n.Kind == syntax.Array && nested:
				out.WriteString("- ")
				write(v, indent+2, true)
				continue
			case n.Kind == syntax.Array:
				out.WriteString("- " + scalar(v) + "\n")
				continue
			default:
				if plain.MatchString(item.Name) {
					out.WriteString(item.Name)
				} else {
					out.Write(encode(item.Name))
				}
				if nested {
					out.WriteString(":\n")
					write(v, indent+unit, false)
				} else {
					out.WriteString(": " + scalar(v) + "\n")
				}
			}
		}
	}
	write(root, indent, false)
	return out.String()
}
