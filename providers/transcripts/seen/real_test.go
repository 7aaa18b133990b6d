package seen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

const sessions = "../../../../shared/data/sessions/"

// formatOf returns how an agent's file is read.
func formatOf(t testing.TB, agent, rel string) history.Format {
	t.Helper()
	for _, a := range agents.All() {
		if a.Name != agent {
			continue
		}
		for _, p := range a.Places(history.Machine{Home: "/home/u", OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }}) {
			if f := p.File(rel); f != nil {
				return f
			}
		}
	}
	t.Fatalf("no reader of %s reads %s", agent, rel)
	return nil
}

// comparing compares what a tracker knows of a file with what the agent has recorded of
// it before an edit.
type comparing struct {
	*sink
	t              testing.TB
	equal, differs int
	unknown        int
	parts, wrong   int
}

func (c *comparing) File(callID string, f event.File) {
	if !f.Before || !f.Whole {
		return
	}
	known := c.tracker.files[f.Path]
	switch {
	case known == nil || len(known.Parts) == 0:
		c.unknown++
	case known.Whole && strings.TrimRight(known.Parts[0].Text, "\n") == strings.TrimRight(lines(f.Text), "\n"):
		c.equal++
	case known.Whole:
		c.differs++
	default:
		for _, p := range known.Parts {
			if contains(lines(f.Text), p.Text) {
				c.parts++
			} else {
				c.wrong++
			}
		}
	}
}

// TestRealSessions: what is found out from the results of reading and from edits alone is
// what Claude Code has recorded of the files before its next edit.
func TestRealSessions(t *testing.T) {
	t.Parallel()
	logs, _ := filepath.Glob(sessions + "claude-code/*.jsonl")
	if len(logs) == 0 {
		t.Skip("no real sessions are here: " + sessions)
	}
	all := &comparing{t: t}
	for _, log := range logs {
		format := formatOf(t, "claude-code", "p/"+filepath.Base(log)).(history.Log)
		tracker := NewTracker("claude-code", "")
		all.sink = &sink{tracker: tracker, known: make(map[uint64]int)}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		r := format.Open(log)
		for line := range strings.Lines(string(text)) {
			r.Record([]byte(strings.TrimRight(line, "\n")), all)
		}
	}
	// The few that differ were changed by other programs meanwhile.
	if all.equal < 150 || all.differs > 1 || all.parts < 160 || all.wrong > 5 {
		t.Errorf("whole files: %d equal, %d differ; pieces: %d there, %d not; unknown: %d", all.equal, all.differs, all.parts, all.wrong, all.unknown)
	}
}

// TestSameTask: the same task by three agents whose logs have all of it. Each has written and edited notes.md.
func TestSameTask(t *testing.T) {
	t.Parallel()
	const notes = "fixture — feature elicitation\nthis file will be edited and searched.\n"
	for agent, rel := range map[string]string{
		"copilot": "0895d7e4-1111-7000-8000-000000000001/events.jsonl", "gemini": "x/chats/session-2026-05-07T18-00-0195d7e4.jsonl", "pi": "--x--/2026-05-12T01-02-27-657Z_0b0e2bd1-1111-4000-8000-000000000001.jsonl",
	} {
		log := sessions + "same-task-per-agent/" + agent + "/convo.jsonl"
		if _, err := os.Stat(log); err != nil {
			t.Skip("no real sessions are here: " + sessions)
		}
		all := readLog(t, agent, rel, log)
		found := false
		for _, s := range all {
			if strings.HasSuffix(s.File, "notes.md") {
				found = true
				if !s.Whole || s.Parts[0].Text != notes || s.Time.IsZero() {
					t.Errorf("%s: %+v", agent, s)
				}
			}
		}
		if !found {
			t.Errorf("%s has not seen notes.md, but %+v", agent, all)
		}
	}
}

// readLog returns what the session in an agent's log has seen.
func readLog(t testing.TB, agent, rel, log string) []fs.Sight {
	t.Helper()
	info, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	var r Reader
	all, err := r.Read(t.Context(), event.Session{Agent: agent, ID: "x", CWD: "/p"}, &source.Source{Path: log, Format: formatOf(t, agent, rel), Stat: source.StatOf(info)})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
