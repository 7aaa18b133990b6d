package transcripts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
)

// env is an environment.
func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		what string
		env  []string
		want string // variables
	}{
		{"nothing", nil, ""},
		{"one", []string{"CODEX_THREAD_ID", oneID}, "CODEX_THREAD_ID"},
		{"empty", []string{"CODEX_THREAD_ID", ""}, ""},
		{"an agent in an agent", []string{"CLAUDE_CODE_SESSION_ID", oneID, "PI_SESSION_ID", twoID}, "CLAUDE_CODE_SESSION_ID PI_SESSION_ID"},
		{"Goose", []string{"AGENT", "goose", "AGENT_SESSION_ID", "20260217_5"}, "AGENT_SESSION_ID"},
		{"somebody else's", []string{"AGENT_SESSION_ID", "20260217_5"}, ""},
	} {
		var got []string
		for _, claim := range agents.Claims(env(c.env...)) {
			if claim.Agent == "" || claim.Session == "" {
				t.Errorf("%s: %+v", c.what, claim)
			}
			got = append(got, claim.Variable)
		}
		fstest.Equal(t, strings.Join(got, " "), c.want, c.what, got)
	}
}

// touched sets when a log was written to, in minutes after some time.
func (s *pi) touched(minutes int) {
	s.t.Helper()
	at := time.Date(2026, 5, 12, 2, minutes, 0, 0, time.UTC)
	fstest.Must(s.t, os.Chtimes(s.path, at, at))
}

// threeSessions are one and two in the folder work, and a third in another.
func threeSessions(t *testing.T, home string) (one, two, three *pi) {
	t.Helper()
	one, two = piSession(t, home, oneID), piSession(t, home, twoID)
	three = &pi{t: t, id: "11111111-9999-4333-8444-555555555555", path: filepath.Join(home, ".pi/agent/sessions/--other--/2026-05-12T01-02-27-657Z_11111111-9999-4333-8444-555555555555.jsonl")}
	fstest.Must(t, os.MkdirAll(filepath.Dir(three.path), 0o755))
	three.raw(`{"type":"session","version":3,"id":"` + three.id + `","timestamp":"2026-05-12T01:02:27.657Z","cwd":"/other/place"}` + "\n")
	for i, s := range []*pi{one, two, three} {
		s.user("question of " + s.id)
		s.touched(i)
	}
	return one, two, three
}

func TestSession(t *testing.T) {
	home := tempHome(t)
	one, two, three := threeSessions(t, home)
	link := filepath.Join(home, "link.jsonl")
	fstest.Must(t, os.Symlink(two.path, link))
	f := start(t, home, offline)
	work := filepath.Join(home, "work")
	folder := "pi/work/2026-05-12_question-of-" + oneID + "_11111111"
	for _, c := range []struct {
		what   string
		wanted Wanted
		id, by string
		fault  []string // words
	}{
		{what: "an id", wanted: Wanted{Session: oneID}, id: one.id, by: ByName},
		{what: "its beginning", wanted: Wanted{Session: "aaaaaaaa"}, id: two.id, by: ByName},
		{what: "a beginning of two", wanted: Wanted{Session: "11111111"}, fault: []string{"2 sessions are 11111111", oneID, three.id, "pi/work/"}},
		{what: "nobody's", wanted: Wanted{Session: "zz top"}, fault: []string{"no session is 'zz top'", "ctxfs history --all"}},
		{what: "a log", wanted: Wanted{Session: "x.jsonl", Files: []string{one.path}}, id: one.id, by: ByName},
		{what: "a link to a log", wanted: Wanted{Session: link, Files: []string{link, two.path}}, id: two.id, by: ByName},
		{what: "a transcript", wanted: Wanted{Session: "x", Tree: folder + "/transcript.md"}, id: one.id, by: ByName},
		{what: "a folder", wanted: Wanted{Session: "x", Tree: folder}, id: one.id, by: ByName},
		{what: "a former name", wanted: Wanted{Session: "x", Tree: "pi/work/2026-05-12_11111111/digest.md"}, id: one.id, by: ByName},
		{what: "by-id", wanted: Wanted{Session: "x", Tree: "by-id/" + twoID + "/transcript.md"}, id: two.id, by: ByName},
		{what: "no session's folder", wanted: Wanted{Session: "transcripts/pi/work", Tree: "pi/work"}, fault: []string{"no session is"}},
		{what: "no subagent", wanted: Wanted{Session: "x", Tree: folder + "/subagents/a/digest.md"}, fault: []string{"no session is"}},

		{what: "the environment", wanted: Wanted{Claims: []agents.Claim{{Variable: "PI_SESSION_ID", Agent: "pi", Session: oneID}}, Folders: [][]string{{work}}}, id: one.id, by: ByEnvironment},
		{what: "an agent in an agent", wanted: Wanted{Claims: []agents.Claim{{Variable: "PI_SESSION_ID", Agent: "pi", Session: oneID}, {Variable: "X", Agent: "pi", Session: three.id}, {Variable: "Y", Agent: "codex", Session: twoID}}}, id: three.id, by: ByEnvironment},
		{what: "another agent's", wanted: Wanted{Claims: []agents.Claim{{Variable: "CODEX_THREAD_ID", Agent: "codex", Session: oneID}}, Folders: [][]string{{work}}},
			fault: []string{"there is no log of the session of codex that CODEX_THREAD_ID names, " + oneID, "--all"}},
		{what: "a path in the environment", wanted: Wanted{Claims: []agents.Claim{{Variable: "CURSOR_TRANSCRIPT_PATH", Agent: "pi", Session: two.path}}}, id: two.id, by: ByEnvironment},
		{what: "a path that is none of ours", wanted: Wanted{Claims: []agents.Claim{{Variable: "CURSOR_TRANSCRIPT_PATH", Agent: "pi", Session: "/elsewhere/" + oneID + ".jsonl"}}}, id: one.id, by: ByEnvironment},

		{what: "the folder", wanted: Wanted{Folders: [][]string{{work}}}, id: two.id, by: ByFolder},
		{what: "a folder above", wanted: Wanted{Folders: [][]string{{work + "/a/b"}, {work + "/a"}, {"/x", work}, {home}}}, id: two.id, by: ByFolder},
		{what: "the nearest folder", wanted: Wanted{Folders: [][]string{{"/other/place"}, {work}}}, id: three.id, by: ByFolder},
		{what: "no folder", wanted: Wanted{Folders: [][]string{{"/a/b"}, {"/a"}}}, fault: []string{"no agent says which session this is", "/a/b or above it, up to /a", "CODEX_THREAD_ID"}},
	} {
		k, err := f.Session(t.Context(), c.wanted)
		if len(c.fault) > 0 {
			var unclear *UnclearError
			if !errors.As(err, &unclear) {
				t.Errorf("%s: %+v, %v", c.what, k, err)
				continue
			}
			for _, words := range c.fault {
				if !strings.Contains(unclear.What+"\n"+unclear.Mend, words) {
					t.Errorf("%s: no %q in %s\n%s", c.what, words, unclear.What, unclear.Mend)
				}
			}
			continue
		}
		if err != nil || k.ID != c.id || k.By != c.by {
			t.Errorf("%s: %+v, %v", c.what, k, err)
		}
	}

	k, err := f.Session(t.Context(), Wanted{Folders: [][]string{{work}}})
	fstest.Must(t, err)
	if k.Agent != "pi" || k.CWD != work || k.Log != two.path || k.Others != 1 || k.Events != nil || k.Title != "question of "+twoID ||
		!k.Last.Equal(time.Date(2026, 5, 12, 2, 1, 0, 0, time.UTC)) || !strings.HasPrefix(k.Path, "pi/work/2026-05-12_") {
		t.Errorf("before it is rendered: %+v", k)
	}
	f.transcript(twoID)
	if k, err = f.Session(t.Context(), Wanted{Session: twoID}); err != nil || k.Events == nil || *k.Events != 2 ||
		!k.Last.Equal(time.Date(2026, 5, 12, 1, 3, 1, 0, time.UTC)) {
		t.Errorf("after it is rendered: %+v, %v", k, err)
	}
}

