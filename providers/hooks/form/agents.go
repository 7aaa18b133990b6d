package form

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/regexps"
)

// agent is an agent with hooks.
type agent struct {
	id string
	// is reports whether an input is certainly this agent's, whatever the command line says.
	is func(f fields) bool
	// says reports whether the model reads what a hook says at this moment.
	says func(in *Input, f fields) bool
	// say, refuse and replace make the output. Refuse is nil where hooks cannot refuse a call,
	// replace where they cannot replace an output; it returns nil for an output that they
	// cannot.
	say     func(in *Input, text string) any
	refuse  func(in *Input, why string) any
	replace func(in *Input, text string) any
	// hasty is set where the event before a compaction comes before each look whether one is
	// due, too, but for those that the user asks for.
	hasty bool
	// wrote returns the text of the user in a message as the agent reports it, or nil where these
	// are the same.
	wrote func(prompt string) string
}

// agents returns the agents whose hooks are answered. Those that run the hooks of others
// come first.
func agents() []agent {
	return []agent{cursor(), windsurf(), cline(), vscode(), copilot(), codex(), claudeCode(), gemini(), opencode()}
}

// Agents returns the ids of the agents whose hooks are answered.
func Agents() (ids []string) {
	for _, a := range agents() {
		ids = append(ids, a.id)
	}
	return ids
}

// agentOf returns the agent whose input this is: that which the input tells, else that
// with the name.
func agentOf(name string, f fields) (is agent, ok bool) {
	for _, a := range agents() {
		if a.is != nil && a.is(f) {
			return a, true
		}
	}
	for _, a := range agents() {
		if plainName(a.id) == plainName(name) {
			return a, true
		}
	}
	return agent{}, false
}

// momentOf returns the moment of an event, "" for one that needs no answer. Agents have
// few words for the same, so one table serves them all.
func momentOf(event string) facts.MomentKind {
	switch plainName(event) {
	case "sessionstart", "taskstart", "taskresume", "agentstart", "agentresume", "start":
		return facts.SessionStarts
	case "compacted":
		return facts.Compacted
	case "precompact", "precompress", "experimentalsessioncompacting", "compacting":
		return facts.Compacting
	case "userpromptsubmit", "userpromptsubmitted", "beforesubmitprompt", "beforeagent", "preuserprompt", "promptsubmit", "chatmessage", "prompt":
		return facts.Prompted
	case "pretooluse", "beforetool", "beforeshellexecution", "beforemcpexecution", "prewritecode", "preruncommand", "premcptooluse", "toolexecutebefore", "toolcall", "before":
		return facts.BeforeTool
	case "posttooluse", "posttoolusefailure", "aftertool", "aftershellexecution", "aftermcpexecution", "afterfileedit", "postwritecode", "postruncommand", "postmcptooluse",
		"toolexecuteafter", "toolresult", "after":
		return facts.AfterTool
	}
	return ""
}

// toolOfEvent returns what a call does whose tool an event does not name.
func toolOfEvent(event string) string {
	switch plainName(event) {
	case "beforeshellexecution", "aftershellexecution", "preruncommand", "postruncommand":
		return "shell"
	case "afterfileedit", "prewritecode", "postwritecode":
		return "write_file"
	}
	return ""
}

// saysAt returns a function that reports whether a moment is one of these.
func saysAt(kinds ...facts.MomentKind) func(*Input, fields) bool {
	return func(in *Input, _ fields) bool {
		return slices.Contains(kinds, in.Kind)
	}
}

// claudeCode: text goes into hookSpecificOutput.additionalContext, a refusal into
// permissionDecision; before a compaction, plain text becomes an instruction for the
// summary. An output is replaced by one of the same shape, so that of Bash keeps its other
// members; the tools that read files have shapes of their own and are left alone, and so is
// an output that Claude Code has put into a file itself.
//
// Sources: @anthropic-ai/claude-code 2.1.197 (the schemas of hookSpecificOutput,
// newCustomInstructions, "does not match … output shape"); code.claude.com/docs/en/hooks.
// Before 2.1.121 updatedToolOutput is ignored.
func claudeCode() agent {
	return agent{
		id:   "claude-code",
		says: saysAt(facts.SessionStarts, facts.Compacted, facts.Compacting, facts.Prompted, facts.BeforeTool, facts.AfterTool),
		say: func(in *Input, text string) any {
			if in.Kind == facts.Compacting {
				return plain(text)
			}
			return specific(in, "additionalContext", text)
		},
		refuse: denied,
		replace: func(in *Input, text string) any {
			if in.eventName() != "PostToolUse" { // one that failed has no output
				return nil
			}
			if in.Call.Server != "" {
				return specific(in, "updatedToolOutput", []any{textBlock(text)})
			}
			var f fields
			if in.Call.Tool != "Bash" || json.Unmarshal(in.response, &f) != nil || !f.has("stdout") || f.has("persistedOutputPath") || f.has("backgroundTaskId") || f.yes("isImage") || f.yes("interrupted") {
				return nil
			}
			f["stdout"], f["stderr"] = quoted(text), quoted("")
			return specific(in, "updatedToolOutput", f)
		},
	}
}

