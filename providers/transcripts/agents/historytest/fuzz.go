package historytest

import (
	"bytes"
	"encoding/json"
	"testing"

	"ctxfs/providers/transcripts/agents/history"
)

// FuzzLog reads any log with [RoundTrip]. Every line that is not JSON must become
// an event of kind unknown.
func FuzzLog(f *testing.F, open func() history.Reader, seeds ...[]byte) {
	var texts []string
	for _, seed := range seeds {
		texts = append(texts, string(seed))
	}
	FuzzText(f, func(t *testing.T, text string) {
		log := []byte(text + "\n")
		c := RoundTrip(t, open, log)
		bad := 0
		for _, line := range CompleteLines(log) {
			if !json.Valid(line) && len(bytes.TrimSpace(line)) > 0 {
				bad++
			}
		}
		if n := kinds(c.Events)["unknown"]; n < bad && bytes.Count(log, []byte{'\n'}) < 100 {
			t.Errorf("%d lines are not JSON, %d events say so", bad, n)
		}
	}, texts...)
}

// FuzzText fuzzes a text: one of the seeds with a piece of it replaced, or any
// text. With the seeds themselves as inputs the fuzzer would minimize every new
// input, byte by byte for up to a minute: with seeds as long as sessions are it
// would do nothing else.
func FuzzText(f *testing.F, test func(t *testing.T, text string), seeds ...string) {
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
