package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/results"
)

// storedResults has the limit of the real store, and writes nothing: the name of a
// file has a time, and tables should come out the same twice.
type storedResults struct{ *results.Store }

// Save implements calls.Results.
func (storedResults) Save(_, _, _ string, body []byte) (calls.SavedResult, error) {
	return calls.SavedResult{Path: resultPath, Bytes: int64(len(body)), Lines: 1 + bytes.Count(body, []byte("\n"))}, nil
}

const resultPath = "/home/ada/.agentctx/results/2025-07-22T05-42-50Z.server.some_tool.zjczq.json"

// shorten finds the results over the limit, makes of them what ctxfs returns, and
// finds what later turns read of them.
func (one *trajectory) shorten(t testing.TB) {
	t.Helper()
	store := storedResults{results.Open(results.StoreOptions{Dir: t.TempDir()})}
	for i := range one.turns {
		for j := range one.turns[i].heard {
			h := &one.turns[i].heard[j]
			if h.user || len(h.text) <= store.Limit() {
				continue
			}
			raw, err := json.Marshal(map[string]any{"content": []map[string]string{{"type": "text", "text": h.text}}})
			must(t, err)
			result, err := calls.NewResult(raw, calls.ResultOptions{Server: "server", Tool: &calls.Tool{Name: "tool", File: "tool"}, Results: store})
			must(t, err)
			h.short = string(result.Text)
			one.readLater(i, *h)
		}
	}
}

// telling is a word by which it is known from where it comes.
var telling = regexp.MustCompile(`[\pL\pN][\pL\pN_./:-]{6,}[\pL\pN]`)

const (
	readAround = 500 // bytes on either side of a word
	mostReads  = 3   // of a turn, in one command
)

// readLater adds what is read of a shortened result: where a later turn has words that
// only the part which was left out has, the surroundings of these.
func (one *trajectory) readLater(from int, long heard) {
	known := one.system + long.short
	for i, t := range one.turns[:from+1] {
		for _, h := range t.heard {
			if h.text != long.text {
				known += h.text
			}
		}
		if i < from {
			known += t.text
		}
	}
	for i := from; i < len(one.turns); i++ {
		t := &one.turns[i]
		said := t.text
		for _, u := range t.uses {
			said += " " + string(u.arguments)
		}
		read, n := "", 0
		for _, word := range telling.FindAllString(said, -1) {
			at := strings.Index(long.text, word)
			if at < 0 || strings.Contains(known, word) || n == mostReads {
				continue
			}
			part := strings.ToValidUTF8(long.text[max(0, at-readAround):min(len(long.text), at+readAround)], "")
			read, known, n = read+part+"\n", known+part, n+1
		}
		if read != "" {
			t.reads = append(t.reads, read)
		}
		known += said
	}
}
