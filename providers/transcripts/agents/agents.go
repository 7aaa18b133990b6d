// Package agents lists the coding agents whose histories are read ([All]), and has
// the readers that are one file each. Readers of several files are packages of
// their own, one for each family of agents:
//
//   - history: what a reader is, and where it looks: together with All it is
//     everything that a program needs to read sessions;
//   - records, database: what readers share, of JSON and of SQLite;
//   - claudecode, codex, cursor, …: the families;
//   - historytest: what the tests of readers share.
//
// A new agent is one file here, or one package, with a function that returns its
// [history.Agent]; one fixture, testdata/<name>.txt; and one line in All. Its id
// must be described in providers/internal/agents. TestFixtures runs the checks that
// hold for every reader ([historytest.Conform]) with the fixture. The source of a
// format is documented with its reader.
package agents

import (
	"ctxfs/providers/transcripts/agents/aider"
	"ctxfs/providers/transcripts/agents/claudecode"
	"ctxfs/providers/transcripts/agents/cline"
	"ctxfs/providers/transcripts/agents/codex"
	"ctxfs/providers/transcripts/agents/copilot"
	"ctxfs/providers/transcripts/agents/cursor"
	"ctxfs/providers/transcripts/agents/gemini"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/kiro"
	"ctxfs/providers/transcripts/agents/opencode"
)

// All returns the agents, in the order of the documentation of the tree.
func All() []history.Agent {
	return []history.Agent{
		claudecode.Agent(), codex.Agent(), cursor.Agent(), gemini.Agent(), opencode.Agent(), copilot.CLI(), copilot.VSCode(), cline.Cline(), cline.Roo(),
		goose(), zed(), crush(), aider.Agent(), continueDev(), pi(), droid(), kiro.Agent(), amp(),
	}
}
