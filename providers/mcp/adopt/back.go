package adopt

import (
	"strings"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/edit"
	"ctxfs/providers/mcp/clients"
)

// Back plans how the servers of one agent are put back where the journal that knows of
// their move was lost: the file of moved servers says where they came from.
type Back struct {
	// File is that of moved servers, Agent the id of the agent.
	File, Agent string
}

// Changes returns what the moves have changed, as far as they are still in the file: in the
// files of a project, or, where project is "", in all. A file that is not valid has none.
func (b Back) Changes(project string) (changes []edit.Change, notes []string) {
	moved, err := clients.ReadMoved(b.File)
	if err != nil {
		return nil, nil
	}
	var servers []Server
	for _, m := range moved {
		if m.Agent == b.Agent && (project == "" || strings.HasPrefix(m.File, project+"/")) {
			servers = append(servers, Server{Moved: m, Syntax: agents.ByID(m.Agent).MCP.Syntax, Done: true})
		}
	}
	changes, notes = Changes(b.File, servers)
	for _, c := range changes {
		for i := range c.Edits {
			c.Edits[i] = c.Edits[i].Owned() // the file says so
		}
	}
	return changes, notes
}
