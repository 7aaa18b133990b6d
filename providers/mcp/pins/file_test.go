package pins

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

func FuzzPinsFile(f *testing.F) {
	f.Add([]byte(`{"format":1,"rendering":3,"name":"a","origin":"b","pins":[{"name":"x","size":12}]}` + "\n" + `{"name":"x"}` + "\n"))
	f.Add([]byte(`{"format":1,"name":"a","origin":"b","pins":[{"name":"x","size":2},{"name":"x","nth":1,"size":4}]}` + "\n{}\n[{}]\n"))
	f.Add([]byte(`{"format":2,"name":"a","origin":"b"}`))
	f.Add([]byte(`{"format":1,"name":"a","origin":"b","pins":[{"name":"x","sum":"` + strings.Repeat("00", 32) + `","size":12}]}` + "\n" + `{"name":"x"}` + "\n"))
	f.Add([]byte(`{"format":1,"name":"a","origin":"b","pins":[{"name":"x","nth":-1,"size":-1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, whole := range []bool{false, true} {
			all, err := parseFile(bufio.NewReader(bytes.NewReader(text)), catalogue.Key{Name: "a", Origin: "b"}, whole)
			if err != nil {
				continue
			}
			for _, one := range all.pinned {
				if whole {
					rawjson.FingerprintOf(catalogue.ItemOf(one.definition).Definition())
				}
			}
		}
	})
}

// TestPinsOfTheOlderRendering: a file that a ctxfs wrote which showed tools in another
// form (testdata/rendering-2.json) reports none as changed, and still one that has.
func TestPinsOfTheOlderRendering(t *testing.T) {
	old, err := os.ReadFile("testdata/rendering-2.json")
	if err != nil {
		t.Fatal(err)
	}
	snapshot := func(tools ...string) *catalogue.Snapshot {
		cat := new(catalogue.Catalogue)
		for _, tool := range tools {
			cat.Lists[catalogue.Tools].Add([]json.RawMessage{json.RawMessage(tool)}, make(map[[sha256.Size]byte]bool))
		}
		return catalogue.NewSnapshot(cat)
	}
	greet := `{"name":"greet","title":"G","description":"Says <hello> & \"more\".","inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993},"who":{"type":"string","description":"Whom\u202e"}},"required":["who"]},"annotations":{"readOnlyHint":true},"icons":["x"],"_meta":{"a":1.50}}`
	odd := `{"name":"odd","server":"mine","call":{"a":[1, 2]},"inputSchema":{}}`
	keys := []catalogue.Key{{Name: "a", Origin: "b"}}
	p := Store{Dir: t.TempDir()}
	if err := os.WriteFile(p.path(keys[0]), old, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, shown := range []*catalogue.Snapshot{snapshot(greet, odd), snapshot(odd, greet)} {
		if s := p.Load(keys, shown); s.fault != "" || len(s.drifts) != 0 {
			t.Errorf("%q, %d changes: %s", s.fault, len(s.drifts), s.Notes("a"))
		}
	}
	changed := snapshot(strings.Replace(greet, "740993", "740994", 1), strings.Replace(odd, "mine", "yours", 1))
	state, err := p.Pin(State{}, keys, nil, changed, time.Now())
	if err != nil || len(state.drifts) != 2 {
		t.Fatalf("%v, %d changes", err, len(state.drifts))
	}
	// The file is of this rendering now, and says the same.
	written, err := os.ReadFile(p.path(keys[0]))
	if err != nil || bytes.Contains(written, []byte(`"rendering":2`)) {
		t.Errorf("%v: %s", err, written)
	}
	if s := p.Load(keys, snapshot(greet, odd)); len(s.drifts) != 0 {
		t.Error(s.Notes("a"))
	}
	if s := p.Load(keys, changed); len(s.drifts) != 2 || !strings.Contains(string(s.drifts[0].diff), "\n-") {
		t.Error(s.Notes("a"))
	}
}
