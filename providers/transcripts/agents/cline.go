package agents

import "path/filepath"

// cline is Cline: tasks of the extension (see taskRead), in several editors and
// in its own folder, and sessions of its SDK, which the command line uses (see
// clineRead).
func cline() Agent {
	return Agent{Name: "cline", Places: func(m Machine) []Place {
		data := m.Env("CLINE_DATA_DIR", filepath.Join(m.Env("CLINE_DIR", filepath.Join(m.Home, ".cline")), "data"))
		places := taskPlaces("cline", append(editorTasks(m, "saoudrizwan.claude-dev"), filepath.Join(data, "tasks")))
		return append(places, Place{
			Dir:  m.Env("CLINE_SESSION_DATA_DIR", filepath.Join(data, "sessions")),
			File: clineFile,
		})
	}}
}
