package agents

import (
	"path/filepath"

	"ctxfs/providers/transcripts/agents/history"
)

// cline is Cline: tasks of the extension (see taskRead), in several editors and
// in its own folder, and sessions of its SDK, which the command line uses (see
// clineRead).
func cline() history.Agent {
	return history.Agent{Name: "cline", Places: func(m history.Machine) []history.Place {
		data := m.Env("CLINE_DATA_DIR", filepath.Join(m.Env("CLINE_DIR", filepath.Join(m.Home, ".cline")), "data"))
		places := taskPlaces("cline", append(editorTasks(m, "saoudrizwan.claude-dev"), filepath.Join(data, "tasks")))
		return append(places, history.Place{
			Dir:  m.Env("CLINE_SESSION_DATA_DIR", filepath.Join(data, "sessions")),
			File: clineFile,
		})
	}}
}
