package records

import (
	"slices"

	"ctxfs/providers/transcripts/event"
)

// PendingCalls holds the calls whose results have not come yet. Its JSON form is
// part of the saved state of readers.
type PendingCalls struct {
	Open []PendingCall `json:"open,omitempty"`
}

// PendingCall is a call whose result has not come yet.
type PendingCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// maxPendingCalls is how many calls are remembered; the results of older ones are
// emitted without the name of the tool.
const maxPendingCalls = 256

// Add remembers a call.
func (p *PendingCalls) Add(id, name string) {
	if len(p.Open) == maxPendingCalls {
		p.Open = slices.Delete(p.Open, 0, 1)
	}
	p.Open = append(p.Open, PendingCall{id, name})
}

// Take removes a call and returns the name of its tool, "" for an unknown call.
func (p *PendingCalls) Take(id string) string {
	i := slices.IndexFunc(p.Open, func(c PendingCall) bool { return c.ID == id })
	if i < 0 {
		return ""
	}
	name := p.Open[i].Name
	p.Open = slices.Delete(p.Open, i, i+1)
	return name
}

// ToolNames maps the ids of calls to the names of their tools.
type ToolNames map[string]string

// Result returns the result of a call, with the name of its tool where it is
// known.
func (c ToolNames) Result(id, text string, failed bool) *event.Result {
	return &event.Result{CallID: id, Name: c[id], Text: text, Error: failed}
}

// Channel is one of the two channels where a log can have the same text.
type Channel bool

const (
	Items  Channel = true  // what went to the model and came from it
	Events Channel = false // what the agent's program showed
)

// Dedup finds texts that a log has twice, once in each of two channels, in either
// order, so that the second can be left out. A text that the same channel repeats
// was said twice and is kept. Few texts wait for their second occurrence at any
// time, mostly one.
type Dedup struct {
	Open []single `json:"open,omitempty"`
}

// single is a text that only one channel has had so far.
type single struct {
	Hash uint64  `json:"hash,string"`
	By   Channel `json:"by"`
}

// maxSingles is how many texts wait. The oldest is forgotten: one channel may
// never repeat it.
const maxSingles = 64

// Repeated records a text of a channel, and reports whether the other channel
// already had it. Equal texts of different kinds are different texts.
func (t *Dedup) Repeated(text, kind string, by Channel) bool {
	h := TextHash(text)
	for i := 0; i < len(kind); i++ {
		h = (h ^ uint64(kind[i])) * fnvPrime
	}
	if i := slices.Index(t.Open, single{h, !by}); i >= 0 {
		t.Open = slices.Delete(t.Open, i, i+1)
		return true
	}
	if len(t.Open) == maxSingles {
		t.Open = slices.Delete(t.Open, 0, 1)
	}
	t.Open = append(t.Open, single{h, by})
	return false
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// TextHash returns a hash that is equal for texts that differ in white space
// only: the channels join parts and trim ends differently. Hashes are saved on
// disk.
func TextHash(text string) uint64 {
	h := uint64(fnvOffset)
	for i := 0; i < len(text); i++ {
		if c := text[i]; c > ' ' {
			h = (h ^ uint64(c)) * fnvPrime
		}
	}
	return h
}
