package server

import (
	"fmt"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
)

// differences are the tools of an instance that are not as the catalogue of its
// server shows them, by their own names.
type differences struct {
	shown, tools *catalogue.Snapshot // what was compared

	missing []string // in the catalogue only
	more    []string // in the instance only
	changed []string // defined otherwise
}

// differ compares the tools of the instance with the catalogue. The caller holds the
// server's mu.
func (x *Placed) differ() *differences {
	d := &x.differs
	shown := x.s.shown
	if d.shown == shown && d.tools == x.tools {
		return d
	}
	*d = differences{shown: shown, tools: x.tools}
	if shown == nil || x.tools == nil {
		return d
	}
	for _, is := range shown.Tools() {
		if found, same := x.find(is.Name, &is); found == nil {
			d.missing = append(d.missing, is.Name)
		} else if !same {
			d.changed = append(d.changed, is.Name)
		}
	}
	known := make(map[string]bool)
	for _, n := range shown.ToolNames() {
		known[n.Own] = true
	}
	for _, is := range x.tools.Tools() {
		if !known[is.Name] {
			d.more = append(d.more, is.Name)
		}
	}
	return d
}

// find returns the tool of the instance with a name of its own, and whether it is
// defined as another one. The caller holds the server's mu.
func (x *Placed) find(name string, as *catalogue.Item) (found *catalogue.Item, same bool) {
	for i := range x.tools.Tools() {
		is := &x.tools.Tools()[i]
		if is.Name != name {
			continue
		}
		if is.Sum == as.Sum {
			return is, true
		}
		found = is
	}
	return found, false
}

// notes returns what STATUS.md says about the tools of the instance.
func (d *differences) notes(at Place) (notes []string) {
	add := func(what string, tools []string) {
		if len(tools) > 0 {
			notes = append(notes, "for "+at.String()+" "+what+": "+listed(tools))
		}
	}
	add("these tools are defined otherwise than shown, and calls are checked by both definitions", d.changed)
	add("these tools are missing", d.missing)
	add("there are tools that are not shown and cannot be called", d.more)
	return notes
}

// listed returns names for a sentence, and how many are left out.
func listed(tools []string) string {
	const most = 8
	var names []string
	for _, name := range tools[:min(most, len(tools))] {
		names = append(names, clean.Cut(clean.Line(name), catalogue.SummaryLength))
	}
	text := strings.Join(names, ", ")
	if more := len(tools) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// placedProblem returns what the user has to check about the instances of a server: a
// definition that an agent was not shown counts like one that has changed. It is nil
// if there is nothing. The caller holds mu.
func (s *Server) placedProblem() *fs.Problem {
	var of []string
	for _, x := range s.places() {
		if d := x.differ(); len(d.changed) > 0 {
			of = append(of, fmt.Sprintf("for %s %s", clean.Line(x.at.String()), listed(d.changed)))
		}
	}
	if of == nil {
		return nil
	}
	return &fs.Problem{
		What: fmt.Sprintf("server %s defines tools otherwise than it is shown: %s", s.file, strings.Join(of, "; ")),
		Mend: "see ctxfs cat mcps/" + s.file + "/STATUS.md, and stop it if you do not trust it: ctxfs restart " + s.file,
	}
}

// Tool returns the tool of the instance that answers for a tool of the server: the same
// one, unless it is defined otherwise there. Its error is a [*calls.ArgumentsError] if
// the instance has no such tool.
func (x *Placed) Tool(t *calls.Tool) (*calls.Tool, error) {
	s := x.s
	s.mu.Lock()
	file, tools := s.file, x.tools
	var found *catalogue.Item
	same := tools == nil // nothing is known against it
	if tools != nil {
		found, same = x.find(t.Name, &catalogue.Item{Sum: t.Sum})
	}
	s.mu.Unlock()
	switch {
	case same:
		return t, nil
	case found == nil:
		return nil, &calls.ArgumentsError{
			What: fmt.Sprintf("server %s has no tool %q for %s", file, clean.Line(t.Name), clean.Line(x.at.String())),
			Hint: "see which tools are others there: ctxfs cat mcps/" + file + "/STATUS.md",
		}
	}
	return x.toolCache.Find(tools, file, found.File)
}
