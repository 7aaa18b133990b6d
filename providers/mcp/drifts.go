package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
)

// pin pins what is shown of a server and was not before, and tells the drifts.
// The snapshot before is of the cache: it was seen first. It is called with
// s.pinning held.
func (s *server) pin(d *config.Server, before, shown *catalogue.Snapshot) (*pins, []drift) {
	store := s.p.pins
	s.mu.Lock()
	known := s.pins
	s.mu.Unlock()
	if store.dir == "" {
		return &known, nil
	}
	all := store.also(&known, catalogue.KeysOf(d), false)
	if all.fault == "" && (all.unsaved != "" || all.stale || all.lacks(before) || all.lacks(shown)) {
		now := s.p.env.Now().UTC()
		if all = store.also(&known, catalogue.KeysOf(d), true); all.fault == "" { // a definition may be damaged, too
			all.add(before, now)
			all.add(shown, now)
			if err := store.save(catalogue.KeyOf(d.Source), all); err != nil {
				s.p.env.Log.Warn("pinned definitions cannot be saved", "server", d.Name, "err", err)
			}
		}
	}
	return all, store.drifts(catalogue.KeysOf(d), all, shown)
}

// setPins changes what is pinned. It is called by update.
func (s *server) setPins(all *pins, drifts []drift) {
	s.pinsChanged = s.pinsChanged || !sameDrifts(s.drifts, drifts)
	s.pins, s.drifts = *all.rest(), drifts
}

// addDrifts adds the files of the drifts to those of the folder tools.
func (s *server) addDrifts(nodes map[string]fs.Node) (newest time.Time) {
	newest = s.pins.accepted
	for _, d := range s.drifts {
		nodes[d.tool.File+".diff"] = fs.NewText(d.time(), d.diff)
		if t := d.time(); t.After(newest) {
			newest = t
		}
	}
	return newest
}

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
			d.tool.File, membersText(d.members), wording.Time(d.tool.Since), wording.Time(d.pinned), d.tool.File, acceptCommand(s.file, d.tool.File)))
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
		tools[i] = d.tool.File
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
