// Package adopt moves MCP servers from agents' files into ctxfs's own, where an agent
// does not load their definitions into each request, and puts them back.
//
// An entry is moved as it is written: package clients reads it from then on as if it stood
// where it was, so that scope, project, variables, trust, logins and pins stay what they
// are. At any moment of a move an entry is in one of the two files at least: in both, the
// agent's counts. The journal knows what the files were, and takes the move back.
package adopt

import (
	"cmp"
	"context"
	"os"
	"slices"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/edit"
	"ctxfs/providers/internal/journal"
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

// ownerPrefix begins the names under which the journal keeps moves.
const ownerPrefix = "servers of "

// Owner returns the name under which the journal keeps what was moved from an agent.
func Owner(agent string) string { return ownerPrefix + agent }

// Wish returns what is to be changed so that the servers of an agent are in the file of
// moved ones. Those that are there stay, and those that cannot be moved.
func Wish(agent, file string, servers []Server) journal.Wish {
	w := journal.Wish{Owner: Owner(agent)}
	own := edit.Change{Path: file, Why: "the servers that were moved", Mode: 0o600} // it has secrets
	var theirs []edit.Change
	for _, s := range servers {
		if s.Stays != "" || s.Agent != agent {
			continue
		}
		own.Edits = append(own.Edits, edit.Element([]string{clients.MovedKey}, s.Moved))
		at := slices.IndexFunc(theirs, func(c edit.Change) bool { return c.Path == s.File })
		if at < 0 {
			at, theirs = len(theirs), append(theirs, edit.Change{Path: s.File, Why: "MCP servers that ctxfs runs instead"})
		}
		theirs[at].Edits = append(theirs[at].Edits, without(s))
	}
	if len(own.Edits) > 0 {
		w.Changes = append([]edit.Change{own}, theirs...)
	}
	return w
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

// Order sorts the steps so that no server is in neither file when they are done one after
// the other, whichever is the last: servers come into a file before they leave another.
func Order(steps []journal.Step, file string, undo bool) {
	rank := func(s journal.Step) int {
		if (s.Path == file) == undo {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(steps, func(a, b journal.Step) int { return cmp.Compare(rank(a), rank(b)) })
}

// Do does the steps in their order. It ends at the first one that fails, since the next
// ones would lose servers.
func Do(ctx context.Context, j *journal.Journal, steps []journal.Step) (done []journal.Step, err error) {
	for _, s := range steps {
		if err := j.Do(ctx, s); err != nil {
			return done, &StepError{s, err}
		}
		done = append(done, s)
	}
	return done, nil
}

// StepError is what kept a file from being changed.
type StepError struct {
	Step journal.Step
	Err  error
}

func (e *StepError) Error() string { return e.Step.Path + " was not changed: " + e.Err.Error() }
func (e *StepError) Unwrap() error { return e.Err }
