package records

import (
	"slices"

	"ctxfs/providers/transcripts/event"
)

// PendingCalls are the calls whose results are awaited.
type PendingCalls struct {
	Open []PendingCall `json:"open,omitempty"`
}

// PendingCall is one of them.
type PendingCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// maxPendingCalls is how many calls wait: results of older ones go without the
// name of the tool.
const maxPendingCalls = 256

// Add notes a call.
func (p *PendingCalls) Add(id, name string) {
	if len(p.Open) == maxPendingCalls {
		p.Open = slices.Delete(p.Open, 0, 1)
	}
	p.Open = append(p.Open, PendingCall{id, name})
}

// Take returns the name of a call that waits no longer.
func (p *PendingCalls) Take(id string) string {
	i := slices.IndexFunc(p.Open, func(c PendingCall) bool { return c.ID == id })
	if i < 0 {
		return ""
	}
	name := p.Open[i].Name
	p.Open = slices.Delete(p.Open, i, i+1)
	return name
}

// ToolNames remembers the names of the tools that a session has called.
type ToolNames map[string]string

// Result makes the result of a call whose name was remembered.
func (c ToolNames) Result(id, text string, failed bool) *event.Result {
	return &event.Result{CallID: id, Name: c[id], Text: text, Error: failed}
}

// Channel is one of two by which a log tells the same text.
type Channel bool

const (
	Items  Channel = true
	Events Channel = false
)

// Dedup finds the texts that a log tells twice, by two tellers, in either order:
// the second time is left out. A text that is said again by the same teller was
// said again. Few texts wait for their twin at any time, mostly one.
type Dedup struct {
	Open []single `json:"open,omitempty"`
}

// single is a text that was told by one of the two.
type single struct {
	Hash uint64  `json:"hash,string"`
	By   Channel `json:"by"`
}

// maxSingles is how many texts wait: an older one that one teller never repeats
// is forgotten.
const maxSingles = 64

// Repeated notes a text, and tells whether the other teller has told it before.
// Texts of different kinds are different ones.
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

// TextHash is the same for texts that differ in white space only: the tellers
// join parts and trim ends differently. It is kept on disk.
func TextHash(text string) uint64 {
	h := uint64(fnvOffset)
	for i := 0; i < len(text); i++ {
		if c := text[i]; c > ' ' {
			h = (h ^ uint64(c)) * fnvPrime
		}
	}
	return h
}
