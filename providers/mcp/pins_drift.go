package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/config"
)

// drift is a tool whose definition is another one than was pinned.
type drift struct {
	tool    item
	pinned  time.Time
	before  json.RawMessage // the pinned definition
	members []string        // what of it differs, by the names that are shown; of those only that are told
	diff    []byte          // the difference of what is shown
}

// drifts are those of what is shown, in its order.
func (p pinStore) drifts(d *config.Server, all *pins, shown *snapshot) (found []drift) {
	whole := all
	for i, key := range shown.pinKeys() {
		tool := shown.sections[toolFolder].items[i]
		one, ok := all.of[key]
		if !ok || one.sum == tool.sum {
			continue
		}
		if one.definition == nil {
			if whole == all {
				whole = p.read(d, true)
			}
			if fresh, ok := whole.of[key]; ok { // without it, the file has gone meanwhile, and all of it differs
				one = fresh
			}
		}
		if one.sum == tool.sum {
			continue
		}
		is := drift{tool: tool, pinned: one.time, before: one.definition}
		if len(found) < driftsTold {
			is.members = differences(defined(one.definition).definition(), tool.definition())
		}
		is.diff = is.difference()
		found = append(found, is)
	}
	return found
}

func sameDrifts(a, b []drift) bool {
	return slices.EqualFunc(a, b, func(a, b drift) bool {
		return a.tool.file == b.tool.file && a.pinned.Equal(b.pinned) && a.tool.since.Equal(b.tool.since) &&
			bytes.Equal(a.tool.body, b.tool.body) && bytes.Equal(a.before, b.before)
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
		shown := m.Name
		for _, n := range toolShape.first {
			if n.is == m.Name {
				shown = n.shown
			}
		}
		if shown = clean.Cut(clean.Line(shown), 40); !slices.Contains(members, shown) {
			members = append(members, shown)
		}
	}
	return members
}

// difference is the text of the drift's file.
func (d drift) difference() []byte {
	before, now := defined(d.before).definition(), d.tool.definition()
	before = rawjson.InOrderOf(before, now) // moved lines would hide what differs
	old := string(defined(before).body)
	diff, err := udiff.ToUnified("pinned "+wording.Time(d.pinned), "now "+wording.Time(d.tool.since), old, udiff.Lines(old, string(d.tool.body)), udiff.DefaultContextLines)
	if err != nil {
		return []byte("the difference cannot be shown: " + clean.Line(err.Error()) + "\n")
	}
	return []byte(diff)
}

// time is when the drift came to be.
func (d drift) time() time.Time {
	if d.pinned.After(d.tool.since) {
		return d.pinned
	}
	return d.tool.since
}

// addDrifts adds the files of the drifts to those of the folder tools.
func (s *server) addDrifts(nodes map[string]fs.Node) (newest time.Time) {
	newest = s.pins.accepted
	for _, d := range s.drifts {
		nodes[d.tool.file+".diff"] = fs.NewText(d.time(), d.diff)
		if t := d.time(); t.After(newest) {
			newest = t
		}
	}
	return newest
}

// driftsTold is how many drifts are told one by one.
const driftsTold = 5

// pinNotes are remarks on the drifts.
func (s *server) pinNotes() (notes []string) {
	if s.pins.fault != "" {
		notes = append(notes, "changed definitions of tools are not seen, "+s.pins.fault+"; to pin them as they are shown now: "+acceptCommand(s.file))
	}
	for i, d := range s.drifts {
		if i == driftsTold {
			notes = append(notes, fmt.Sprintf("and %d more; to accept all: %s", len(s.drifts)-i, acceptCommand(s.file)))
			break
		}
		notes = append(notes, fmt.Sprintf("the definition of the tool %s has changed (%s) at %s, it was pinned at %s: see tools/%s.diff; to accept it: %s",
			d.tool.file, membersText(d.members), wording.Time(d.tool.since), wording.Time(d.pinned), d.tool.file, acceptCommand(s.file, d.tool.file)))
	}
	if n := s.pins.left; n > 0 {
		notes = append(notes, "more tools than are pinned: changes of "+wording.Count(n, "tools")+" are not seen; to forget the pins of tools that are gone: "+acceptCommand(s.file))
	}
	if s.pins.unsaved != "" {
		notes = append(notes, "the pinned definitions of tools cannot be saved, and hold until ctxfs ends: "+s.pins.unsaved)
	}
	return notes
}

// membersText names the first of the members that differ.
func membersText(members []string) string {
	return cmp.Or(wording.List(members, 5), "in its form")
}

// pinProblem is what of the pins a user has to look at, or nil.
func (s *server) pinProblem() *fs.Problem {
	if s.pins.fault != "" {
		return &fs.Problem{
			What: "server " + s.file + ": changed definitions of tools are not seen, " + s.pins.fault,
			Mend: "to pin them as they are shown now: " + acceptCommand(s.file),
		}
	}
	if len(s.drifts) == 0 {
		return nil
	}
	tools := make([]string, len(s.drifts))
	for i, d := range s.drifts {
		tools[i] = d.tool.file
	}
	is := &fs.Problem{Mend: "see mcps/" + s.file + "/tools/*.diff; to accept what they show: " + acceptCommand(s.file)}
	if len(s.drifts) == 1 {
		is.What = "server " + s.file + ": the definition of a tool has changed since it was pinned: " + tools[0]
	} else {
		is.What = fmt.Sprintf("server %s: the definitions of %d tools have changed since they were pinned: %s", s.file, len(s.drifts), wording.List(tools, driftsTold))
	}
	return is
}

// acceptCommand is what accepts the changes of a server, or of one tool.
func acceptCommand(names ...string) string {
	command := "ctxfs accept"
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "-") }) {
		command += " --"
	}
	for _, name := range names {
		command += " " + wording.ShellWord(name)
	}
	return command
}
