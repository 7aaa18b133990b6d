package agents

import (
	"path/filepath"
	"strings"

	"ctxfs/providers/transcripts/agents/history"
)

// Claude Code keeps one file of lines a session, in a folder a project:
//
//	projects/<project>/<session>.jsonl
//	projects/<project>/<session>/subagents/agent-<id>.jsonl
//	projects/<project>/<session>/subagents/workflows/<run>/agent-<id>.jsonl
//	projects/<project>/agent-<id>.jsonl (subagents of versions before 2.1)
//
// Beside a subagent's file a small agent-<id>.meta.json says who started it, and
// <session>/tool-results holds results that were too long for the log. Known from
// logs of versions 2.0.64 to 2.1.220; what is said about records is counted there
// unless it says otherwise.
func claudeCode() history.Agent {
	return history.Agent{Name: "claude-code", Places: func(m history.Machine) []history.Place {
		dirs := []string{
			filepath.Join(m.Env("CLAUDE_CONFIG_DIR", filepath.Join(m.Home, ".claude")), "projects"),
			filepath.Join(m.Home, ".config", "claude", "projects"),
		}
		if dirs[0] == dirs[1] {
			dirs = dirs[:1]
		}
		var places []history.Place
		for _, dir := range dirs {
			places = append(places, history.Place{Dir: dir, File: claudeFile, Skip: claudeSkip})
		}
		return places
	}}
}

// claudeFile knows the files above by their names.
func claudeFile(rel string) history.Format {
	parts := strings.Split(rel, "/")
	name, ok := strings.CutSuffix(parts[len(parts)-1], ".jsonl")
	if !ok || name == "" {
		return nil
	}
	log := history.Log{ID: name, Open: openClaude}
	switch {
	case len(parts) == 2 && name != "history" && name != "journal":
		return log
	case len(parts) >= 4 && parts[2] == "subagents" && strings.HasPrefix(name, claudeAgent):
		log.Parent = parts[1]
		return log
	}
	return nil
}

// claudeSkip leaves out what lies beside the logs: memories, long results.
func claudeSkip(rel string) bool {
	parts := strings.Split(rel, "/")
	return len(parts) == 2 && parts[1] == "memory" || len(parts) == 3 && parts[2] != "subagents"
}

// claudeAgent begins the names of the files of subagents, and their ids as
// sessions; in records the id stands without it.
const claudeAgent = "agent-"

func openClaude(path string) history.Reader {
	dir, name := filepath.Split(path)
	r := &claudeReader{path: path, id: strings.TrimSuffix(name, ".jsonl")}
	r.agent, r.subagent = strings.CutPrefix(r.id, claudeAgent)
	slashed := filepath.ToSlash(dir)
	switch at := strings.LastIndex(slashed, "/subagents/"); {
	case !r.subagent:
		r.agent = ""
		r.folder = strings.TrimSuffix(path, ".jsonl")
	case at >= 0:
		r.folder = filepath.FromSlash(slashed[:at])
	default:
		r.project = dir
	}
	return r
}
