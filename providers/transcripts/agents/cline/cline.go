// Package cline reads the sessions of Cline and of its fork Roo Code: tasks of the
// extensions of editors (tasks.go), and sessions of Cline's SDK, which its command
// line uses (sdk.go). Both put what a person typed, what tools answered and what
// the program adds into one text; text.go takes such texts apart.
package cline

import (
	"path/filepath"

	"ctxfs/providers/transcripts/agents/history"
)

// Cline returns the reader of Cline: its tasks in several editors and in its own
// folder, and the sessions of its SDK.
func Cline() history.Agent {
	return history.Agent{Name: "cline", Places: func(m history.Machine) []history.Place {
		data := m.Env("CLINE_DATA_DIR", filepath.Join(m.Env("CLINE_DIR", filepath.Join(m.Home, ".cline")), "data"))
		places := taskPlaces("cline", append(editorTasks(m, "saoudrizwan.claude-dev"), filepath.Join(data, "tasks")))
		return append(places, history.Place{
			Dir:  m.Env("CLINE_SESSION_DATA_DIR", filepath.Join(data, "sessions")),
			File: sdkFormat,
		})
	}}
}

// Roo returns the reader of Roo Code. It condenses without losing anything:
// messages that a summary replaces point to it (condenseParent) and stay, and the
// summary (isSummary) comes after them.
func Roo() history.Agent {
	return history.Agent{Name: "roo", Places: func(m history.Machine) []history.Place {
		return taskPlaces("roo", editorTasks(m, "rooveterinaryinc.roo-cline"))
	}}
}

// editorTasks are the folders with the tasks of an extension of VS Code or of one
// of its kin.
func editorTasks(m history.Machine, extension string) []string {
	var dirs []string
	for _, editor := range []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		dirs = append(dirs, filepath.Join(m.Support(editor), "User", "globalStorage", extension, "tasks"))
	}
	return dirs
}
