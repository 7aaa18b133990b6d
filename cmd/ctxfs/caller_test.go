package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestCallsAreLoggedWithTheirSession: whichever agent calls, in whichever way,
// the log of calls says in which session.
func TestCallsAreLoggedWithTheirSession(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.mount()
	b.ready("zoo")
	last := func() (via, agent, session string) {
		lines := strings.Split(strings.TrimSpace(b.callLog()), "\n")
		var line struct{ Via, Agent, Session string }
		must(t, json.Unmarshal([]byte(lines[len(lines)-1]), &line))
		return line.Via, line.Agent, line.Session
	}
	clean := b.env
	for _, c := range []struct {
		env            []string
		agent, session string
	}{
		{[]string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=" + claudeID}, "claude-code", claudeID},
		{[]string{"CODEX_THREAD_ID=t-1"}, "codex", "t-1"},
		{[]string{"CURSOR_AGENT=1", "CURSOR_TRANSCRIPT_PATH=/x/c-1.jsonl"}, "cursor", "c-1"},
		{[]string{"GEMINI_CLI=1", "GEMINI_SESSION_ID=g-1"}, "gemini", "g-1"},
		{[]string{"COPILOT_AGENT_SESSION_ID=o-1"}, "copilot", "o-1"},
		{[]string{"AGENT=goose", "AGENT_SESSION_ID=20260217_5"}, "goose", "20260217_5"},
		{[]string{"CRUSH_SESSION_ID=r-1"}, "crush", "r-1"},
		{[]string{"PI_SESSION_ID=p-1"}, "pi", "p-1"},
		{[]string{"AMP_CURRENT_THREAD_ID=T-1"}, "amp", "T-1"},
		{[]string{"OPENCODE=1"}, "opencode", ""},
		{[]string{"AI_AGENT=droid"}, "droid", ""},
		{nil, "", ""},
	} {
		b.env = slices.Concat(clean, c.env)
		b.ok("call", "zoo", "greet", `{"who":"x"}`)
		if via, agent, session := last(); via != "command" || agent != c.agent || session != c.session {
			t.Errorf("%v: a call is logged via %q, of %q in %q", c.env, via, agent, session)
		}
	}
	b.env = slices.Concat(clean, []string{"PI_SESSION_ID=p-1"})
	b.sh(`.agentctx/mcps/zoo/bin/greet '{"who":"x"}'`)
	if via, agent, session := last(); via != "bin" || agent != "pi" || session != "p-1" {
		t.Errorf("a call by a program is logged via %q, of %q in %q", via, agent, session)
	}
	b.agent().says(false, []string{""}, "call", callOf("zoo", "greet", map[string]any{"who": "x"}))
	if via, agent, session := last(); via != "gateway" || agent != "tester" || session != "p-1" {
		t.Errorf("a call by a gateway is logged via %q, of %q in %q", via, agent, session)
	}
}