func TestSessions(t *testing.T) {
	home := tempHome(t)
	threeSessions(t, home)
	f := start(t, home, offline)
	for _, c := range []struct {
		below []string
		want  string // first two letters of ids
	}{
		{nil, "11 aa 11"},
		{[]string{home}, "aa 11"},
		{[]string{"/nowhere", filepath.Join(home, "work")}, "aa 11"},
		{[]string{filepath.Join(home, "wor")}, ""},
		{[]string{"/other"}, "11"},
	} {
		all, err := f.Sessions(t.Context(), c.below)
		fstest.Must(t, err)
		var got []string
		for _, k := range all {
			got = append(got, k.ID[:2])
		}
		fstest.Equal(t, strings.Join(got, " "), c.want, "below", c.below, got)
	}
}

// TestASubagentIsNotItsOwnSession: the folder alone names the session that started it.
func TestASubagentIsNotItsOwnSession(t *testing.T) {
	home := tempHome(t)
	work := filepath.Join(home, "work")
	dir := filepath.Join(home, ".claude/projects/-work")
	record := func(path, agent, text string) {
		t.Helper()
		full := filepath.Join(dir, path)
		fstest.Must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		line := `{"type":"user","uuid":"u-` + text + `","parentUuid":null,"timestamp":"2026-05-12T01:02:27Z","sessionId":"` + oneID + `","cwd":"` + work + `"` + agent +
			`,"message":{"role":"user","content":"` + text + `"}}` + "\n"
		fstest.Must(t, os.WriteFile(full, []byte(line), 0o644))
	}
	record(oneID+".jsonl", "", "parent")
	record(oneID+"/subagents/agent-abc123.jsonl", `,"isSidechain":true,"agentId":"abc123"`, "child")
	f := start(t, home, offline)
	k, err := f.Session(t.Context(), Wanted{Folders: [][]string{{work}}})
	if err != nil || k.ID != oneID || k.Others != 0 {
		t.Errorf("by the folder: %+v, %v", k, err)
	}
	child, err := f.Session(t.Context(), Wanted{Session: "agent-abc"})
	if err != nil || child.Parent != oneID || !strings.HasPrefix(child.Path, k.Path+"/subagents/") {
		t.Fatalf("by its id: %+v, %v", child, err)
	}
	if again, err := f.Session(t.Context(), Wanted{Session: "x", Tree: child.Path + "/transcript.md"}); err != nil || again.ID != child.ID {
		t.Errorf("by its path: %+v, %v", again, err)
	}
	all, err := f.Sessions(t.Context(), nil)
	if err != nil || len(all) != 1 {
		t.Errorf("in the list: %+v, %v", all, err)
	}
}

// TestSessionsBeforeTheStart: a process that only a call has started does nothing
// by itself, and yet finds the sessions that it is asked for.
func TestSessionsBeforeTheStart(t *testing.T) {
	home := t.TempDir()
	threeSessions(t, home)
	var opts Options
	start(t, home, func(o *Options) { o.Watch = false; opts = *o })
	opts.Watch = true
	p := New(opts)
	t.Cleanup(func() { fstest.Must(t, p.Close()) })
	fstest.Must(t, p.scanner.Wait(t.Context()))
	if all, err := p.Sessions(t.Context(), nil); err != nil || len(all) != 3 {
		t.Errorf("sessions: %v, %v", all, err)
	}
}
