package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

// drifts are those of what is shown, in its order.
func (p pinStore) drifts(keys []catalogue.Key, all *pins, shown *catalogue.Snapshot) (found []drift) {
	whole := all
	for i, key := range pinKeys(shown) {
		tool := shown.Tools()[i]
		one, ok := all.of[key]
		if !ok || one.sum == tool.Sum {
			continue
		}
		if one.definition == nil {
			if whole == all {
				whole = p.read(keys, true)
			}
			if fresh, ok := whole.of[key]; ok { // without it, the file has gone meanwhile, and all of it differs
				one = fresh
			}
		}
		if one.sum == tool.Sum {
			continue
		}
		is := drift{tool: tool, pinned: one.time, before: one.definition}
		if len(found) < driftsTold {
			is.members = differences(catalogue.ItemOf(one.definition).Definition(), tool.Definition())
		}
		is.diff = is.difference()
		found = append(found, is)
	}
	return found
}

func sameDrifts(a, b []drift) bool {
	return slices.EqualFunc(a, b, func(a, b drift) bool {
		return a.tool.File == b.tool.File && a.pinned.Equal(b.pinned) && a.tool.Since.Equal(b.tool.Since) &&
			bytes.Equal(a.tool.Body, b.tool.Body) && bytes.Equal(a.before, b.before)
	})
}

// differences are the members in which two definitions differ, by the names
// that are shown.
func differences(before, now json.RawMessage) (members []string) {
	was, errWas := rawjson.ParseObject(before)
	is, errIs := rawjson.ParseObject(now)
	if errWas != nil || errIs != nil {
		return nil // definitions are objects
	}
	for _, m := range slices.Concat(was, is) {
		a, b := was.Get(m.Name), is.Get(m.Name)
		if a != nil && b != nil && rawjson.FingerprintOf(a) == rawjson.FingerprintOf(b) {
			continue
		}
		if shown := clean.Cut(clean.Line(catalogue.ShownAs(m.Name)), 40); !slices.Contains(members, shown) {
			members = append(members, shown)
		}
	}
	return members
}

// difference is the text of the drift's file.
func (d drift) difference() []byte {
	before, now := catalogue.ItemOf(d.before).Definition(), d.tool.Definition()
	before = rawjson.InOrderOf(before, now) // moved lines would hide what differs
	old := string(catalogue.ItemOf(before).Body)
	diff, err := udiff.ToUnified("pinned "+wording.Time(d.pinned), "now "+wording.Time(d.tool.Since), old, udiff.Lines(old, string(d.tool.Body)), udiff.DefaultContextLines)
	if err != nil {
		return []byte("the difference cannot be shown: " + clean.Line(err.Error()) + "\n")
	}
	return []byte(diff)
}

// time is when the drift came to be.
func (d drift) time() time.Time {
	if d.pinned.After(d.tool.Since) {
		return d.pinned
	}
	return d.tool.Since
}
