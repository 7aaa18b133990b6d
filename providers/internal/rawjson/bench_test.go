package rawjson

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParts finds the members of messages of 10 MB: one that is a long
// text, and one that is many small values.
func BenchmarkParts(b *testing.B) {
	const size = 10 << 20
	for name, result := range map[string]string{
		"text":  fmt.Sprintf("%q", strings.Repeat("a line of a file\n", size/18)),
		"items": "[" + strings.Repeat(`{"category":"a","value":1},`, size/27) + "0]",
	} {
		message := []byte(`{"jsonrpc":"2.0","id":"raw-1","result":` + result + `}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for range Parts(message) {
					n++
				}
				if n != 3 {
					b.Fatal(n)
				}
			}
		})
	}
}

// BenchmarkFingerprint identifies a definition of usual size.
func BenchmarkFingerprint(b *testing.B) {
	definition := []byte(`{"name":"search","description":"Searches the issues of a repository.\nReturns \u00e9 at most 100.","inputSchema":{"type":"object","properties":{` +
		strings.Repeat(`"query":{"type":"string","description":"What to search for, in the syntax of the site"},`, 12) + `"n":{"type":"integer","default":30}},"required":["query"]}}`)
	b.SetBytes(int64(len(definition)))
	b.ReportAllocs()
	for b.Loop() {
		FingerprintOf(definition)
	}
}
