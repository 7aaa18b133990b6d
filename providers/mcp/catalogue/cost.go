package catalogue

import (
	"bytes"
	"encoding/json"

	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/internal/tokens"
)

// Tokens returns how many tokens the definitions of tools take in a request of an agent
// that is given them: name, description and schema of the arguments of each, as compact
// JSON. Shown reports whether a tool is one of them, by its own name.
func (c *Catalogue) Tokens(shown func(name string) bool) int {
	n := 0
	for _, d := range c.Lists[Tools].Items {
		o, err := rawjson.ParseObject(d.Raw)
		if err != nil || !shown(o.Text("name")) {
			continue
		}
		var sent bytes.Buffer
		sent.WriteByte('{')
		for _, m := range [...]struct{ is, sent string }{{"name", "name"}, {"description", "description"}, {"inputSchema", "input_schema"}} {
			value := o.Get(m.is)
			if value == nil {
				continue
			}
			if sent.Len() > 1 {
				sent.WriteByte(',')
			}
			sent.WriteString(`"` + m.sent + `":`)
			if json.Compact(&sent, value) != nil {
				sent.Write(value)
			}
		}
		sent.WriteByte('}')
		n += tokens.Count(sent.String())
	}
	return n
}
