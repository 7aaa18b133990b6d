package render

import (
	"cmp"
	"slices"

	"ctxfs/fs/facts"
)

// command is a command of a shell, and when it ran, in seconds since 1970.
type command struct {
	Line  string `json:"c"`
	Start int64  `json:"s"`
	End   int64  `json:"e"`
}

// commands are the last commands of a session, in the order in which they ended.
type commands struct {
	List []command `json:"list,omitempty"`
}

const (
	// maxCommands is how many commands are kept.
	maxCommands = 64
	// longCommand is how much of one is kept, in bytes.
	longCommand = 80
)

// add records a call that has ended.
func (c *commands) add(st *step, at int64) {
	if st.Command == "" || at == 0 {
		return
	}
	if len(c.List) == maxCommands {
		c.List = slices.Delete(c.List, 0, 1)
	}
	c.List = append(c.List, command{Line: st.Command, Start: st.At, End: at})
}

// maxEdits is how many files [Summary.Edits] returns.
const maxEdits = 300

// Edits returns what the session did that has a time: the last files that it worked on
// and the last commands. By, Session and Dir are not set.
func (s *Summary) Edits() (all []facts.Edit) {
	for _, f := range s.finalFiles().List {
		d := facts.Edit{File: s.absolute(f.Path), End: seconds(f.Wrote)}
		if f.Writes == 0 {
			d.Read, d.End = true, seconds(f.Last)
		}
		if !d.End.IsZero() {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b facts.Edit) int { return cmp.Or(b.End.Compare(a.End), cmp.Compare(a.File, b.File)) })
	all = all[:min(len(all), maxEdits)]
	for _, c := range s.Commands.List {
		all = append(all, facts.Edit{Command: c.Line, Start: seconds(c.Start), End: seconds(c.End)})
	}
	for _, st := range s.Open {
		if st.Command != "" {
			all = append(all, facts.Edit{Command: st.Command, Start: seconds(st.At)})
		}
	}
	return all
}
