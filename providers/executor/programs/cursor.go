package programs

import (
	"encoding/json"
	"strings"

	"ctxfs/providers/executor/request"
)

// cursor starts the command line of Cursor. Without --force it would only propose commands;
// with it everything is run that its user does not deny.
//
// Sources: cursor.com/docs/cli/headless, /reference/parameters, /reference/output-format.
// It was not run: npm does not have it.
func cursor() agent {
	return agent{
		id: "cursor", program: "cursor-agent", readOnly: true,
		invoke: func(o Options, prompt string, more []string) Invocation {
			argv := []string{"--print", "--output-format=stream-json", "--trust"}
			if o.ReadOnly {
				argv = append(argv, "--mode=ask")
			} else {
				argv = append(argv, "--force")
			}
			return Invocation{Argv: append(append(argv, more...), "--", prompt)}
		},
		stream: func() stream { return new(cursorStream) },
	}
}

// cursorStream reads the events of Cursor. They are those of Claude Code, but for calls of
// tools and usage.
type cursorStream struct{ claudeStream }

type cursorEvent struct {
	Type, Subtype string
	// Call has the call by the name of its tool, such as readToolCall.
	Call  map[string]json.RawMessage `json:"tool_call"`
	Usage struct{ InputTokens, OutputTokens, CacheReadTokens, CacheWriteTokens int64 }
}

func (s *cursorStream) event(line []byte, out *Output) (shown string) {
	e := parse[cursorEvent](line)
	u := e.Usage
	out.adds(request.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CacheReadTokens: u.CacheReadTokens, CacheWriteTokens: u.CacheWriteTokens})
	if e.Type != "tool_call" {
		return s.claudeStream.event(line, out)
	}
	if e.Subtype != "started" {
		return ""
	}
	s.said.acts()
	for name, call := range e.Call {
		if tool, ok := strings.CutSuffix(name, "ToolCall"); ok {
			return shownCall(tool, parse[struct{ Args json.RawMessage }](call).Args)
		}
	}
	return ""
}
