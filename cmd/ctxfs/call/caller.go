package call

import "os"

// agents are the variables by which agents can be known in the shells that
// they run, and those that hold the number of their session.
var agents = [...]struct{ name, marked, session string }{
	{"claude-code", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID"},
	{"codex", "CODEX_THREAD_ID", "CODEX_THREAD_ID"},
	{"cursor", "CURSOR_AGENT", ""},
	{"gemini", "GEMINI_CLI", ""},
	{"opencode", "OPENCODE", ""},
}

// NewCaller describes this process.
func NewCaller(lookupEnv func(string) (string, bool)) Caller {
	c := Caller{PID: os.Getpid()}
	c.Dir, _ = os.Getwd() // may be gone
	for _, a := range agents {
		if _, ok := lookupEnv(a.marked); !ok {
			continue
		}
		c.Agent = a.name
		if a.session != "" {
			c.Session, _ = lookupEnv(a.session)
		}
		break
	}
	return c
}
