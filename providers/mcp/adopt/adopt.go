// Package adopt moves MCP servers from agents' files into ctxfs's own, where an agent
// does not load their definitions into each request, and puts them back.
//
// An entry is moved as it is written: package clients reads it from then on as if it stood
// where it was, so that scope, project, variables, trust, logins and pins stay what they
// are. At any moment of a move an entry is in one of the two files at least: in both, the
// agent's counts. The journal knows what the files were, and takes the move back.
package adopt

import (
	"fmt"
	"os"
	"slices"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/edit"
	"ctxfs/providers/mcp/clients"
)

// Server is a server that an agent loads, or has loaded before it was moved.
type Server struct {
	clients.Moved
	Syntax agents.Syntax `json:"syntax"`
	// Done says that the entry has been moved.
	Done bool `json:"done,omitempty"`
	// Stays says why the entry cannot be moved; "" if it can.
	Stays string `json:"stays,omitempty"`
	// Folder is the server's folder in mcps, "" if there is none.
	Folder string `json:"folder,omitempty"`
	// Tools is how many tools it has, Tokens what their definitions take in each request
	// of an agent that loads them. Unknown is a clause that says why that is not known,
	// or "".
	Tools   int    `json:"tools"`
	Tokens  int    `json:"tokens"`
	Unknown string `json:"unknown,omitempty"`
}

// Changes returns what is to be changed so that the servers are in the file of moved ones,
// and a sentence for each that has to stay. Those that have been moved stay moved. The
// change of that file comes first: see the package comment.
func Changes(file string, servers []Server) (changes []edit.Change, notes []string) {
	own := edit.Change{Path: file, Why: "MCP servers that ctxfs runs for agents that do not load them", Mode: 0o600} // it has secrets
	for _, s := range servers {
		if s.Stays != "" {
			notes = append(notes, fmt.Sprintf("the server %q stays in %s: %s", s.Name(), s.File, s.Stays))
			continue
		}
		own.Edits = append(own.Edits, edit.Element([]string{clients.MovedKey}, s.Moved))
		at := slices.IndexFunc(changes, func(c edit.Change) bool { return c.Path == s.File })
		if at < 0 {
			at, changes = len(changes), append(changes, edit.Change{Path: s.File, Why: "MCP servers go to ctxfs, whose tree has their tools"})
		}
		changes[at].Edits = append(changes[at].Edits, without(s))
	}
	if len(own.Edits) > 0 {
		changes = append([]edit.Change{own}, changes...)
	}
	return changes, notes
}

// Check finds the servers that cannot be taken out of their files, whose form does not
// allow it: they stay.
func Check(servers []Server) {
	texts := make(map[string][]byte)
	for i := range servers {
		s := &servers[i]
		if s.Stays != "" || s.Done {
			continue
		}
		text, ok := texts[s.File]
		if !ok {
			text, _ = os.ReadFile(s.File) // package clients has read it, too
		}
		after, _, err := without(*s).Apply(text)
		if err != nil {
			s.Stays = "its file cannot be changed: " + err.Error()
			continue
		}
		texts[s.File] = after
	}
}

// without returns the edit that takes the entry out of the agent's file. It has the value
// from the beginning: a file without it may be edited by others before it is put back.
func without(s Server) edit.Edit {
	var e edit.Edit
	switch s.Syntax {
	case agents.TOML:
		e = edit.TOMLWithout(s.Path)
	case agents.YAML:
		e = edit.YAMLWithout(s.Path)
	default:
		e = edit.Without(s.Path)
	}
	e.Value = s.Entry
	return e
}

// Mover plans the moves of one agent's servers.
type Mover struct {
	// File is that of moved servers.
	File string
	// List returns the servers, of the user or of a project.
	List func(project string) ([]Server, error)
}

// Changes is [Changes] for the servers that are listed; if that fails there are none.
func (m Mover) Changes(project string) (changes []edit.Change, notes []string) {
	all, err := m.List(project)
	if err != nil {
		return nil, nil
	}
	return Changes(m.File, all)
}
