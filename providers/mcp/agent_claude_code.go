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
func claudeCode() Client {
	return Client{
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

func claudeEntry(k *keys, d *entry, x *expander) {
	k.common(d, x)
	k.claudeLogin(d, x)
	k.choose(d, k.text("type"))
	d.callTimeout = k.duration("timeout", time.Millisecond)
	if k.text("headersHelper") != "" {
		d.notes = append(d.notes, "`headersHelper` is a command, which ctxfs does not run: put the headers into `headers`")
	}
}
