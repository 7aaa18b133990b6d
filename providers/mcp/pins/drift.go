package pins

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/internal/textdiff"
	"ctxfs/providers/mcp/catalogue"
)

// drift is a tool whose definition is not the pinned one.
type drift struct {
	tool    catalogue.Item
	pinned  time.Time
	before  json.RawMessage // the pinned definition
	members []string        // those that differ, as they are shown; of the first maxListed drifts only
	diff    []byte          // between what is shown of both
}

// findDrifts returns the drifts of what is shown, in its order.
func (p Store) findDrifts(keys []catalogue.Key, s *State, shown *catalogue.Snapshot) (found []drift) {
	whole := s
	for i, key := range toolKeys(shown) {
		tool := shown.Tools()[i]
		one, ok := s.pinned[key]
		if !ok || one.sum == tool.Sum {
			continue
		}
		if one.definition == nil {
			if whole == s {
				whole = p.read(keys, true)
			}
			if fresh, ok := whole.pinned[key]; ok { // else the file was removed meanwhile, and all of it differs
				one = fresh
			}
		}
		if one.sum == tool.Sum {
			continue
		}
		is := drift{tool: tool, pinned: one.time, before: one.definition}
		if len(found) < maxListed {
			is.members = differences(catalogue.ItemOf(one.definition).Definition(), tool.Definition())
		}
		is.diff = is.difference()
		found = append(found, is)
	}
	return found
}

// Doubt returns a clause that says why it is not known that what a tool's definition now
// says of it was so when it was pinned, by its file's name; "" if it is known.
func (s *State) Doubt(file string, says func(definition json.RawMessage) bool) string {
	if s.fault != "" {
		return "changed definitions of its server's tools are not seen, " + s.fault
	}
	for _, d := range s.drifts {
		if d.tool.File == file && !says(d.before) {
			return "its definition has changed: it did not say that it only reads when it was pinned"
		}
	}
	if s.left > 0 {
		return "its server has more tools than are pinned, so changes of their definitions are not seen"
	}
	return ""
}

// SameDrifts reports whether two states have the same drifts.
func (s *State) SameDrifts(o *State) bool {
	return slices.EqualFunc(s.drifts, o.drifts, func(a, b drift) bool {
		return a.tool.File == b.tool.File && a.pinned.Equal(b.pinned) && a.tool.Since.Equal(b.tool.Since) &&
			bytes.Equal(a.tool.Body, b.tool.Body) && bytes.Equal(a.before, b.before)
	})
}

// differences returns the members in which two definitions differ, by the names
// under which they are shown.
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

// difference returns the text of the drift's file.
func (d drift) difference() []byte {
	before, now := catalogue.ItemOf(d.before).Definition(), d.tool.Definition()
	before = rawjson.InOrderOf(before, now) // moved lines would hide what differs
	old, is := indented(catalogue.ItemOf(before)), indented(d.tool)
	return []byte(textdiff.Unified("pinned "+wording.Time(d.pinned), "now "+wording.Time(d.tool.Since), old, is))
}

// indented returns the text of a tool with a line for each value: in the file's own
// form, a line may be too long to see what differs in it.
func indented(tool catalogue.Item) string {
	text, _ := rawjson.Indent(tool.Body) // it was rendered here
	return string(text)
}

// time returns when the drift came to be.
func (d drift) time() time.Time {
	return wording.Later(d.tool.Since, d.pinned)
}
