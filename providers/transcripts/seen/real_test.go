package seen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

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
	logs, _ := filepath.Glob(fstest.Data(t, "sessions/claude-code") + "/*.jsonl")
	all := &comparing{t: t}
	for _, log := range logs {
		format := formatOf(t, "claude-code", "p/"+filepath.Base(log)).(history.Log)
		tracker := NewTracker("claude-code", "")
		all.sink = &sink{tracker: tracker, known: make(map[uint64]int)}
		text, err := os.ReadFile(log)
		fstest.Must(t, err)
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
		log := fstest.Data(t, "sessions/same-task-per-agent", agent, "convo.jsonl")
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

// TestSameTaskInDatabases: the same task by Cursor and opencode, from exports of their
// databases.
func TestSameTaskInDatabases(t *testing.T) {
	t.Parallel()
	read := func(agent string, into any) {
		t.Helper()
		text, err := os.ReadFile(fstest.Data(t, "sessions/same-task-per-agent", agent, "convo.json"))
		if err != nil {
			t.Skip(err)
		}
		fstest.Must(t, json.Unmarshal(text, into))
	}
	check := func(agent string, all []facts.Read) {
		t.Helper()
		var texts []string
		for _, s := range all {
			if strings.HasSuffix(s.File, "/notes.md") && s.Whole {
				texts = append(texts, s.Parts[0].Text)
			}
		}
		if len(texts) != 1 || texts[0] != "fixture — feature elicitation\nthis file will be edited and searched.\n" {
			t.Errorf("%s: %q of %+v", agent, texts, all)
		}
	}

	var export struct {
		Messages []struct {
			Parts []struct {
				Type, Tool, CallID string
				State              struct {
					Status, Output string
					Input          json.RawMessage
				}
			}
		}
	}
	read("opencode", &export)
	tracker := NewTracker("opencode", "/p")
	for _, m := range export.Messages {
		for _, p := range m.Parts {
			if p.Type == "tool" {
				tracker.Add(&event.Event{Kind: event.ToolCall, Call: &event.Call{ID: p.CallID, Name: p.Tool, Input: string(p.State.Input)}})
				tracker.Add(&event.Event{Kind: event.ToolResult, Result: &event.Result{CallID: p.CallID, Text: p.State.Output, Error: p.State.Status == "error"}})
			}
		}
	}
	check("opencode", tracker.Reads())

	var dump struct {
		Data     json.RawMessage
		Bubbles  []json.RawMessage
		Contents map[string]string `json:"content_blobs"`
	}
	read("cursor", &dump)
	path := filepath.Join(t.TempDir(), "state.vscdb")
	db := historytest.MakeDatabase(t, path, "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
	id := lazyjson.Parse(dump.Data).Get("composerId").Str
	put := func(key, value string) {
		historytest.Execute(t, db, "INSERT INTO cursorDiskKV VALUES (?, ?)", key, value)
	}
	put("composerData:"+id, string(dump.Data))
	for _, b := range dump.Bubbles {
		put("bubbleId:"+id+":"+lazyjson.Parse(b).Get("bubbleId").Str, string(b))
	}
	for sum, text := range dump.Contents {
		put("composer.content."+sum, text)
	}
	var r Reader
	all, err := r.Read(t.Context(), event.Session{Agent: "cursor", ID: id}, &source.Source{Path: path, Key: id, Format: formatOf(t, "cursor", "state.vscdb")})
	fstest.Must(t, err)
	check("cursor", all)
}

// TestCodexLog: a log in the form of Codex 0.120, whose reading is by shell and whose
// editing is by patches.
func TestCodexLog(t *testing.T) {
	t.Parallel()
	item := func(n int, payload string) string {
		return fmt.Sprintf(`{"timestamp":"2026-05-07T18:00:%02d.500Z","type":"response_item","payload":%s}`, n, payload)
	}
	log := filepath.Join(t.TempDir(), "rollout-2026-05-07T18-00-00-0195d7e4-1111-7000-8000-000000000001.jsonl")
	text := strings.Join([]string{
		`{"timestamp":"2026-05-07T18:00:00.000Z","type":"session_meta","payload":{"id":"0195d7e4-1111-7000-8000-000000000001","cwd":"/p","cli_version":"0.120.0"}}`,
		item(1, `{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cat a.txt\",\"workdir\":\"/p/sub\"}","call_id":"c1"}`),
		item(2, `{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 7aa77b\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token count: 5\nOutput:\none\ntwo\n"}`),
		item(3, `{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: sub/a.txt\n@@\n one\n-two\n+zwei\n*** Add File: b.txt\n+x\n*** End Patch","call_id":"c2","status":"completed"}`),
		item(4, `{"type":"custom_tool_call_output","call_id":"c2","output":"{\"output\":\"Success. Updated the following files:\\nA b.txt\\nM sub/a.txt\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.0}}"}`),
		item(5, `{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cat gone.txt\"}","call_id":"c3"}`),
		item(6, `{"type":"function_call_output","call_id":"c3","output":"Chunk ID: 8aa77b\nWall time: 0.0000 seconds\nProcess exited with code 1\nOriginal token count: 5\nOutput:\ncat: gone.txt: No such file or directory\n"}`),
	}, "\n") + "\n"
	fstest.Must(t, os.WriteFile(log, []byte(text), 0o600))
	all := readLog(t, "codex", "2026/05/07/"+filepath.Base(log), log)
	fstest.Equal(t, strings.Join(shown(all), "; "), "/p/b.txt whole x|; /p/sub/a.txt whole one|zwei|")
	if at := all[1].Time; !at.Equal(time.Date(2026, 5, 7, 18, 0, 4, 500e6, time.UTC)) {
		t.Errorf("seen at %v", at)
	}
}

// readLog returns what the session in an agent's log has seen.
func readLog(t testing.TB, agent, rel, log string) []facts.Read {
	t.Helper()
	info, err := os.Stat(log)
	fstest.Must(t, err)
	var r Reader
	all, err := r.Read(t.Context(), event.Session{Agent: agent, ID: "x", CWD: "/p"}, &source.Source{Path: log, Format: formatOf(t, agent, rel), Stat: source.StatOf(info)})
	fstest.Must(t, err)
	return all
}
