package programs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"ctxfs/providers/executor/request"
)

// claude starts Claude Code. What edits nothing outside of the folder is accepted, and so
// are all commands. In plan mode it changes nothing; --add-dir lets it read the mount, too.
//
// Sources: code.claude.com/docs/en/headless, /cli-reference, /permission-modes; the output
// of 2.1.197.
func claude() agent {
	return agent{
		id: "claude-code", program: "claude", structured: true, readOnly: true,
		invoke: func(o Options, prompt string, more []string) Invocation {
			argv := []string{"--print", "--output-format=stream-json", "--verbose"}
			if o.ReadOnly {
				argv = append(argv, "--permission-mode=plan")
			} else {
				argv = append(argv, "--permission-mode=acceptEdits", "--allowedTools=Bash")
			}
			if o.Mount != "" {
				argv = append(argv, "--add-dir="+o.Mount)
			}
			if len(o.Schema) > 0 {
				argv = append(argv, "--json-schema="+compact(o.Schema))
			}
			return Invocation{Argv: append(append(argv, more...), "--", prompt)}
		},
		stream: func() stream { return new(claudeStream) },
	}
}

// compact returns JSON without white space.
func compact(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// claudeEvent is a line of the stream-json of Claude Code, which Amp and Cursor write, too.
type claudeEvent struct {
	Type, Subtype string
	SessionID     string `json:"session_id"`
	// Parent is the call in which a subagent runs that says this.
	Parent  string `json:"parent_tool_use_id"`
	Message struct {
		Content []struct {
			Type, Text, Name string
			Input            json.RawMessage
		}
		Usage claudeUsage
	}
	// Of the last event.
	IsError    bool `json:"is_error"`
	Result     string
	Error      string
	Errors     []string
	Structured json.RawMessage `json:"structured_output"`
	Usage      claudeUsage
	Cost       float64 `json:"total_cost_usd"`
}

type claudeUsage struct {
	Input      int64 `json:"input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

func (u claudeUsage) usage(cost float64) request.Usage {
	return request.Usage{InputTokens: u.Input, CacheReadTokens: u.CacheRead, CacheWriteTokens: u.CacheWrite, OutputTokens: u.Output, CostUSD: cost}
}

// claudeStream reads the events of Claude Code.
type claudeStream struct{ said answer }

func (s *claudeStream) event(line []byte, out *Output) (shown string) {
	e := parse[claudeEvent](line)
	out.Session = cmp.Or(out.Session, e.SessionID)
	switch e.Type {
	case "assistant":
		return s.message(e)
	case "result":
		out.Text = e.Result
		out.Structured = e.Structured
		out.adds(e.Usage.usage(e.Cost))
		if e.IsError || e.Subtype != "" && e.Subtype != "success" {
			out.failed(cmp.Or(e.Result, e.Error, strings.Join(e.Errors, "; "), e.Subtype))
		}
	}
	return ""
}

// message takes what the model has said, and called.
func (s *claudeStream) message(e claudeEvent) string {
	var shown []string
	for _, block := range e.Message.Content {
		switch block.Type {
		case "text":
			if e.Parent == "" {
				s.said.says(block.Text)
			}
			shown = append(shown, shownText(block.Text))
		case "tool_use":
			s.said.acts()
			shown = append(shown, shownCall(block.Name, block.Input))
		}
	}
	return strings.Join(shown, "\n")
}

func (s *claudeStream) end(_ Options, out *Output) { out.Text = cmp.Or(out.Text, s.said.String()) }