// codex: as Claude Code, but it takes no member that it does not know, nothing but a
// refusal before a call, and no text before a compaction. With continue set to false after a
// call, the reason is what the model reads as its output, and the turn goes on. Of a long
// output hooks get what is left when Codex has cut it; as it is not whole, it stays as it is.
//
// Sources: @openai/codex 0.169.0 (the schemas post-tool-use.command.output and others, their
// messages "hook returned unsupported …"); developers.openai.com/codex/hooks; at
// rust-v0.155.1 core/src/tools/registry.rs, hooks/src/events/post_tool_use.rs.
func codex() agent {
	return agent{
		id:     "codex",
		is:     func(f fields) bool { return f.has("turn_id") },
		says:   saysAt(facts.SessionStarts, facts.Compacted, facts.Prompted, facts.AfterTool),
		say:    func(in *Input, text string) any { return specific(in, "additionalContext", text) },
		refuse: denied,
		replace: func(in *Input, text string) any {
			if in.Call.Tool != "Bash" && in.Call.Server == "" || truncated().MatchString(in.Call.Output) {
				return nil
			}
			return map[string]any{"continue": false, "stopReason": "ctxfs put a long output into a file", "reason": text}
		},
	}
}

// truncated is what Codex writes before an output that it has cut, and where it has cut it.
var truncated = regexps.Lazy(`(?m)^Warning: truncated output \(original token count: \d+\)|…\d+ (?:tokens|chars) truncated…`)

// gemini: only the user reads a text before a compression. That event comes with each
// request to the model, before the size of the context is looked at; only with the trigger
// "manual" does a compression follow, so no hook sees one that comes by itself. A denied
// output becomes a failed one ("Tool result blocked"), so outputs are not replaced.
//
// Sources: @google/gemini-cli 0.61.0, bundle/docs/hooks/reference.md,
// packages/core/src/core/coreToolHookTriggers.ts and
// packages/core/src/context/chatCompressionService.ts (firePreCompressEvent) in it.
func gemini() agent {
	return agent{
		id:    "gemini",
		hasty: true,
		says:  saysAt(facts.SessionStarts, facts.Prompted, facts.AfterTool),
		say:   func(in *Input, text string) any { return specific(in, "additionalContext", text) },
		refuse: func(_ *Input, why string) any {
			return map[string]any{"decision": "deny", "reason": why}
		},
	}
}

// cursor: additional_context of at most 10,000 characters at a start, after a tool, and,
// in builds of its command line program from 2026.09.18 on, with a message. Of outputs
// those of MCP tools can be replaced. An input of its has cursor_version, also where it runs
// the hooks of Claude Code.
//
// Sources: cursor.com/docs/hooks; what the bundle of 2026.09.18-9a7762b accepts as
// responses (beforeSubmitPrompt, postToolUse).
func cursor() agent {
	return agent{
		id: "cursor",
		is: func(f fields) bool { return f.has("cursor_version") },
		says: func(in *Input, f fields) bool {
			version := f.text("cursor_version")
			switch plainName(in.Event) {
			case "sessionstart", "posttooluse", "posttoolusefailure":
				return true
			case "beforesubmitprompt":
				return len(version) > 10 && strings.HasPrefix(version, "20") && version[:10] >= "2026.09.18"
			}
			return false
		},
		say: func(_ *Input, text string) any { return map[string]any{"additional_context": within(text, 9900)} },
		refuse: func(_ *Input, why string) any {
			return map[string]any{"permission": "deny", "agent_message": why, "user_message": why}
		},
		replace: func(in *Input, text string) any {
			if in.Call.Server == "" || plainName(in.Event) != "posttooluse" {
				return nil
			}
			return map[string]any{"updated_mcp_tool_output": map[string]any{"content": []any{textBlock(text)}}}
		},
	}
}

