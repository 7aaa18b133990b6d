package setup

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/edit"
	"ctxfs/providers/setup/agents"
)

// serversMark ends the ids of targets that move the MCP servers of an agent.
const serversMark = ":servers"

// Servers is the target that moves the MCP servers of an agent into a file of ctxfs's own;
// changes plans that for the user or a project, "" for the user.
func Servers(of agents.Agent, changes func(project string) ([]edit.Change, []string)) agents.Agent {
	return agents.Agent{
		ID: MoverOf(of.ID), Title: ServersTitle(of.Title), Installed: of.Installed,
		Changes: func(_ agents.Machine, o agents.Options) ([]edit.Change, []string) { return changes(o.Project) },
	}
}

// ServersTitle returns how people write the target that moves the servers of an agent.
func ServersTitle(title string) string { return title + ": MCP servers" }

// MoverOf returns the id of the target that moves the servers of an agent.
func MoverOf(agent string) string { return agent + serversMark }

// MovesServers returns the id of the agent whose servers a target moves, and whether it is
// such a target.
func MovesServers(target string) (agent string, ok bool) {
	return strings.CutSuffix(target, serversMark)
}

// moves reports whether the file is changed to move servers.
func (f File) moves() bool {
	return slices.ContainsFunc(f.Targets, func(id string) bool {
		_, ok := MovesServers(id)
		return ok
	})
}

// KeepServers sorts the files so that servers come into one before they leave another:
// own is that of ctxfs, which they leave if they are moved back.
func (p Plan) KeepServers(own string, undo bool) {
	slices.SortStableFunc(p.Files, func(a, b File) int {
		switch {
		case (a.Path == own) == (b.Path == own):
			return 0
		case (a.Path == own) == undo:
			return 1
		}
		return -1
	})
}

// Holds returns the file that has to be changed before another one is, so that no server
// is lost, and was not; nil if there is none. The files are in their order.
func (p Plan) Holds(f *File, written []string) *File {
	for i := range p.Files {
		switch before := &p.Files[i]; {
		case before.Path == f.Path || !f.moves():
			return nil
		case before.moves() && (before.Err != nil || before.Does != "") && !slices.Contains(written, before.Path):
			return before
		}
	}
	return nil
}
