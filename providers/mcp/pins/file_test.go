package pins

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
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

// snapshot returns a snapshot of tools.
func snapshot(tools ...string) *catalogue.Snapshot {
	cat := new(catalogue.Catalogue)
	for _, tool := range tools {
		cat.Lists[catalogue.Tools].Add([]json.RawMessage{json.RawMessage(tool)}, make(map[[sha256.Size]byte]bool))
	}
	return catalogue.NewSnapshot(cat)
}

// TestPinsOfTheOlderRendering: a file that a ctxfs wrote which showed tools in another
// form (testdata/rendering-2.json) reports none as changed, and still one that has.
func TestPinsOfTheOlderRendering(t *testing.T) {
	old, err := os.ReadFile("testdata/rendering-2.json")
	if err != nil {
		t.Fatal(err)
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

// TestTooManyPins of one server's tools under ever new names: it is said which changes
// are not seen, until the tools that are gone are forgotten.
func TestTooManyPins(t *testing.T) {
	p, keys, now := Store{Dir: t.TempDir()}, []catalogue.Key{{Name: "a", Origin: "b"}}, time.Now()
	long := strings.Repeat("x", 6<<20)
	var s State
	pin := func(i int, description string) (notes string) {
		t.Helper()
		var err error
		if s, err = p.Pin(s, keys, nil, snapshot(fmt.Sprintf(`{"name":"tool_%d","description":%q}`, i, description)), now); err != nil {
			t.Fatal(err)
		}
		return strings.Join(s.Notes("a"), "\n")
	}
	for i := range 2 {
		if notes := pin(i, long); notes != "" {
			t.Errorf("tool %d: %s", i, notes)
		}
	}
	const many = "more tools than are pinned: changes of 1 tool are not seen; to forget the pins of tools that are gone: ctxfs accept a"
	if notes := pin(2, long); notes != many {
		t.Errorf("%s", notes)
	}
	s, accepted, err := p.Accept(s, keys, snapshot(fmt.Sprintf(`{"name":"tool_2","description":%q}`, long)), nil, now)
	if err != nil || len(accepted) != 1 || len(s.Notes("a")) > 0 {
		t.Errorf("accepted %d, %v: %s", len(accepted), err, s.Notes("a"))
	}
	if notes := pin(1, long); notes != "" {
		t.Errorf("%s", notes)
	}
	if notes := pin(2, long+"y"); !strings.Contains(notes, "the definition of the tool tool_2 has changed (description)") {
		t.Errorf("%s", notes)
	}
}