// vscode: members are in camel case, or as Claude Code has them; with a message it takes
// the common output only, which the model does not read. It also runs the hooks in
// ~/.claude/settings.json.
//
// Source: code.visualstudio.com/docs/agents/reference/hooks-reference (29 July 2026).
func vscode() agent {
	return agent{
		id:     "vscode",
		is:     func(f fields) bool { return f.has("hookEventName") && f.has("sessionId") },
		says:   saysAt(facts.SessionStarts, facts.Compacted, facts.BeforeTool, facts.AfterTool),
		say:    func(in *Input, text string) any { return specific(in, "additionalContext", text) },
		refuse: denied,
	}
}

// copilot is Copilot CLI. It drops what a hook says to a message, and of a call that
// failed.
//
// Source: docs.github.com/en/copilot/reference/hooks-reference.
func copilot() agent {
	return agent{
		id: "copilot",
		is: func(f fields) bool {
			var at float64
			return f.has("sessionId") && json.Unmarshal(f["timestamp"], &at) == nil && !f.has("hookEventName")
		},
		says: func(in *Input, f fields) bool {
			return in.Kind == facts.SessionStarts || plainName(in.Event) == "posttooluse"
		},
		say: func(_ *Input, text string) any { return map[string]any{"additionalContext": within(text, 9900)} },
		refuse: func(_ *Input, why string) any {
			return map[string]any{"permissionDecision": "deny", "permissionDecisionReason": why}
		},
		replace: func(in *Input, text string) any {
			if plainName(in.Event) != "posttooluse" || in.Call.Failed || plainName(in.Call.Tool) == "view" || plainName(in.Call.Tool) == "read" {
				return nil
			}
			return map[string]any{"modifiedResult": map[string]any{"resultType": "success", "textResultForLlm": text}}
		},
	}
}

// windsurf reads nothing of its hooks but that one refuses: exit code 2, and why on
// standard error.
//
// Source: docs.windsurf.com/windsurf/cascade/hooks.
func windsurf() agent {
	return agent{
		id:     "windsurf",
		is:     func(f fields) bool { return f.has("agent_action_name") },
		refuse: func(_ *Input, why string) any { return exit2(why) },
	}
}

// cline takes contextModification, of at most 50,000 characters. Its cancel ends the
// whole task, so it refuses no calls.
//
// Sources: cline 3.0.65 (contextModification, cancel), docs.cline.bot/features/hooks.
func cline() agent {
	return agent{
		id:   "cline",
		is:   func(f fields) bool { return f.has("clineVersion") || f.has("taskId") && f.has("hookName") },
		says: saysAt(facts.SessionStarts, facts.Prompted, facts.BeforeTool, facts.AfterTool),
		say: func(_ *Input, text string) any {
			return map[string]any{"cancel": false, "contextModification": text}
		},
	}
}

// opencode has plugins, which call us in a form of our own. The input has session_id, cwd,
// hook_event_name (chat.message, tool.execute.before, tool.execute.after,
// experimental.session.compacting) and, as they apply, prompt, tool_name, tool_input,
// tool_use_id, tool_response, exit_code, mcp_server_name, success. The output is nothing, or an object with one member: context,
// which the plugin adds to the message, the output or the prompt of the compaction; deny,
// with which it throws an error; output, which replaces the output.
//
// "opencode run" puts an argument with a space into quotation marks.
//
// Source of what a plugin may do: @opencode-ai/plugin 1.18.33, dist/index.d.ts, interface
// Hooks; of the quotation marks: opencode-ai 1.18.33, [...message].map(…).join(" ").
func opencode() agent {
	return agent{
		id:     "opencode",
		wrote:  unquoted,
		says:   saysAt(facts.SessionStarts, facts.Compacted, facts.Compacting, facts.Prompted, facts.AfterTool),
		say:    func(_ *Input, text string) any { return map[string]any{"context": text} },
		refuse: func(_ *Input, why string) any { return map[string]any{"deny": why} },
		replace: func(in *Input, text string) any {
			switch plainName(in.Call.Tool) {
			case "read", "edit", "write", "skill", "task":
				if in.Call.Server == "" {
					return nil
				}
			}
			return map[string]any{"output": text}
		},
	}
}

// unquoted returns a text without the quotation marks around the whole of it.
func unquoted(s string) string {
	inner, begins := strings.CutPrefix(s, `"`)
	inner, ends := strings.CutSuffix(inner, `"`)
	if !begins || !ends || strings.Contains(strings.ReplaceAll(inner, `\"`, ""), `"`) || strings.HasSuffix(inner, `\`) {
		return s
	}
	return strings.ReplaceAll(inner, `\"`, `"`)
}

// yes reports whether a member is true.
func (f fields) yes(name string) bool { return bytes.Equal(bytes.TrimSpace(f[name]), []byte("true")) }
