package rawjson

import (
	"bytes"
	"encoding/json"
	"testing"

	"ctxfs/fs/fstest"
)

func FuzzParts(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[{"c":"]}\""}]}`, `[1,"\\",null]`, ` {} `, `{"a":{"b":`, `{"a" 1}`, `"x"`, `{"a":1,}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		visited := 0
		whole := Visit(text, func(string, json.RawMessage) { visited++ })
		for range Parts(text) {
			visited--
		}
		if visited != 0 {
			t.Fatalf("%q: Visit and Parts differ by %d parts", text, visited)
		}
		if !json.Valid(text) {
			return
		}
		if !whole {
			t.Fatalf("%q is one value", text)
		}
		var members map[string]json.RawMessage
		var elements []json.RawMessage
		first := bytes.TrimLeft(text, " \t\r\n")[0]
		if first == '{' && json.Unmarshal(text, &members) == nil {
			got := make(map[string]string)
			for name, value := range Parts(text) {
				got[name] = string(value)
			}
			for name, value := range members {
				fstest.Equal(t, got[name], string(value), name, value)
			}
			fstest.Equal(t, len(got), len(members), got, members)
		}
		if first == '[' && json.Unmarshal(text, &elements) == nil {
			i := 0
			for _, value := range Parts(text) {
				if i >= len(elements) || string(value) != string(elements[i]) {
					t.Fatalf("element %d: %q of %q", i, value, text)
				}
				i++
			}
			fstest.Equal(t, i, len(elements), "elements", text)
		}
	})
}
