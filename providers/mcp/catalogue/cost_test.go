package catalogue

import (
	"encoding/json"
	"testing"

	"ctxfs/providers/internal/tokens"
)

// TestTokens: a definition counts as clients send it, without what they leave out, and
// however the server has written it.
func TestTokens(t *testing.T) {
	raw := func(texts ...string) (items []Definition) {
		for _, text := range texts {
			items = append(items, Definition{Raw: json.RawMessage(text)})
		}
		return items
	}
	all := func(string) bool { return true }
	cat := Catalogue{}
	cat.Lists[Tools].Items = raw(
		`{ "title": "Long and left out", "inputSchema": {"type": "object",  "properties": {"who": {"type": "string"}}}, "name": "greet",
		  "description": "Says hello to \u00e9 <b>.", "outputSchema": {"type":"object"}, "annotations": {"readOnlyHint": true} }`,
		`{"name":"bare"}`, `[]`, `{"name":7}`,
	)
	cat.Lists[Prompts].Items = raw(`{"name":"prompt","description":"not a tool"}`)
	greet := tokens.Count(`{"name":"greet","description":"Says hello to \u00e9 <b>.","input_schema":{"type":"object","properties":{"who":{"type":"string"}}}}`)
	bare := tokens.Count(`{"name":"bare"}`)
	if got := cat.Tokens(func(name string) bool { return name == "greet" }); got != greet {
		t.Errorf("greet: %d, want %d", got, greet)
	}
	if got := cat.Tokens(func(name string) bool { return name == "greet" || name == "bare" }); got != greet+bare {
		t.Errorf("both: %d, want %d", got, greet+bare)
	}
	if got := cat.Tokens(all); got < greet+bare || got > greet+bare+10 {
		t.Errorf("with odd ones: %d", got)
	}
	if got := new(Catalogue).Tokens(all); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}
