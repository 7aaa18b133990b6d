package programs

import (
	"cmp"
	"encoding/json"
	"strings"

	"ctxfs/providers/executor/request"
)

// gemini starts Gemini CLI. It works in no folder without a terminal that is not trusted,
// so this one is for the session, as is ours to say: it was named to work in.
//
// Sources: geminicli.com/docs/cli/headless, /cli/trusted-folders, /cli/plan-mode; the output
// of 0.61.
func gemini() agent {
	return agent{
		id: "gemini", program: "gemini", readOnly: true,
		invoke: func(o Options, prompt string, more []string) Invocation {
			argv := []string{"--output-format=stream-json", "--skip-trust"}
			if o.ReadOnly {
				argv = append(argv, "--approval-mode=plan")
			} else {
				argv = append(argv, "--approval-mode=yolo")
			}
			if o.Mount != "" {
				argv = append(argv, "--include-directories="+o.Mount)
			}
			return Invocation{Argv: append(append(argv, more...), "--prompt="+prompt)}
		},
		stream: func() stream { return new(geminiStream) },
	}
}

type geminiEvent struct {
	Type, Role, Content, Status, Message, Severity string
	SessionID                                      string `json:"session_id"`
	Tool                                           string `json:"tool_name"`
	Parameters                                     json.RawMessage
	Error                                          struct{ Message string }
	Stats                                          struct {
		Input  int64 `json:"input"` // without those from the cache
		Cached int64
		Output int64 `json:"output_tokens"`
	}
}

// geminiStream reads the events of Gemini CLI, whose texts come in pieces.
type geminiStream struct {
	answer
	line strings.Builder // that is not complete, to be shown
}

func (s *geminiStream) event(line []byte, out *Output) (shown string) {
	e := parse[geminiEvent](line)
	out.Session = cmp.Or(out.Session, e.SessionID)
	switch e.Type {
	case "message":
		if e.Role == "assistant" {
			s.says(e.Content)
			return s.lines(e.Content)
		}
	case "tool_use":
		s.acts()
		return strings.TrimPrefix(s.rest()+"\n"+shownCall(e.Tool, e.Parameters), "\n")
	case "error":
		if e.Severity == "error" {
			out.failed(e.Message)
		}
		return shownText(e.Severity + ": " + e.Message)
	case "result":
		out.adds(request.Usage{InputTokens: e.Stats.Input, CacheReadTokens: e.Stats.Cached, OutputTokens: e.Stats.Output})
		if e.Status == "error" {
			out.failed(cmp.Or(e.Error.Message, "it says no more than that it failed"))
		}
		return s.rest()
	}
	return ""
}

// lines returns the lines that a piece of text completes.
func (s *geminiStream) lines(piece string) string {
	s.line.WriteString(piece)
	text := s.line.String()
	end := strings.LastIndexByte(text, '\n')
	if end < 0 {
		return ""
	}
	s.line.Reset()
	s.line.WriteString(text[end+1:])
	return shownText(text[:end])
}

// rest returns the text that is not complete as if it was.
func (s *geminiStream) rest() string {
	defer s.line.Reset()
	return shownText(s.line.String())
}
