package agents

import "ctxfs/providers/transcripts/agents/history"

// roo is Roo Code, a fork of Cline; see taskRead. It condenses without losing
// anything: messages that a summary replaces point to it (condenseParent) and
// stay, the summary (isSummary) stands after them.
func roo() history.Agent {
	return history.Agent{Name: "roo", Places: func(m history.Machine) []history.Place {
		return taskPlaces("roo", editorTasks(m, "rooveterinaryinc.roo-cline"))
	}}
}
