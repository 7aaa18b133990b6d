// Package form knows what the hooks of agents are given and what they may answer: it
// makes one [Input] of what any agent writes to a hook, and of an [Answer] what that agent
// reads. It imports little, since a hook must start at once.
//
// agents.go says what each agent lets its hooks do, output.go how it wants to be told;
// each fact stands there with its source.
package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ctxfs/fs/facts"
)

// Input is what an agent tells its hook.
type Input struct {
	// Agent is the agent's id, Event its own name of the event.
	Agent, Event string
	// Kind is the moment. It is "" for an event that needs no answer.
	Kind facts.MomentKind
	// Session is the agent's id of the session, Subagent that of the subagent at work, or "".
	Session, Subagent string
	// Dir is the working folder, an absolute path, or "".
	Dir string
	// Cleared reports whether the context is a new one: at a start that is not the resuming
	// of a session, and after a compaction.
	Cleared bool
	// Source is why a session starts, in the agent's words, or "".
	Source string
	// Prompt is the user's message.
	Prompt string
	// Call is the call of a tool; Writes and Command are not filled in.
	Call *facts.AgentCall
	// Says reports whether the model reads the answer at this moment.
	Says bool

	agent    agent
	response json.RawMessage // of the tool
}

// Answer is what to tell an agent. At most one of Refuse and Instead is set.
type Answer struct {
	// Say is told to the model.
	Say string
	// Refuse is why a call is refused, "" if it is not.
	Refuse string
	// Instead replaces the output of a call; "" does not.
	Instead string
}

// Output is how a hook ends.
type Output struct {
	// Out and Err are printed to standard output and standard error.
	Out, Err string
	// Code is the exit code. It is 0, but for a refusal of an agent that knows no other way.
	Code int
}

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

// text returns the first of the members that is a string that is not empty.
func (f fields) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(f[name], &s) == nil && s != "" {
			return strings.ToValidUTF8(s, "�")
		}
	}
	return ""
}

// object returns a member that is an object, or nil.
func (f fields) object(name string) (of fields) {
	if json.Unmarshal(f[name], &of) != nil {
		return nil
	}
	return of
}

// first returns the first of the members that is there and not null.
func (f fields) first(names ...string) json.RawMessage {
	for _, name := range names {
		if v := bytes.TrimSpace(f[name]); len(v) > 0 && !bytes.Equal(v, []byte("null")) {
			return v
		}
	}
	return nil
}

func (f fields) has(name string) bool { _, ok := f[name]; return ok }

// Parse reads what an agent tells its hook. The arguments name the agent, by its id, and
// the event, in the agent's words or as a moment of package fs is called; where the input
// names others, it is right: agents run each other's hooks. Fields that are unknown, or
// of another type than expected, count as missing.
func Parse(agentName, eventName string, input []byte) (*Input, error) {
	var f fields
	if err := json.Unmarshal(bytes.TrimPrefix(input, []byte("\xef\xbb\xbf")), &f); err != nil || f == nil {
		return nil, errors.New("its input is not the JSON of a hook")
	}
	a, ok := agentOf(agentName, f)
	if !ok {
		return nil, fmt.Errorf("no agent %q with hooks is known", agentName)
	}
	in := &Input{Agent: a.id, agent: a, Event: f.text("hook_event_name", "hookEventName", "hookName", "agent_action_name")}
	in.Event = cmp.Or(in.Event, eventName)
	in.Kind = momentOf(in.Event)
	if in.Kind == "" && momentOf(eventName) != "" && !f.has("hook_event_name") {
		in.Event, in.Kind = eventName, momentOf(eventName)
	}
	if err := in.session(f); err != nil {
		return nil, err
	}
	in.Dir = dirOf(f)
	in.Subagent = name(f.text("agent_id", "agentId"))
	switch in.Kind {
	case facts.SessionStarts:
		in.Source = f.text("source")
		in.Cleared = in.Source != "resume" && plainName(in.Event) != "taskresume" && plainName(in.Event) != "agentresume"
		if in.Source == "compact" {
			in.Kind = facts.Compacted
		}
	case facts.Compacted:
		in.Cleared = true
	case facts.Compacting:
		if a.hasty && f.text("trigger") == "auto" {
			in.Kind = ""
		}
	case facts.Prompted:
		in.Prompt = promptOf(f)
		if a.wrote != nil {
			in.Prompt = a.wrote(in.Prompt)
		}
	case facts.BeforeTool, facts.AfterTool:
		in.call(f)
	}
	in.Says = a.says != nil && a.says(in, f)
	return in, nil
}

// session finds the id of the session. One that cannot be a name is an error: paths are
// made of it.
func (in *Input) session(f fields) error {
	id := f.text("conversation_id", "session_id", "sessionId", "sessionID", "taskId", "trajectory_id")
	if path := f.text("transcript_path", "transcriptPath"); id == "" && path != "" {
		base := filepath.Base(path)
		id = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if id == "" {
		return errors.New("its input names no session")
	}
	if in.Session = name(id); in.Session == "" {
		return errors.New("the session has an id that cannot be a name")
	}
	return nil
}

// name returns an id that can be a file name, else "".
func name(id string) string {
	if id == "" || len(id) > 200 || strings.Trim(id, ".") == "" || strings.ContainsFunc(id, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '.')
	}) {
		return ""
	}
	return id
}

// dirOf returns the working folder.
func dirOf(f fields) string {
	dir := f.text("cwd")
	var roots []string
	if dir == "" && (json.Unmarshal(f["workspace_roots"], &roots) == nil || json.Unmarshal(f["workspaceRoots"], &roots) == nil) && len(roots) > 0 {
		dir = roots[0]
	}
	if info := f.object("tool_info"); dir == "" && info != nil {
		dir = info.text("cwd")
	}
	if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return ""
	}
	return filepath.Clean(dir)
}

// promptOf returns the user's message.
func promptOf(f fields) string {
	if p := f.text("prompt", "user_prompt"); p != "" {
		return p
	}
	for _, inside := range []string{"userPromptSubmit", "tool_info", "promptSubmit"} {
		if p := f.object(inside).text("prompt", "user_prompt"); p != "" {
			return p
		}
	}
	return ""
}

// plainName returns the name of an event or an agent without what is spelt differently.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		}
		return -1
	}, s)
}

// within returns a text of at most limit bytes, cut at a character.
func within(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	s = s[:limit-len(mark)]
	for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) {
		s = s[:len(s)-1]
	}
	return s + mark
}
