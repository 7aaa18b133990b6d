package tasks

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/providers/mcp/calls"
)

// options are those of a store in a folder, at a time that the test sets.
func options(dir string, now *time.Time) Options {
	return Options{Dir: dir, Now: func() time.Time { return *now }, Log: slog.New(slog.DiscardHandler), Changed: func(string) {}}
}

// TestTasksOutlive their process: what has ended with its outcome, what has not is
// lost, unless its server can be asked for it.
func TestTasksOutlive(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "tasks"), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := Open(options(dir, &now))
	done := s.Begin(Task{Server: "a", Tool: "t", Since: now})
	lost := s.Begin(Task{Server: "a", Tool: "t", Since: now})
	there := s.Begin(Task{Server: "b", Tool: "t", Since: now, Asked: []string{"q2222"}})
	s.Update(there.ID, func(t *Task) { t.Remote = "r1" })
	result := &calls.Result{Text: []byte("long secret text"), Raw: json.RawMessage(`{"content":[]}`)}
	live := Outcome{Word: calls.OutcomeOK, Result: result}
	s.End(done.ID, Done, "", live, live.Redacted(func(text string) string { return strings.ReplaceAll(text, "secret", "***") }))
	s.End(done.ID, Failed, "again", Outcome{}, Outcome{}) // has no effect
	if o, err := s.Outcome(done.ID); err != nil || string(o.Result.Text) != "long secret text" {
		t.Errorf("%+v, %v", o, err)
	}
	for range 2 { // the second process writes, the third reads that
		s = Open(options(dir, &now))
		if o, err := s.Outcome(done.ID); err != nil || string(o.Result.Text) != "long *** text" || string(o.Result.Raw) != `{"content":[]}` {
			t.Errorf("%+v, %v", o, err)
		}
		if is, err := s.Find(lost.ID); err != nil || is.State != Lost || is.Cancel != "" {
			t.Errorf("%+v, %v", is, err)
		}
		if o, err := s.Outcome(lost.ID); err != nil || o.Word != calls.OutcomeLost || o.Result != nil {
			t.Errorf("%+v, %v", o, err)
		}
		if is, err := s.Find("q2222"); err != nil || is.ID != there.ID || is.State != Working || is.Remote != "r1" {
			t.Errorf("%+v, %v", is, err)
		}
		if all := s.List("a"); len(all) != 2 {
			t.Errorf("%+v", all)
		}
	}
	info, err := os.Stat(filepath.Join(dir, done.ID+".outcome.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	o := options(dir, &now)
	o.ReadOnly = true
	if len(Open(o).List("")) != 3 {
		t.Error("another process sees other tasks")
	}
}

// TestOldTasks are removed, and so are the oldest of too many.
func TestOldTasks(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "tasks"), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := Open(options(dir, &now))
	var first string
	for i := range maxTasks + 20 {
		task := s.Begin(Task{Server: "a", Since: now.Add(time.Duration(i) * time.Second)})
		if i == 0 {
			first = task.ID
		}
		s.End(task.ID, Done, "", Outcome{Word: "ok"}, Outcome{Word: "ok"})
	}
	if all := s.List(""); len(all) != maxTasks {
		t.Errorf("%d tasks", len(all))
	}
	if _, err := s.Find(first); err == nil {
		t.Error("the oldest is still there")
	}
	now = now.Add(maxAge + time.Hour)
	s.Begin(Task{Server: "a", Since: now})
	if all := s.List(""); len(all) != 1 {
		t.Errorf("%d tasks", len(all))
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
}

// TestTasksThatCannotBeWritten go on in memory.
func TestTasksThatCannotBeWritten(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "tasks"), time.Now()
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(options(dir, &now))
	task := s.Begin(Task{Server: "a"})
	big := &calls.Result{Text: []byte("x"), Raw: json.RawMessage(`"` + strings.Repeat("x", maxRaw+maxMemory) + `"`)}
	s.End(task.ID, Done, "", Outcome{Word: "ok", Result: big}, Outcome{Word: "ok", Result: big})
	if o, err := s.Outcome(task.ID); err != nil || string(o.Result.Text) != "x" || o.Result.Raw != nil || !strings.Contains(o.Result.Fault, "was not kept whole") {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestDigest(t *testing.T) {
	if a, b := Digest(json.RawMessage(`{"a":1,"b":"x"}`)), Digest(json.RawMessage(` {"b":"\u0078", "a":1}`)); a == "" || a != b {
		t.Error(a, b)
	}
}
