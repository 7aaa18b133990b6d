package mcp

import (
	"time"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// claudeCode is Claude Code: in ~/.claude.json the user's servers are at the
// top level, and those that are the user's in one project (scope local) below
// "projects"; a project's own are in .mcp.json. Of one name local wins over
// project.
//
// Claude's record of which project servers were approved there counts only
// where it says no: what may be started here is said to ctxfs.
//
// Source of the format: code.claude.com/docs/en/mcp.
func claudeCode() agent {
	return agent{
		name: "claude-code",
		files: func(s surroundings) []place {
			return userFiles(claudeFolder(s, ".claude.json"))
		},
		project: []string{".mcp.json"},
		layers:  true,
		parse:   jsonc.Parse,
		find: func(r *reader, file syntax.Value) error {
			if err := below("mcpServers")(r, file); err != nil || r.scope != scopeUser {
				return err
			}
			projects, _ := file.Get("projects")
			for _, m := range projects.Members {
				folder, ok := r.projectFolder(m.Name)
				if !ok {
					continue
				}
				r.projects = append(r.projects, folder)
				refused, _ := m.Value.Get("disabledMcpjsonServers")
				for _, name := range refused.Items {
					r.refused = append(r.refused, refusal{folder, name.Text, "take it out of `disabledMcpjsonServers` of " + folder + " in " + r.path})
				}
				servers, ok := m.Value.Get("mcpServers")
				if !ok {
					continue
				}
				if err := r.readIn(servers, "mcpServers", scopeLocal, folder); err != nil {
					return err
				}
			}
			return nil
		},
		dialect: shellDialect,
		entry:   claudeEntry,
	}
}

func claudeEntry(e *entry, d *definition, x *expander) {
	e.common(d, x)
	e.claudeLogin(d, x)
	e.choose(d, e.text("type"))
	d.callTimeout = e.duration("timeout", time.Millisecond)
	if e.text("headersHelper") != "" {
		d.notes = append(d.notes, "`headersHelper` is a command, which ctxfs does not run: put the headers into `headers`")
	}
}
