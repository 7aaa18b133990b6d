package catalogue

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// BenchmarkList takes a list of 1,000 tools from its raw definitions to the
// texts of their files, as every start of a server does.
func BenchmarkList(b *testing.B) {
	properties := make([]string, 8)
	for i := range properties {
		properties[i] = fmt.Sprintf(`"property%d": {"type": "string", "description": "What the tool needs to know about thing %d, with é"}`, i, i)
	}
	raw := make([]json.RawMessage, 1000)
	size := 0
	for i := range raw {
		raw[i] = fmt.Appendf(nil, `{"name": "tool%d", "description": "Does a thing. It takes <some> time.", "inputSchema": {"type": "object", "properties": {%s}}, "annotations": {"readOnlyHint": true}}`,
			i, strings.Join(properties, ", "))
		size += len(raw[i])
	}
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	list := func() (l List) {
		l.Add(raw, make(map[[sha256.Size]byte]bool))
		return l
	}
	before := list()
	before.Succeed(List{}, day)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		cat := &Catalogue{}
		cat.Lists[Tools] = list()
		cat.Lists[Tools].Succeed(before, day.Add(time.Hour))
		if s := NewSnapshot(cat); len(s.Tools()) != 1000 {
			b.Fatal(len(s.Tools()))
		}
	}
}
