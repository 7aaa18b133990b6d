package form

import (
	"encoding/json"

	"ctxfs/fs/facts"
	"ctxfs/fs/jsonscan"
)

// exit2 is a refusal by exit code 2, with a text for standard error; plain is a text for
// standard output that is no JSON.
type (
	exit2 string
	plain string
)

// Output returns how the hook tells its agent an answer. What the agent does not let its
// hooks do is left out; with nothing to tell, the hook prints nothing.
func (in *Input) Output(a Answer) Output {
	var value any
	switch {
	case a.Refuse != "" && in.Kind == facts.BeforeTool && in.agent.refuse != nil:
		value = in.agent.refuse(in, a.Refuse)
	case a.Instead != "" && in.Kind == facts.AfterTool && in.agent.replace != nil:
		if a.Say != "" {
			a.Instead += "\n\n" + a.Say
		}
		value = in.agent.replace(in, a.Instead)
	}
	if value == nil && a.Say != "" && in.Says {
		value = in.agent.say(in, a.Say)
	}
	switch v := value.(type) {
	case nil:
		return Output{}
	case exit2:
		return Output{Err: string(v) + "\n", Code: 2}
	case plain:
		return Output{Out: string(v) + "\n"}
	}
	line, err := jsonscan.Line(value)
	if err != nil {
		return Output{}
	}
	return Output{Out: string(line)}
}

// specific returns Claude Code's output for an event, which others have taken over.
func specific(in *Input, member string, value any) any {
	return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": in.eventName(), member: value}}
}

// eventName is the agent's own name of the event, also where only ours was given.
func (in *Input) eventName() string {
	if in.Event != string(in.Kind) {
		return in.Event
	}
	own := map[facts.MomentKind]string{
		facts.SessionStarts: "SessionStart", facts.Compacted: "SessionStart", facts.Compacting: "PreCompact",
		facts.Prompted: "UserPromptSubmit", facts.BeforeTool: "PreToolUse", facts.AfterTool: "PostToolUse",
	}
	if in.Agent == gemini().id {
		own[facts.Prompted], own[facts.BeforeTool], own[facts.AfterTool] = "BeforeAgent", "BeforeTool", "AfterTool"
	}
	return own[in.Kind]
}

// denied is a refused call in that form.
func denied(in *Input, why string) any {
	return map[string]any{"hookSpecificOutput": map[string]any{
		"hookEventName": in.eventName(), "permissionDecision": "deny", "permissionDecisionReason": why,
	}}
}

// textBlock is a text as a block of the content of an MCP tool's result.
func textBlock(text string) any { return map[string]any{"type": "text", "text": text} }

// quoted returns a text as JSON.
func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // a string
	return raw
}
