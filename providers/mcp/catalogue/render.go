package catalogue

import (
	"slices"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
)

// shape describes how definitions of a kind are shown: which members come first,
// and under which names. The others follow in the order of the server.
type shape struct {
	first  []naming
	hidden []string // members that are never shown
	pinned bool     // definitions have fingerprints, for pins
}

// naming is the name of a member in the protocol and in the file.
type naming struct{ is, shown string }

// The shapes. Icons are hidden: they are pictures in base64, more than half of
// the bytes of some catalogues.
var (
	toolShape = shape{
		pinned: true,
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

// arrange returns the members of a definition that are shown, in their order and
// under their names.
func (s shape) arrange(o rawjson.Object) rawjson.Object {
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
	return shown
}

// text returns the text of a definition that is shown as an object: JSON indented by
// two spaces, the values as the server sent them, with a final newline.
func text(shown rawjson.Object) ([]byte, error) {
	compact, err := shown.Append(nil)
	if err != nil {
		return nil, err
	}
	return rawjson.Indent(compact)
}

// fingerprint returns the fingerprint of the definition that is shown as an object,
// under the protocol's names: that of Item.Definition, without parsing the text
// again.
func (s shape) fingerprint(shown rawjson.Object) rawjson.Fingerprint {
	o := s.protocolNames(shown)
	for i := range o {
		o[i].Value = clean.JSON(o[i].Value)
	}
	compact, err := o.Append(nil)
	if err != nil {
		compact = []byte("{}") // impossible: names always encode
	}
	return rawjson.FingerprintOf(compact)
}

// protocolNames returns an object that is shown with the protocol's names.
func (s shape) protocolNames(shown rawjson.Object) rawjson.Object {
	o := slices.Clone(shown)
	for i := range o {
		for _, n := range s.first {
			if o[i].Name == n.shown {
				o[i].Name = n.is
				break
			}
		}
	}
	return o
}
