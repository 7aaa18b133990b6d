package agents

import "slices"

// teller is one of two by which a log tells the same text.
type teller bool

const (
	byItem  teller = true
	byEvent teller = false
)

// twice finds the texts that a log tells twice, by two tellers, in either order:
// the second time is left out. A text that is said again by the same teller was
// said again. Few texts wait for their twin at any time, mostly one.
type twice struct {
	Open []onceTold `json:"open,omitempty"`
}

// onceTold is a text that was told by one of the two.
type onceTold struct {
	Hash uint64 `json:"hash,string"`
	By   teller `json:"by"`
}

// maxOnceTold is how many texts wait: an older one that one teller never repeats
// is forgotten.
const maxOnceTold = 64

// told notes a text, and tells whether the other teller has told it before.
// Texts of different kinds are different ones.
func (t *twice) told(text, kind string, by teller) bool {
	h := textHash(text)
	for i := 0; i < len(kind); i++ {
		h = (h ^ uint64(kind[i])) * fnvPrime
	}
	if i := slices.Index(t.Open, onceTold{h, !by}); i >= 0 {
		t.Open = slices.Delete(t.Open, i, i+1)
		return true
	}
	if len(t.Open) == maxOnceTold {
		t.Open = slices.Delete(t.Open, 0, 1)
	}
	t.Open = append(t.Open, onceTold{h, by})
	return false
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// textHash is the same for texts that differ in white space only: the tellers
// join parts and trim ends differently. It is kept on disk.
func textHash(text string) uint64 {
	h := uint64(fnvOffset)
	for i := 0; i < len(text); i++ {
		if c := text[i]; c > ' ' {
			h = (h ^ uint64(c)) * fnvPrime
		}
	}
	return h
}

// pendingCalls are the calls whose results are awaited.
type pendingCalls struct {
	Open []pendingCall `json:"open,omitempty"`
}

// pendingCall is one of them.
type pendingCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// maxPendingCalls is how many calls wait: results of older ones go without the
// name of the tool.
const maxPendingCalls = 256

// add notes a call.
func (p *pendingCalls) add(id, name string) {
	if len(p.Open) == maxPendingCalls {
		p.Open = slices.Delete(p.Open, 0, 1)
	}
	p.Open = append(p.Open, pendingCall{id, name})
}

// take returns the name of a call that waits no longer.
func (p *pendingCalls) take(id string) string {
	i := slices.IndexFunc(p.Open, func(c pendingCall) bool { return c.ID == id })
	if i < 0 {
		return ""
	}
	name := p.Open[i].Name
	p.Open = slices.Delete(p.Open, i, i+1)
	return name
}
