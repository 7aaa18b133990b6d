package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/adopt"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/setup"
	"ctxfs/providers/setup/agents"
)

// moves are the moves of MCP servers that a run plans.
type moves struct {
	// listed are the servers of each agent, as they were when the plan was made.
	listed map[string][]adopt.Server
	// failed is why the servers of an agent are not known: nothing must be planned then,
	// as those that were moved would be moved back.
	failed error
	// saved is what the first plan saves, before anything was written.
	saved []saving
}

// saving is what is saved by moving the servers of an agent.
type saving struct {
	Agent string `json:"agent"`
	// Servers are those that are moved now, by name, and Tokens what their definitions
	// take in each request of the agent. Those of Unknown are not counted.
	Servers []string `json:"servers"`
	Tokens  int      `json:"tokens"`
	Unknown []string `json:"unknown,omitempty"`
	// Stay are those that the agent goes on loading, each with why.
	Stay map[string]string `json:"stay,omitempty"`
}

// movedFile is the file of ctxfs's own with the servers that were moved.
func (r *run) movedFile() string { return clients.MovedFile(r.app.Config) }

// addMovedBack adds the targets that put back the servers of agents. With --servers these
// alone are undone.
func (r *run) addMovedBack() error {
	var ids []string
	for _, t := range agents.All() {
		r.home.Targets = append(r.home.Targets, setup.Servers(t, adopt.Back{File: r.movedFile(), Agent: t.ID}.Changes))
		if !r.named || slices.Contains(r.ids, t.ID) {
			ids = append(ids, setup.MoverOf(t.ID))
		}
	}
	if !r.servers {
		return nil
	}
	if len(ids) == 0 { // without ids all would be undone
		return cli.Exit(console.ExitUsage, &control.Fault{Message: strings.Join(r.ids, ", ") + ": no agent, so no servers were moved", Hint: "put back the servers of all agents: ctxfs setup --undo --servers"})
	}
	r.ids = ids
	return nil
}

// addServers adds the targets that move the servers of the agents that are set up.
func (r *run) addServers(ctx context.Context) {
	r.moves.listed = make(map[string][]adopt.Server)
	var ids []string
	for _, t := range agents.All() {
		if !slices.Contains(r.ids, t.ID) {
			continue
		}
		mover := adopt.Mover{File: r.movedFile(), List: func(project string) ([]adopt.Server, error) {
			asker := r.app.Fallback()
			defer asker.Close()
			all, err := mcp.OpMovable.Ask(ctx, asker, mcp.MovableQuery{Agent: t.ID, Project: project})
			if err != nil {
				r.moves.failed = err
			}
			r.moves.listed[t.ID] = all
			return all, err
		}}
		r.home.Targets = append(r.home.Targets, setup.Servers(t, mover.Changes))
		ids = append(ids, setup.MoverOf(t.ID))
	}
	r.ids = append(ids, r.ids...)
}

// names are the targets as they are named in a command line.
func (r *run) names() (names []string) {
	for _, id := range r.ids {
		if agent, servers := setup.MovesServers(id); servers {
			if r.undo && r.named {
				names = append(names, agent)
			}
			continue
		}
		if shell, ok := strings.CutPrefix(id, "shell:"); ok {
			names = append(names, "shell", "--shell", shell)
			continue
		}
		names = append(names, id)
	}
	if r.servers {
		names = append([]string{"--servers"}, names...)
	}
	return names
}

// saves notes what the first plan saves.
func (r *run) saves() {
	if r.undo || r.moves.saved != nil {
		return
	}
	for _, t := range agents.All() {
		one := saving{Agent: t.ID, Servers: []string{}, Stay: make(map[string]string)}
		for _, s := range r.moves.listed[t.ID] {
			switch {
			case s.Stays != "":
				one.Stay[s.Name()] = s.Stays
			case s.Done:
			case s.Unknown != "":
				one.Servers, one.Unknown = append(one.Servers, s.Name()), append(one.Unknown, s.Name())
			default:
				one.Servers, one.Tokens = append(one.Servers, s.Name()), one.Tokens+s.Tokens
			}
		}
		if len(one.Servers) > 0 || len(one.Stay) > 0 {
			r.moves.saved = append(r.moves.saved, one)
		}
	}
}

// showSavings says how many tokens are saved by what was written, or would be.
func (r *run) showSavings(p setup.Plan, written []string) {
	for _, s := range r.moves.saved {
		moved := slices.ContainsFunc(p.Files, func(f setup.File) bool {
			return slices.Contains(f.Targets, setup.MoverOf(s.Agent)) && f.Err == nil && (r.dryRun || slices.Contains(written, f.Path))
		})
		if len(s.Servers) == 0 || !moved {
			continue
		}
		verb := "moved"
		if r.dryRun {
			verb = "would move"
		}
		text := fmt.Sprintf("%s %s of %s: %s", verb, wording.Count(len(s.Servers), "servers"), r.title(s.Agent), strings.Join(s.Servers, ", "))
		if s.Tokens > 0 {
			text += fmt.Sprintf("; that saves %s in each of its requests", wording.Count(s.Tokens, "tokens"))
		}
		if len(s.Unknown) > 0 {
			text += "; what it saves is not known yet for " + strings.Join(s.Unknown, ", ")
		}
		r.app.Sayf("%s", text)
	}
}

// hideSecrets hides in what is shown of a plan all that the entries of servers keep where
// secrets are kept, whatever it looks like.
func (r *run) hideSecrets(p setup.Plan) {
	moved, _ := clients.ReadMoved(r.movedFile()) // one that is not valid is told elsewhere
	for _, all := range r.moves.listed {
		for _, s := range all {
			moved = append(moved, s.Moved)
		}
	}
	var secrets []string
	for _, m := range moved {
		secrets = append(secrets, m.Secrets()...)
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may be in another
	for i := range p.Files {
		for _, s := range secrets {
			p.Files[i].Diff = strings.ReplaceAll(p.Files[i].Diff, s, "***")
		}
	}
}

// all is the command that does without asking what was asked for.
func (r *run) all() string {
	if r.servers {
		return "ctxfs setup --servers --yes"
	}
	return "ctxfs setup --yes"
}
