package programs

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"ctxfs/providers/executor/request"
)

// codex starts Codex. It never asks when it is run so, and its own sandbox lets commands
// write to the folder and to temporary files only.
//
// Sources: developers.openai.com/codex/noninteractive, /cli/reference; the output of 0.171.
func codex() agent {
	return agent{
		id: "codex", program: "codex", structured: true, readOnly: true,
		invoke: func(o Options, prompt string, more []string) Invocation {
			argv := []string{"exec", "--json", "--color=never", "--skip-git-repo-check"}
			if o.ReadOnly {
				argv = append(argv, "--sandbox=read-only")
			} else {
				argv = append(argv, "--sandbox=workspace-write")
			}
			if len(o.Schema) > 0 {
				path := filepath.Join(o.Scratch, "schema.json")
				if os.WriteFile(path, o.Schema, 0o600) == nil { // or else Codex says that it is not there
					argv = append(argv, "--output-schema="+path)
				}
			}
			return Invocation{Argv: append(append(argv, more...), "--", prompt)}
		},
		stream: func() stream { return new(codexStream) },
	}
}

type codexEvent struct {
	Type     string
	ThreadID string `json:"thread_id"`
	Item     struct {
		Type, Text, Command, Server, Tool, Query string
		Changes                                  []struct{ Path, Kind string }
	}
	Usage struct {
		Input      int64 `json:"input_tokens"` // with those from and to the cache
		CacheRead  int64 `json:"cached_input_tokens"`
		CacheWrite int64 `json:"cache_write_input_tokens"`
		Output     int64 `json:"output_tokens"`
	}
	Message string
	Error   struct{ Message string }
}

// codexStream reads the events of Codex.
type codexStream struct{ answer }

func (s *codexStream) event(line []byte, out *Output) (shown string) {
	e := parse[codexEvent](line)
	out.Session = cmp.Or(out.Session, e.ThreadID)
	switch e.Type {
	case "item.started":
		if e.Item.Type == "command_execution" {
			s.acts()
			return shownCall("$", argument("command", e.Item.Command))
		}
	case "item.completed":
		return s.item(e)
	case "turn.completed":
		u := e.Usage
		out.adds(request.Usage{InputTokens: max(u.Input-u.CacheRead-u.CacheWrite, 0), CacheReadTokens: u.CacheRead, CacheWriteTokens: u.CacheWrite, OutputTokens: u.Output})
	case "turn.failed":
		out.failed(e.Error.Message)
	case "error": // it may try again
		s.error = e.Message
		return shownText("error: " + e.Message)
	}
	return ""
}

func (s *codexStream) item(e codexEvent) string {
	i := e.Item
	switch i.Type {
	case "agent_message":
		s.acts()
		s.says(i.Text)
		return shownText(i.Text)
	case "file_change":
		s.acts()
		paths := make([]string, 0, len(i.Changes))
		for _, c := range i.Changes {
			paths = append(paths, c.Path)
		}
		return shownCall("edit", argument("path", paths))
	case "mcp_tool_call":
		s.acts()
		return shownCall(i.Server+"/"+i.Tool, nil)
	case "web_search":
		s.acts()
		return shownCall("search", argument("query", i.Query))
	}
	return ""
}

// argument returns an object with one member.
func argument(name string, value any) json.RawMessage {
	text, _ := json.Marshal(map[string]any{name: value}) // of strings
	return text
}

// end takes the answer to a schema: it is the text.
func (s *codexStream) end(o Options, out *Output) {
	s.answer.end(o, out)
	if len(o.Schema) > 0 && json.Valid([]byte(out.Text)) {
		out.Structured = json.RawMessage(out.Text)
	}
}
