package programs

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/executor/request"
)

// copilot starts the Copilot CLI, which runs without a person only if all tools are allowed.
// The id of its session is chosen here, since Copilot prints one only at the end; its usage
// is in a file.
//
// Sources: docs.github.com/en/copilot, "About Copilot CLI"; copilot --help and the output of
// 1.0.102.
func copilot() agent {
	return agent{
		id: "copilot", program: "copilot", readOnly: true,
		invoke: func(o Options, prompt string, more []string) Invocation {
			session := newUUID()
			argv := []string{"--output-format=json", "--allow-all-tools", "--allow-all-paths", "--no-ask-user", "--session-id=" + session, "--usage-output-file=" + copilotUsage(o)}
			if o.ReadOnly {
				argv = append(argv, "--deny-tool=write")
			}
			return Invocation{Argv: append(append(argv, more...), "--prompt="+prompt), Session: session}
		},
		stream: func() stream { return new(copilotStream) },
	}
}

// copilotUsage returns the file in which Copilot says what requests took.
func copilotUsage(o Options) string { return filepath.Join(o.Scratch, "usage.json") }

// newUUID returns a random UUID, of version 4 (RFC 9562).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

type copilotEvent struct {
	Type string
	Data struct {
		Content, Message string
		ToolRequests     []struct {
			Name      string
			Arguments json.RawMessage
		}
		// ParentToolCallID is the call in which a subagent runs that says this.
		ParentToolCallID string
	}
	SessionID string
}

// copilotStream reads the events of Copilot.
type copilotStream struct{ answer }

func (s *copilotStream) event(line []byte, out *Output) (shown string) {
	e := parse[copilotEvent](line)
	switch e.Type {
	case "assistant.message":
		var all []string
		if text := e.Data.Content; strings.TrimSpace(text) != "" {
			if e.Data.ParentToolCallID == "" {
				s.acts()
				s.says(text)
			}
			all = append(all, shownText(text))
		}
		for _, call := range e.Data.ToolRequests {
			all = append(all, shownCall(call.Name, call.Arguments))
		}
		return strings.Join(all, "\n")
	case "session.error":
		s.error = e.Data.Message
		return shownText("error: " + e.Data.Message)
	case "result":
		out.Session = cmp.Or(out.Session, e.SessionID)
	}
	return ""
}

func (s *copilotStream) end(o Options, out *Output) {
	s.answer.end(o, out)
	text, err := os.ReadFile(copilotUsage(o))
	if err != nil {
		return
	}
	all := parse[struct {
		ModelMetrics map[string]struct {
			Usage struct{ InputTokens, OutputTokens, CacheReadTokens, CacheWriteTokens int64 }
		}
	}](text)
	for _, m := range all.ModelMetrics {
		u := m.Usage
		out.adds(request.Usage{InputTokens: max(u.InputTokens-u.CacheReadTokens-u.CacheWriteTokens, 0), CacheReadTokens: u.CacheReadTokens, CacheWriteTokens: u.CacheWriteTokens, OutputTokens: u.OutputTokens})
	}
}
