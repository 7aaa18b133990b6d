// Package agents lists the coding agents whose histories are read, one reader
// each. A reader is a value of type [history.Agent]: where the agent keeps its
// sessions, and what their records mean. What is known of a format, and from
// where, is documented with its reader.
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
