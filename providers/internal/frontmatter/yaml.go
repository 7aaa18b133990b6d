package frontmatter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"ctxfs/providers/internal/syntax"
)

// maxDepth bounds how deep values may nest: the parser recurses, and takes
// quadratic time for "[[[[".
const maxDepth = 200

// ErrYAML reports that a text is not a YAML mapping.
var ErrYAML = errors.New("it cannot be read as YAML")

// YAML parses a document that is a mapping, as people and agents write it: features that
// have no place there, such as aliases, are errors. An empty text is an empty one.
// Scalars are strings as they are written: what YAML would guess of them (a
// version 1.10 that becomes 1.1) is wrong here; only those that can be nothing
// else are numbers, booleans or null. Warnings are sentences about faults that
// did not prevent parsing. Errors wrap ErrYAML.
func YAML(text string) (doc syntax.Value, warnings []string, err error) {
	doc.Kind = syntax.Object
	// The parser has panicked on foreign text before.
	defer func() {
		if v := recover(); v != nil {
			doc, warnings, err = syntax.Value{}, nil, fmt.Errorf("%w (the parser gave up)", ErrYAML)
		}
	}()
	if strings.TrimSpace(text) == "" {
		return doc, nil, nil
	}
	if tooDeep(text) {
		return syntax.Value{}, nil, fmt.Errorf("%w: it nests deeper than %d levels", ErrYAML, maxDepth)
	}
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return syntax.Value{}, nil, fmt.Errorf("%w: %s", ErrYAML, firstLine(err))
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType {
			docs = append(docs, d.Body)
		}
	}
	switch {
	case len(docs) == 0:
		return doc, nil, nil
	case len(docs) > 1:
		return syntax.Value{}, nil, fmt.Errorf("%w: it holds %d documents", ErrYAML, len(docs))
	}
	var r reader
	if doc, err = r.value(docs[0]); err != nil {
		return syntax.Value{}, nil, err
	}
	if doc.Kind != syntax.Object {
		return syntax.Value{}, nil, fmt.Errorf("%w: it is not a mapping of keys to values", ErrYAML)
	}
	return doc, r.warnings, nil
}

// reader turns syntax into values, since the library's decoder guesses types
// and expands aliases without bound.
type reader struct{ warnings []string }

func (r *reader) value(n ast.Node) (syntax.Value, error) {
	v := syntax.Value{Kind: syntax.Null}
	if n == nil {
		return v, nil
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		v.Line, v.Column = t.Position.Line, t.Position.Column
	}
	scalar := func(kind syntax.Kind) (syntax.Value, error) {
		v.Kind, v.Text = kind, n.GetToken().Value
		return v, nil
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return v, nil
	case *ast.StringNode:
		v.Kind, v.Text = syntax.Text, n.Value
		return v, nil
	case *ast.LiteralNode:
		v.Kind, v.Text = syntax.Text, n.Value.Value
		return v, nil
	case *ast.BoolNode:
		return scalar(syntax.Bool)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return scalar(syntax.Number)
	case *ast.TagNode:
		return r.value(n.Value)
	case *ast.AnchorNode:
		return r.value(n.Value)
	case *ast.MappingValueNode:
		return r.mapping(v, []*ast.MappingValueNode{n})
	case *ast.MappingNode:
		return r.mapping(v, n.Values)
	case *ast.SequenceNode:
		v.Kind = syntax.Array
		for _, item := range n.Values {
			element, err := r.value(item)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, element)
		}
		return v, nil
	case *ast.AliasNode:
		return v, fmt.Errorf("%w: it uses an alias (a value that begins with *)", ErrYAML)
	}
	return v, fmt.Errorf("%w: it uses YAML that has no place here (%s)", ErrYAML, n.Type())
}

func (r *reader) mapping(v syntax.Value, pairs []*ast.MappingValueNode) (syntax.Value, error) {
	v.Kind = syntax.Object
	seen := make(map[string]bool, len(pairs))
	for _, pair := range pairs {
		key, err := r.key(pair.Key)
		if err != nil {
			return v, err
		}
		if seen[key] {
			r.warnings = append(r.warnings, fmt.Sprintf("the key %q occurs twice; the first counts", key))
			continue
		}
		seen[key] = true
		value, err := r.value(pair.Value)
		if err != nil {
			return v, err
		}
		if value.Line == 0 {
			value.Line, value.Column = v.Line, v.Column
		}
		v.Members = append(v.Members, syntax.Member{Name: key, Value: value})
	}
	return v, nil
}

func (r *reader) key(n ast.MapKeyNode) (string, error) {
	var inner ast.Node = n
	if k, ok := n.(*ast.MappingKeyNode); ok {
		inner = k.Value
	}
	if null, ok := inner.(*ast.NullNode); ok {
		return null.GetToken().Value, nil
	}
	v, err := r.value(inner)
	if err != nil {
		return "", err
	}
	if v.Kind == syntax.Object || v.Kind == syntax.Array {
		return "", fmt.Errorf("%w: a key is not a word", ErrYAML)
	}
	return v.Text, nil
}

// tooDeep reports whether the text nests deeper than maxDepth, or seems to: it
// also counts brackets that are only text. It ignores indentation, because that
// takes many bytes a level.
func tooDeep(text string) bool {
	flow := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			if flow++; flow > maxDepth {
				return true
			}
		case ']', '}':
			flow = max(flow-1, 0)
		}
	}
	return strings.Contains(text, strings.Repeat("- ", maxDepth))
}

// firstLine returns the parser's message without the source that it prints
// below it.
func firstLine(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	return s
}
