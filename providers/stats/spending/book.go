package spending

import (
	"context"
	"encoding/binary"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/facts"
	"ctxfs/providers/internal/jsonlines"
)

const (
	// bookName is the file in the cache folder with the requests of all sessions,
	// bookFormat its version: another one is made again.
	bookName   = "spending.jsonl"
	bookFormat = 1
)

// part is what is known of one session.
type part struct {
	Name    string `json:"part"`
	Version string `json:"version"`
	Path    string `json:"path,omitempty"` // in the tree
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Title   string `json:"title,omitempty"`
	Dir     string `json:"dir,omitempty"`
	// Models are those of the calls, Calls the calls, packed: some 35 bytes each.
	Models []string `json:"models,omitempty"`
	Calls  []byte   `json:"calls,omitempty"`
}

// Book is what is known of requests to models, on disk too, so that only logs that have
// changed are read again. It is for one use: it is read from disk, brought up to date,
// counted and forgotten.
type Book struct {
	path    string
	parts   map[string]part
	changed bool
}

// Open reads the book in a cache folder. One that cannot be read is empty.
func Open(dir string) *Book {
	b := &Book{path: filepath.Join(dir, bookName), parts: make(map[string]part)}
	for p := range jsonlines.Read[part](b.path, bookFormat) {
		if p.Name != "" {
			b.parts[p.Name] = p
		}
	}
	return b
}

// Learn takes what providers know, see [facts.SpendingSource]. Where ctx has ended before they were
// through, what was known of the rest stays.
func (b *Book) Learn(ctx context.Context, spent func(ctx context.Context, known func(name string) string) iter.Seq[facts.SpentPart]) {
	there := make(map[string]bool)
	for one := range spent(ctx, func(name string) string { return b.parts[name].Version }) {
		there[one.Name] = true
		old, known := b.parts[one.Name]
		if one.Unchanged && !known {
			continue
		}
		next := part{
			Name: one.Name, Version: one.Version, Path: one.Path, Agent: one.Agent, Session: one.Session, Title: one.Title, Dir: one.Dir,
			Models: old.Models, Calls: old.Calls,
		}
		if !one.Unchanged {
			next.Models, next.Calls = pack(one.Calls)
		}
		b.parts[one.Name] = next
		b.changed = b.changed || !one.Unchanged || old.Version != next.Version || old.Path != next.Path || old.Title != next.Title || old.Dir != next.Dir
	}
	if ctx.Err() != nil {
		return
	}
	for name := range b.parts {
		if !there[name] {
			delete(b.parts, name)
			b.changed = true
		}
	}
}

// Save writes the book if it has changed.
func (b *Book) Save() error {
	if !b.changed {
		return nil
	}
	b.changed = false
	return jsonlines.Write(b.path, bookFormat, func(yield func(part) bool) {
		for _, name := range slices.Sorted(maps.Keys(b.parts)) {
			if !yield(b.parts[name]) {
				return
			}
		}
	})
}

// nano is a billionth: costs are kept as billionths of a dollar.
const nano = 1e-9

// pack returns calls as bytes: of each Key and Copy, then as numbers of variable length the
// model with what is Aside, the seconds since the call before it, the tokens and the cost.
func pack(calls []facts.ModelCall) (models []string, packed []byte) {
	numbers := make(map[string]int)
	var last int64
	for _, c := range calls {
		n, known := numbers[c.Model]
		if !known {
			n = len(models)
			numbers[c.Model] = n
			models = append(models, c.Model)
		}
		n *= 2
		if c.Aside {
			n++
		}
		var at int64
		if !c.Time.IsZero() {
			at = c.Time.Unix()
		}
		packed = binary.LittleEndian.AppendUint64(packed, c.Key)
		packed = binary.LittleEndian.AppendUint64(packed, c.Copy)
		packed = binary.AppendUvarint(packed, uint64(n))
		packed = binary.AppendVarint(packed, at-last)
		t := c.Tokens
		for _, count := range []int64{t.Input, t.Output, t.CacheRead, t.CacheWrite, t.CacheWriteLong, t.Reasoning, int64(math.Round(c.Cost / nano))} {
			packed = binary.AppendVarint(packed, count)
		}
		last = at
	}
	return models, packed
}

// unpack yields the calls of a part, as far as they are not damaged.
func (p *part) unpack(yield func(facts.ModelCall) bool) {
	b := p.Calls
	bad := false
	varint := func() int64 {
		v, n := binary.Varint(b)
		if bad = bad || n <= 0; bad {
			return 0
		}
		b = b[n:]
		return v
	}
	var last int64
	for len(b) > 16 {
		c := facts.ModelCall{Key: binary.LittleEndian.Uint64(b), Copy: binary.LittleEndian.Uint64(b[8:])}
		model, n := binary.Uvarint(b[16:])
		if n <= 0 || model/2 >= uint64(len(p.Models)) {
			return
		}
		b = b[16+n:]
		c.Model, c.Aside = p.Models[model/2], model%2 == 1
		if last += varint(); last != 0 {
			c.Time = time.Unix(last, 0)
		}
		c.Tokens = facts.Tokens{Input: varint(), Output: varint(), CacheRead: varint(), CacheWrite: varint(), CacheWriteLong: varint(), Reasoning: varint()}
		c.Cost = float64(varint()) * nano
		if bad || !yield(c) {
			return
		}
	}
}
