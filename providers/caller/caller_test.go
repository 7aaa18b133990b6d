package caller

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
)

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

// TestOf: every agent that says so is known, with its session, and what others
// set is nobody's.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		env            map[string]string
		agent, session string
	}{
		{map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "a"}, "claude-code", "a"},
		{map[string]string{"CLAUDECODE": "1"}, "claude-code", ""},
		{map[string]string{"CODEX_THREAD_ID": "a"}, "codex", "a"},
		{map[string]string{"CODEX_HOME": "/x"}, "", ""},
		{map[string]string{"CURSOR_AGENT": "1", "CURSOR_TRANSCRIPT_PATH": "/h/.cursor/projects/x/agent-transcripts/a-b/a-b.jsonl"}, "cursor", "a-b"},
		{map[string]string{"GEMINI_CLI": "1"}, "gemini", ""},
		{map[string]string{"GEMINI_CLI": "1", "GEMINI_SESSION_ID": "a"}, "gemini", "a"},
		{map[string]string{"OPENCODE": "1", "AGENT": "1"}, "opencode", ""},
		{map[string]string{"COPILOT_AGENT_SESSION_ID": "a"}, "copilot", "a"},
		{map[string]string{"AGENT": "goose", "AGENT_SESSION_ID": "a"}, "goose", "a"},
		{map[string]string{"AGENT": "goose"}, "goose", ""},
		{map[string]string{"AGENT_SESSION_ID": "a"}, "", ""},
		{map[string]string{"CRUSH_SESSION_ID": "a"}, "crush", "a"},
		{map[string]string{"PI_SESSION_ID": "a"}, "pi", "a"},
		{map[string]string{"AMP_CURRENT_THREAD_ID": "T-a"}, "amp", "T-a"},
		{map[string]string{"AI_AGENT": "droid"}, "droid", ""},
		{map[string]string{"AGENT": "amp", "AMP_CURRENT_THREAD_ID": "T-a"}, "amp", "T-a"},
		{map[string]string{"AGENT": "ssh", "SESSION_ID": "a", "PI": "3"}, "", ""},
		{map[string]string{"CLAUDECODE": "", "CLAUDE_CODE_SESSION_ID": ""}, "", ""},
	} {
		if agent, session := Of(lookup(test.env)); agent != test.agent || session != test.session {
			t.Errorf("%v: %q, %q", test.env, agent, session)
		}
		// An agent with a session has a claim, and an agent with a claim has a
		// session.
		claims := Claims(lookup(test.env))
		if (len(claims) > 0) != (test.session != "") || len(claims) > 0 && (claims[0].Agent != test.agent || claims[0].ID() != test.session) {
			t.Errorf("%v: claims %v", test.env, claims)
		}
	}
}

// TestEveryAgent: in the environment of its fixture every agent is known, and so
// is its session where a variable names it.
func TestEveryAgent(t *testing.T) {
	for _, a := range agents.All() {
		text, err := os.ReadFile(filepath.Join("..", "internal", "agents", "testdata", a.ID+".txt"))
		fstest.Must(t, err)
		env := make(map[string]string)
		before, _, _ := strings.Cut(string(text), "-- want --")
		for line := range strings.Lines(before) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
				env[name] = value
			}
		}
		agent, session := Of(lookup(env))
		fstest.Equal(t, len(a.Session)+len(a.Marks) > 0 || env["AI_AGENT"] != "", (agent == a.ID), "environment", env, agent, a.ID)
		fstest.Equal(t, (len(a.Session) > 0), (session != ""), "session", a.ID, session)
	}
}

// TestMarks: a shell is an agent's by any variable that makes it known as one.
func TestMarks(t *testing.T) {
	for _, a := range agents.All() {
		for _, v := range slices.Concat(a.Marks, a.Session) {
			if v.With == nil && !Marks()(v.Name) {
				t.Errorf("%s does not mark a shell", v.Name)
			}
		}
	}
	for name, want := range map[string]bool{"AI_AGENT": true, "CODEX_CI": true, "CODEX_HOME": false, "AGENT": false, "AGENT_SESSION_ID": false, "PATH": false, "": false} {
		fstest.Equal(t, Marks()(name), want, "marks", name, !want)
	}
}
