package catalogue

import "ctxfs/providers/internal/rawjson"

// shape describes how definitions of a kind are shown: which members come first,
// and under which names. The others follow in the order of the server.
type shape struct {
	first  []naming
	hidden []string // members that are never shown
}

// naming is the name of a member in the protocol and in the file.
type naming struct{ is, shown string }

// The shapes. Icons are hidden: they are pictures in base64, more than half of
// the bytes of some catalogues.
var (
	toolShape = shape{
		first: []naming{{"name", "name"}, {"description", "description"}, {"inputSchema", "arguments"},
			{"outputSchema", "outputSchema"}, {"annotations", "annotations"}},
		hidden: []string{"icons"},
	}
	resourceShape = shape{
		first: []naming{{"uri", "uri"}, {"uriTemplate", "uriTemplate"}, {"name", "name"},
			{"description", "description"}, {"mimeType", "mimeType"}},
		hidden: []string{"icons"},
	}
	promptShape = shape{
		first:  []naming{{"name", "name"}, {"description", "description"}, {"arguments", "arguments"}},
		hidden: []string{"icons"},
	}
)

// render returns the text of a definition: JSON indented by two spaces, the
// values as the server sent them, with a final newline.
func (s shape) render(o rawjson.Object) ([]byte, error) {
	shown := make(rawjson.Object, 0, len(o))
	done := make(map[string]bool, len(o)+len(s.hidden))
	for _, name := range s.hidden {
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
