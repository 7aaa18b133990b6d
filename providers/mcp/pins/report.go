package pins

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
)

// maxListed is how many drifts are listed one by one.
const maxListed = 5

// AddFiles adds the files of the drifts to the nodes of the folder tools. It
// returns the time of the newest drift, or of the last acceptance if that is
// later.
func (s *State) AddFiles(nodes map[string]fs.Node) (newest time.Time) {
	newest = s.accepted
	for _, d := range s.drifts {
		nodes[d.tool.File+".diff"] = fs.NewText(d.time(), d.diff)
		newest = wording.Later(newest, d.time())
	}
	return newest
}

// Notes returns the lines on pins for the STATUS.md of a server.
func (s *State) Notes(server string) (notes []string) {
	if s.fault != "" {
		notes = append(notes, "changed definitions of tools are not seen, "+s.fault+"; to pin them as they are shown now: "+AcceptCommand(server))
	}
	for i, d := range s.drifts {
		if i == maxListed {
			notes = append(notes, fmt.Sprintf("and %d more; to accept all: %s", len(s.drifts)-i, AcceptCommand(server)))
			break
		}
		notes = append(notes, fmt.Sprintf("the definition of the tool %s has changed (%s) at %s, it was pinned at %s: see tools/%s.diff; to accept it: %s",
			d.tool.File, membersText(d.members), wording.Time(d.tool.Since), wording.Time(d.pinned), d.tool.File, AcceptCommand(server, d.tool.File)))
	}
	if n := s.left; n > 0 {
		notes = append(notes, "more tools than are pinned: changes of "+wording.Count(n, "tools")+" are not seen; to forget the pins of tools that are gone: "+AcceptCommand(server))
	}
	if s.unsaved != "" {
		notes = append(notes, "the pinned definitions of tools cannot be saved, and hold until ctxfs ends: "+s.unsaved)
	}
	return notes
}

// membersText lists the first of the members that differ.
func membersText(members []string) string { return cmp.Or(wording.List(members, 5), "in its form") }

// Problem returns what the user has to check about the pins of a server, or nil.
func (s *State) Problem(server string) *fs.Problem {
	if s.fault != "" {
		return &fs.Problem{
			What: "server " + server + ": changed definitions of tools are not seen, " + s.fault,
			Mend: "to pin them as they are shown now: " + AcceptCommand(server),
		}
	}
	if len(s.drifts) == 0 {
		return nil
	}
	tools := make([]string, len(s.drifts))
	for i, d := range s.drifts {
		tools[i] = d.tool.File
	}
	is := &fs.Problem{Mend: "see mcps/" + server + "/tools/*.diff; to accept what they show: " + AcceptCommand(server)}
	if len(s.drifts) == 1 {
		is.What = "server " + server + ": the definition of a tool has changed since it was pinned: " + tools[0]
	} else {
		is.What = fmt.Sprintf("server %s: the definitions of %d tools have changed since they were pinned: %s", server, len(s.drifts), wording.List(tools, maxListed))
	}
	return is
}

// AcceptCommand returns the command that accepts the changes of a server, or of
// one of its tools.
func AcceptCommand(names ...string) string {
	command := "ctxfs accept"
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "-") }) {
		command += " --"
	}
	for _, name := range names {
		command += " " + wording.ShellWord(name)
	}
	return command
}
