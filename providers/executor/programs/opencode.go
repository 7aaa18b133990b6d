package programs

import (
	"cmp"
	"encoding/json"

	"ctxfs/providers/executor/request"
)

// opencode starts opencode. --auto allows what it would ask for, such as to read the mount,
// and nothing that is denied; its agent plan is denied to edit.
//
// Sources: opencode.ai/docs/cli, /agents, /permissions; the output of 1.18.
func opencode() agent {
	return agent{
		id: "opencode", program: "opencode", readOnly: true,
		invoke: func(o Options, prompt string, more []string) Invocation {
			argv := []string{"run", "--format=json", "--auto"}
			if o.ReadOnly {
				argv = append(argv, "--agent=plan")
			}
			return Invocation{Argv: append(append(argv, more...), "--", prompt)}
		},
		stream: func() stream { return new(opencodeStream) },
	}
}

type opencodeEvent struct {
	Type      string
	SessionID string
	Part      struct {
		Text, Tool string
		State      struct{ Input json.RawMessage }
		Cost       float64
		Tokens     struct {
			Input, Output, Reasoning int64
			Cache                    struct{ Read, Write int64 }
		}
	}
	Error struct {
		Name string
		Data struct{ Message string }
	}
}

// opencodeStream reads the events of opencode.
type opencodeStream struct{ answer }

func (s *opencodeStream) event(line []byte, out *Output) (shown string) {
	e := parse[opencodeEvent](line)
	out.Session = cmp.Or(out.Session, e.SessionID)
	switch e.Type {
	case "text":
		s.says(e.Part.Text)
		return shownText(e.Part.Text)
	case "tool_use":
		s.acts()
		return shownCall(e.Part.Tool, e.Part.State.Input)
	case "step_finish":
		t := e.Part.Tokens
		out.adds(request.Usage{InputTokens: t.Input, CacheReadTokens: t.Cache.Read, CacheWriteTokens: t.Cache.Write, OutputTokens: t.Output + t.Reasoning, CostUSD: e.Part.Cost})
	case "error":
		out.failed(cmp.Or(e.Error.Data.Message, e.Error.Name, "it says no more than that it failed"))
		return shownText("error: " + out.Failed)
	}
	return ""
}
