package catalogue

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"ctxfs/providers/internal/rawjson"
)

func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","inputSchema":{"b":1,"a":1.50},"icons":[1],"z":null,"annotations":{}}`,
		`{"inputSchema":1,"arguments":2,"name":5}`, `{"a":1,"a":2}`, `{"\u202e":"\ud800"}`, "{\"\x7f\xff\":\"\x7f\"}", "{\"a\":\"\xff\u2028\"}", `{}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var l List
		if json.Valid(raw) {
			l.Add([]json.RawMessage{raw}, map[[32]byte]bool{})
		}
		for _, d := range l.Items {
			o, err := rawjson.ParseObject(d.Raw)
			if err != nil {
				t.Fatalf("%v: %s", err, d.Raw)
			}
			for _, shape := range []shape{toolShape, resourceShape, promptShape} {
				body, err := text(shape.arrange(o))
				if err != nil || !json.Valid(body) || !utf8.Valid(body) || !bytes.HasSuffix(body, []byte("}\n")) {
					t.Fatalf("%v: %s", err, body)
				}
			}
			s := newSection(toolShape, l)
			if len(s.Items) != 1 {
				t.Fatalf("%d items", len(s.Items))
			}
			if i := s.Items[0]; i.Sum != rawjson.FingerprintOf(i.Definition()) {
				t.Fatalf("the fingerprint is not that of what is shown: %s", i.Body)
			}
		}
	})
}
