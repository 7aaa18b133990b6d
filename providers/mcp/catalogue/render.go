package catalogue

import (
	"bytes"
	"encoding/json"
	"slices"

	"ctxfs/fs/jsonscan"
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
// the bytes of some catalogues. A file begins with members of ours, see [Item.Head]:
// a definition's own of these names, which the protocol does not know, get others.
var (
	toolShape = shape{
		pinned: true,
		first: []naming{{"name", "name"}, {"description", "description"}, {"inputSchema", "arguments"},
			{"outputSchema", "outputSchema"}, {"annotations", "annotations"}, {serverMember, "x-server"}, {callMember, "x-call"}},
		hidden: []string{"icons"},
	}
	resourceShape = shape{
		first: []naming{{"uri", "uri"}, {"uriTemplate", "uriTemplate"}, {"name", "name"},
			{"description", "description"}, {"mimeType", "mimeType"}, {serverMember, "x-server"}, {callMember, "x-call"}},
		hidden: []string{"icons"},
	}
	promptShape = shape{
		first: []naming{{"name", "name"}, {"description", "description"}, {"arguments", "arguments"},
			{serverMember, "x-server"}, {callMember, "x-call"}},
		hidden: []string{"icons"},
	}
)

// The members of ours.
const (
	serverMember = "server"
	callMember   = "call"
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

// text returns the text of a definition that is shown as an object, with a final
// newline: its values as the server sent them, without spaces. Each member is a line
// of its own, and so is each of its arguments, so that a search prints the one that
// has the word, and not all.
func text(shown rawjson.Object) ([]byte, error) {
	out := []byte{'{'}
	for i, m := range shown {
		if i > 0 {
			out = append(out, ",\n"...)
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		out = append(append(out, name...), ':')
		var value bytes.Buffer
		if err := json.Compact(&value, m.Value); err != nil {
			return nil, err
		}
		if m.Name == "arguments" {
			out = appendLines(out, value.Bytes())
		} else {
			out = append(out, value.Bytes()...)
		}
	}
	return bytes.Clone(clean.JSON(append(out, "}\n"...))), nil
}

// appendLines appends the arguments of a tool, a schema, or of a prompt, an array,
// with a line for each.
func appendLines(out, value []byte) []byte {
	s := jsonscan.Scanner{Text: value}
	if value[0] == '[' {
		return appendParts(out, value, &s, s.Next())
	}
	from := 0
	for t := s.Next(); t.Kind != jsonscan.End; t = s.Next() {
		if t.Kind != jsonscan.String {
			continue
		}
		name := value[t.Begin:t.End]
		s.Next() // the colon
		if t = s.Next(); t.Kind == '{' && string(name) == `"properties"` {
			out = appendParts(append(out, value[from:t.Begin]...), value, &s, t)
			from = s.At
		} else {
			s.Skip(t)
		}
	}
	return append(out, value[from:]...)
}

// appendParts appends the object or array that begins with a bracket, the last token
// read, with a line for each of its parts.
func appendParts(out, value []byte, s *jsonscan.Scanner, open jsonscan.Token) []byte {
	out = append(out, value[open.Begin])
	for {
		t := s.Next()
		switch t.Kind {
		case ',':
			out = append(out, ',')
			continue
		case '}', ']', jsonscan.End:
			return append(out, value[t.Begin:t.End]...)
		}
		begin := t.Begin
		if open.Kind == '{' {
			s.Next() // the colon
			t = s.Next()
		}
		out = append(append(out, '\n'), value[begin:s.Skip(t)]...)
	}
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
