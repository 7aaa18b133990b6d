package agents

import "testing"

// fuzzText fuzzes a text that is one of the seeds with a piece of it replaced, or
// any text. The fuzzer itself would take a seed for an input like others, and
// make what it finds near it smaller, byte by byte for up to a minute, before it
// goes on: with seeds as long as sessions are it would do nothing else.
func fuzzText(f *testing.F, test func(t *testing.T, text string), seeds ...string) {
	for i, seed := range seeds {
		for _, at := range []int{0, len(seed) / 2, len(seed)} {
			f.Add(uint8(i), uint16(at), uint16(9), "{}\n\xff")
		}
		f.Add(uint8(i), uint16(0), uint16(0), "")
	}
	f.Add(uint8(255), uint16(0), uint16(0), "7\nnull\n[{}]\n")
	f.Fuzz(func(t *testing.T, which uint8, at, cut uint16, piece string) {
		text := piece
		if int(which) < len(seeds) {
			seed := seeds[which]
			from := int(at) % (len(seed) + 1)
			text = seed[:from] + piece + seed[min(from+int(cut), len(seed)):]
		}
		test(t, text)
	})
}
