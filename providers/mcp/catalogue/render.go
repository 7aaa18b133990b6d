package catalogue

import "ctxfs/providers/internal/rawjson"

// shape is how a kind of definition is shown: which members come first, and
// under which names. The others follow in their own order.
type shape struct {
	first []naming
	left  []string // never shown
}

type naming struct{ is, shown string }

// The shapes. Icons are pictures in base64, more than half of the bytes of
// some catalogues.
var (
	toolShape = shape{
		first: []naming{{"name", "name"}, {"description", "description"}, {"inputSchema", "arguments"},
			{"outputSchema", "outputSchema"}, {"annotations", "annotations"}},
		left: []string{"icons"},
	}
	resourceShape = shape{
		first: []naming{{"uri", "uri"}, {"uriTemplate", "uriTemplate"}, {"name", "name"},
			{"description", "description"}, {"mimeType", "mimeType"}},
		left: []string{"icons"},
	}
	promptShape = shape{
		first: []naming{{"name", "name"}, {"description", "description"}, {"arguments", "arguments"}},
		left:  []string{"icons"},
	}
)

// render makes the text of a definition: two-space JSON, the values as they
// came, ending in a newline.
func (s shape) render(o rawjson.Object) ([]byte, error) {
	shown := make(rawjson.Object, 0, len(o))
	done := make(map[string]bool, len(o)+len(s.left))
	for _, name := range s.left {
		done[name] = true
	}
	for _, n := range s.first {
		if value := o.Get(n.is); value != nil {
			shown = append(shown, rawjson.Member{Name: n.shown, Value: value})
			done[n.is], done[n.shown] = true, true
		}
	}
	for _, m := range o {
		if !done[m.Name] {
			shown = append(shown, m)
		}
	}
	compact, err := shown.Append(nil)
	if err != nil {
		return nil, err
	}
	return rawjson.Indent(compact)
}
