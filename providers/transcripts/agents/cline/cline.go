// Package cline reads the sessions of Cline and of its fork Roo Code: tasks of the
// extensions of editors (tasks.go), and sessions of Cline's SDK, which its command
// line uses (sdk.go). Both put what a person typed, what tools answered and what
// the program adds into one text; text.go takes such texts apart.
package cline

import (
	"ctxfs/providers/transcripts/agents/history"
)

// Cline returns the reader of Cline: its tasks in several editors and in its own
// folder, and the sessions of its SDK.
func Cline() history.Agent {
	return history.Agent{Name: "cline", Places: func(m history.Machine) []history.Place {
		folders := m.Folders("cline") // the last one is that of the SDK
		sdk := len(folders) - 1
		return append(taskPlaces("cline", folders[:sdk]), history.Place{Dir: folders[sdk], File: sdkFormat})
	}}
}

// Roo returns the reader of Roo Code. It condenses without losing anything:
// messages that a summary replaces point to it (condenseParent) and stay, and the
// summary (isSummary) comes after them.
func Roo() history.Agent {
	return history.Agent{Name: "roo", Places: func(m history.Machine) []history.Place {
		return taskPlaces("roo", m.Folders("roo"))
	}}
}
