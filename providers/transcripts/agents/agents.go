// Package agents lists the coding agents whose histories are read, one reader
// each. A reader is a value of type [history.Agent]: where the agent keeps its
// sessions, and what their records mean. What is known of a format, and from
// where, is documented with its reader.
package agents

import "ctxfs/providers/transcripts/agents/history"

// All returns the agents, in the order of the documentation of the tree.
func All() []history.Agent {
	return []history.Agent{
		claudeCode(), codex(), cursor(), gemini(), opencode(), copilot(), vscode(), cline(), roo(),
		goose(), zed(), crush(), aider(), continueDev(), pi(), droid(), kiro(), amp(),
	}
}
