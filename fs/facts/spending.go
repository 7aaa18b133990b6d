package facts

import (
	"encoding/binary"
	"math"
	"slices"
	"time"
)

// ModelCall is a request to a model, as its agent has logged what it took. Agents log one
// several times: while the answer comes, in a session that begins with the end of another,
// and in those of subagents. Two calls of one agent are the same if their Keys are; or if
// their Copies are, and one of them is Aside.
type ModelCall struct {
	// Key and Copy identify the request among all of the agent's; 0 is equal to nothing.
	Key, Copy uint64
	// Aside is set for a call of a subagent, or of a session that may repeat another one:
	// of two that are the same, the other one counts. Else the one with more tokens does.
	Aside bool
	// Time is when it was answered; zero where that is not known.
	Time time.Time
	// Model is the provider's name of the model, or "".
	Model  string
	Tokens Tokens
	// Cost is what the agent says that it costs, in US dollars; 0 where it does not.
	Cost float64
}

// Tokens are counts of tokens that are billed differently; none is part of another.
type Tokens struct {
	// Input is what was neither read from a cache nor written to one.
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	// CacheRead was read from a cache. CacheWrite was written to one for five minutes, or
	// for a time that is not known, CacheWriteLong for an hour.
	CacheRead      int64 `json:"cache_read"`
	CacheWrite     int64 `json:"cache_write"`
	CacheWriteLong int64 `json:"cache_write_long"`
	// Reasoning is what the model thought, where that is not in Output. It is billed as
	// that is.
	Reasoning int64 `json:"reasoning"`
}

// Add returns the sums of the counts.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{
		Input: t.Input + o.Input, Output: t.Output + o.Output, CacheRead: t.CacheRead + o.CacheRead,
		CacheWrite: t.CacheWrite + o.CacheWrite, CacheWriteLong: t.CacheWriteLong + o.CacheWriteLong,
		Reasoning: t.Reasoning + o.Reasoning,
	}
}

// Total returns how many tokens there are in all.
func (t Tokens) Total() int64 {
	return t.Input + t.Output + t.CacheRead + t.CacheWrite + t.CacheWriteLong + t.Reasoning
}

// Replaces reports whether the call counts instead of another one that is the same.
func (c ModelCall) Replaces(o ModelCall) bool {
	if c.Aside != o.Aside {
		return o.Aside
	}
	if n, m := c.Tokens.Total(), o.Tokens.Total(); n != m {
		return n > m
	}
	return c.Cost > o.Cost
}

// Calls are requests to one model, packed: some 35 bytes each.
type Calls struct {
	Model  string `json:"model,omitempty"`
	Packed []byte `json:"calls"`
}

// nano is a billionth: costs are kept as billionths of a dollar.
const nano = 1e-9

// Pack packs requests: of each the Key and the Copy, then as numbers of variable length
// whether it is Aside, the time in seconds, the tokens and the cost.
func Pack(calls []ModelCall) (all []Calls) {
	for _, c := range calls {
		i := slices.IndexFunc(all, func(of Calls) bool { return of.Model == c.Model })
		if i < 0 {
			i, all = len(all), append(all, Calls{Model: c.Model})
		}
		var aside, at int64
		if c.Aside {
			aside = 1
		}
		if !c.Time.IsZero() {
			at = c.Time.Unix()
		}
		b := binary.LittleEndian.AppendUint64(all[i].Packed, c.Key)
		b = binary.LittleEndian.AppendUint64(b, c.Copy)
		t := c.Tokens
		for _, n := range []int64{aside, at, t.Input, t.Output, t.CacheRead, t.CacheWrite, t.CacheWriteLong, t.Reasoning, int64(math.Round(c.Cost / nano))} {
			b = binary.AppendVarint(b, n)
		}
		all[i].Packed = b
	}
	return all
}

// Each yields the requests, as far as they are not damaged.
func (all Calls) Each(yield func(ModelCall) bool) {
	b := all.Packed
	bad := false
	next := func() int64 {
		v, n := binary.Varint(b)
		if bad = bad || n <= 0; bad {
			return 0
		}
		b = b[n:]
		return v
	}
	for len(b) > 16 {
		c := ModelCall{Model: all.Model, Key: binary.LittleEndian.Uint64(b), Copy: binary.LittleEndian.Uint64(b[8:])}
		b = b[16:]
		c.Aside = next() == 1
		if at := next(); at != 0 {
			c.Time = time.Unix(at, 0)
		}
		c.Tokens = Tokens{Input: next(), Output: next(), CacheRead: next(), CacheWrite: next(), CacheWriteLong: next(), Reasoning: next()}
		c.Cost = float64(next()) * nano
		if bad || !yield(c) {
			return
		}
	}
}
