package frontmatter

import (
	"fmt"
	"strings"

	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/internal/yaml"
)

// decode reads a YAML mapping. Errors wrap ErrSyntax.
func decode(text string) (fields map[string]any, warnings []string, err error) {
	doc, warnings, err := yaml.Parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w%s", ErrSyntax, strings.TrimPrefix(err.Error(), yaml.ErrSyntax.Error()))
	}
	return plain(doc).(map[string]any), warnings, nil
}

// plain is a value as fields have it: a string, []any or map[string]any.
func plain(v syntax.Value) any {
	switch v.Kind {
	case syntax.Object:
		fields := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			fields[m.Name] = plain(m.Value)
		}
		return fields
	case syntax.Array:
		list := make([]any, 0, len(v.Items))
		for _, item := range v.Items {
			list = append(list, plain(item))
		}
		return list
	case syntax.Null:
		return ""
	}
	return v.Text
}
