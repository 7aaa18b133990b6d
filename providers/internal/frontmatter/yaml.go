package frontmatter

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxDepth bounds how deep values may nest: the parser recurses, and takes
// quadratic time over "[[[[".
const maxDepth = 200

// decode reads a YAML mapping. Errors wrap ErrSyntax.
func decode(text string) (fields map[string]any, warnings []string, err error) {
	// The parser has panicked on foreign text before.
	defer func() {
		if v := recover(); v != nil {
			fields, warnings, err = nil, nil, fmt.Errorf("%w (the parser gave up)", ErrSyntax)
		}
	}()
	if strings.TrimSpace(text) == "" {
		return map[string]any{}, nil, nil
	}
	if tooDeep(text) {
		return nil, nil, fmt.Errorf("%w: it nests deeper than %d levels", ErrSyntax, maxDepth)
	}
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %s", ErrSyntax, firstLine(err))
	}
	var docs []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType {
			docs = append(docs, d.Body)
		}
	}
	switch {
	case len(docs) == 0:
		return map[string]any{}, nil, nil
	case len(docs) > 1:
		return nil, nil, fmt.Errorf("%w: it holds %d documents", ErrSyntax, len(docs))
	}
	var r reader
	v, err := r.value(docs[0])
	if err != nil {
		return nil, nil, err
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("%w: it is not a mapping of keys to values", ErrSyntax)
	}
	return fields, r.warnings, nil
}

// reader turns syntax into values. It does so itself, because the library's
// decoder guesses types and expands aliases without bound.
type reader struct{ warnings []string }

func (r *reader) value(n ast.Node) (any, error) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "", nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	case *ast.TagNode:
		return r.value(n.Value)
	case *ast.AnchorNode:
		return r.value(n.Value)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n})
	case *ast.MappingNode:
		return r.mapping(n.Values)
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, item := range n.Values {
			v, err := r.value(item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case *ast.AliasNode:
		return nil, fmt.Errorf("%w: it uses an alias (a value that begins with *)", ErrSyntax)
	}
	return nil, fmt.Errorf("%w: it uses YAML that has no place here (%s)", ErrSyntax, n.Type())
}

func (r *reader) mapping(pairs []*ast.MappingValueNode) (any, error) {
	fields := make(map[string]any, len(pairs))
	for _, pair := range pairs {
		key, err := r.key(pair.Key)
		if err != nil {
			return nil, err
		}
		if _, twice := fields[key]; twice {
			r.warnings = append(r.warnings, fmt.Sprintf("the key %q stands there twice, the first counts", key))
			continue
		}
		if fields[key], err = r.value(pair.Value); err != nil {
			return nil, err
		}
	}
	return fields, nil
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
	key, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%w: a key is not a word", ErrSyntax)
	}
	return key, nil
}

// tooDeep tells whether the text nests deeper than maxDepth, or seems to: it
// counts brackets that are only text, too. Indentation is not looked at,
// because it costs many bytes a level.
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

// firstLine is the parser's message without the source it prints below it.
func firstLine(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	return s
}
