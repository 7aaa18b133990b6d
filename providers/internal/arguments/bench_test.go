package arguments

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func BenchmarkCompile(b *testing.B) {
	for name, schema := range map[string]string{"issue": issue, "search": search, "chart": chart} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				compile(schema)
			}
		})
	}
	b.Run("limit", func(b *testing.B) { // the largest schema that is still compiled
		var list []string
		for i := range maxObjects - 10 {
			list = append(list, fmt.Sprintf(`"a%d":{"type":"string"}`, i))
		}
		schema := `{"properties":{` + strings.Join(list, ",") + `}}`
		for b.Loop() {
			if compile(schema).Fault() != "" {
				b.Fatal("not compiled")
			}
		}
	})
	b.Run("references", func(b *testing.B) { // to places that the library copies its tables for
		var refs, places []string
		for i := range maxObjects/2 - 20 {
			refs = append(refs, fmt.Sprintf(`"a%d":{"$ref":"#/x/b%d"}`, i, i))
			places = append(places, fmt.Sprintf(`"b%d":{"type":"string","$id":"b%d"}`, i, i))
		}
		schema := `{"properties":{` + strings.Join(refs, ",") + `},"x":{` + strings.Join(places, ",") + `}}`
		for b.Loop() {
			compile(schema)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	s := compile(issue)
	words := line("--owner", "o", "--repo", "r", "--title", "Something is broken", "--label", "a", "--label", "b", "--draft")
	for b.Loop() {
		if _, err := s.Parse(words); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	s := compile(issue)
	args := json.RawMessage(`{"owner":"o","repo":"r","title":"Something is broken","labels":["a","b"],"draft":true,"perPage":7}`)
	b.SetBytes(int64(len(args)))
	for b.Loop() {
		if err := s.Check(args); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLarge checks arguments of 10 MB.
func BenchmarkLarge(b *testing.B) {
	const size = 10 << 20
	text := strings.Repeat("a line of a file\n", size/17)
	for name, c := range map[string]struct {
		s    *Schema
		args string
	}{
		"text":    {compile(issue), fmt.Sprintf(`{"owner":"o","repo":"r","title":"t","body":%q}`, text)},
		"plain":   {compile(issue), fmt.Sprintf(`{"owner":"o","repo":"r","title":"t","body":%q}`, strings.ReplaceAll(text, "\n", " "))},
		"items":   {compile(chart), `{"data":[` + strings.Repeat(`{"category":"a","value":1},`, size/28) + `{"category":"a","value":1}]}`},
		"numbers": {compile(search), `{"query":"q","ids":[` + strings.Repeat(`1234567,`, size/8) + `1]}`},
		"wrong":   {compile(search), `{"query":"q","ids":[` + strings.Repeat(`"12345",`, size/8) + `1]}`},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(c.args)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.s.Check([]byte(c.args)); (err != nil) != (name == "wrong") {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("parse", func(b *testing.B) {
		s := compile(issue)
		words := []Word{file("--body=", "f", text)}
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Parse(words); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEndless is the longest that a schema made to take time can take.
func BenchmarkEndless(b *testing.B) {
	deep := json.RawMessage(strings.Repeat(`{"x":`, 300) + `1` + strings.Repeat(`}`, 300))
	s := compile(`{"properties":{"x":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}},"required":["y"]}`)
	for b.Loop() {
		_ = s.Check(deep)
	}
}
