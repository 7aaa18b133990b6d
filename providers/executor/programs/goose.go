package programs

import (
	"encoding/json"
	"strings"
)

// goose starts goose, which has no flag for being read-only. In its mode auto it asks
// nothing.
//
// Sources: block.github.io/goose/docs/guides/goose-cli-commands, /goose-permissions;
// crates/goose-cli of block/goose. It was not run: npm does not have it.
func goose() agent {
	return agent{
		id: "goose", program: "goose",
		invoke: func(_ Options, prompt string, more []string) Invocation {
			argv := append([]string{"run", "--quiet", "--output-format=stream-json"}, more...)
			return Invocation{Argv: append(argv, "--text="+prompt), Env: []string{"GOOSE_MODE=auto"}}
		},
		stream: func() stream { return new(gooseStream) },
	}
}

type gooseEvent struct {
	Type    string
	Message struct {
		ID, Role string
		Content  []struct {
			Type, Text string
			ToolCall   struct {
				Value struct {
					Name      string
					Arguments json.RawMessage
				}
			}
		}
	}
	Error string
}

// gooseStream reads the events of goose. A message comes in pieces that have its id.
type gooseStream struct {
	answer
	id string
}

func (s *gooseStream) event(line []byte, out *Output) (shown string) {
	e := parse[gooseEvent](line)
	switch {
	case e.Type == "error":
		out.failed(e.Error)
		return shownText("error: " + e.Error)
	case e.Type != "message" || e.Message.Role != "assistant":
		return ""
	}
	if e.Message.ID == "" || e.Message.ID != s.id {
		s.acts()
		s.id = e.Message.ID
	}
	var all []string
	for _, c := range e.Message.Content {
		switch c.Type {
		case "text":
			s.says(c.Text)
			all = append(all, shownText(c.Text))
		case "toolRequest":
			s.acts()
			all = append(all, shownCall(c.ToolCall.Value.Name, c.ToolCall.Value.Arguments))
		}
	}
	return strings.Join(all, "\n")
}
