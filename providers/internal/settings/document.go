package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"ctxfs/providers/internal/syntax"
)

// Document parses a TOML file of another program. A value has the line of its key;
// values in an inline table or an array have that of the outer key. Errors begin
// with the place of the fault: "line 3, column 7: ...".
func Document(text []byte) (syntax.Value, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var top map[string]any
	if err := toml.Unmarshal(text, &top); err != nil {
		var at *toml.DecodeError
		if !errors.As(err, &at) {
			return syntax.Value{}, err
		}
		line, column := at.Position()
		return syntax.Value{}, syntax.Value{Line: line, Column: column}.Errorf("%s", strings.TrimPrefix(at.Error(), "toml: "))
	}
	r := tomlReader{lines: keyLines(text)}
	return r.value(top, nil, 1), nil
}

type tomlReader struct{ lines map[string]int }

// joined returns a key as an index of lines.
func joined(key []string) string { return strings.Join(key, "\x00") }

func (r tomlReader) value(of any, key []string, line int) syntax.Value {
	line = cmp.Or(r.lines[joined(key)], line)
	v := syntax.Value{Line: line}
	switch of := of.(type) {
	case map[string]any:
		v.Kind = syntax.Object
		for name, member := range of {
			v.Members = append(v.Members, syntax.Member{Name: name, Value: r.value(member, append(slices.Clone(key), name), line)})
		}
		slices.SortFunc(v.Members, func(a, b syntax.Member) int {
			return cmp.Or(cmp.Compare(a.Value.Line, b.Value.Line), cmp.Compare(a.Name, b.Name))
		})
	case []any:
		v.Kind = syntax.Array
		for _, item := range of {
			v.Items = append(v.Items, r.value(item, key, line))
		}
	case string:
		v.Kind, v.Text = syntax.Text, of
	case int64, float64:
		v.Kind, v.Text = syntax.Number, fmt.Sprint(of)
	case bool:
		v.Kind, v.Text = syntax.Bool, fmt.Sprint(of)
	default: // dates and times
		v.Kind, v.Text = syntax.Text, fmt.Sprint(of)
	}
	return v
}

// keyLines returns the lines of all keys, each the first that names it or
// something in it.
func keyLines(text []byte) map[string]int {
	var p unstable.Parser
	p.Reset(text)
	lines := make(map[string]int)
	var table []string
	counted, line := 0, 1
	for p.NextExpression() {
		e := p.Expression()
		var at []string
		if e.Kind == unstable.KeyValue {
			at = slices.Clone(table)
		}
		for k := e.Key(); k.Next(); {
			at = append(at, string(k.Node().Data))
			if offset := int(k.Node().Raw.Offset); offset > counted {
				line += bytes.Count(text[counted:offset], []byte("\n"))
				counted = offset
			}
			if _, ok := lines[joined(at)]; !ok {
				lines[joined(at)] = line
			}
		}
		if e.Kind != unstable.KeyValue {
			table = at
		}
	}
	return lines
}

// Key returns name as TOML writes a key.
func Key(name string) string {
	bare := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if bare {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}
