package transcripts

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// partsOf returns the plans of all sessions, by the session's id.
func (f *fixture) partsOf(known func(string) string) map[string]facts.Part[facts.Plan] {
	if known == nil {
		known = func(string) string { return "" }
	}
	all := make(map[string]facts.Part[facts.Plan])
	for part := range f.Facts().Plans(f.t.Context(), known) {
		all[part.Session] = part
	}
	return all
}

// renderAll renders all sessions.
func (f *fixture) renderAll() {
	f.t.Helper()
	f.scanner.First()
	for _, s := range f.catalogue.All() {
		fstest.Must(f.t, f.cache.Current(f.t.Context(), s, false))
	}
}

// lastStates is the last state of each task of Claude Code's log, counted without any
// code of ours: lists that were written whole, and tasks that were created, changed and
// told one by one. Calls that failed, and those of subagents, do not count.
const lastStates = `
reduce (.[] | select(.isSidechain != true) | select((.message.content? | type) == "array") | .message.content[]) as $b ({calls: {}, todos: {}, tasks: {}};
  if $b.type == "tool_use" then .calls[$b.id] = $b
  elif $b.type == "tool_result" and ($b.is_error != true) and (.calls[$b.tool_use_id] != null) then
    .calls[$b.tool_use_id] as $c | ($b.content | if type == "array" then map(.text? // "") | join("\n") else tostring end) as $text
    | if $c.name == "TodoWrite" then reduce $c.input.todos[] as $t (.; .todos[$t.content] = $t.status)
      elif $c.name == "TaskCreate" then .tasks[$text | capture("Task #(?<n>[0-9]+)").n] = {subject: $c.input.subject, status: "pending"}
      elif $c.name == "TaskUpdate" and .tasks[$c.input.taskId] != null and $c.input.status != null then .tasks[$c.input.taskId].status = $c.input.status
      elif $c.name == "TaskList" then reduce ($text | split("\n")[] | capture("^#(?<n>[0-9]+) \\[(?<s>[a-z_]+)\\]")?) as $l (.; .tasks[$l.n].status = $l.s)
      else . end
  else . end)
| ((.todos | to_entries[] | [.value, .key]), (.tasks[] | [.status, .subject])) | join(" ")`

// TestTasksOfRealSessions: the last state of every task of the real sessions is that
// which jq counts in their logs.
func TestTasksOfRealSessions(t *testing.T) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("jq is not installed: it counts the tasks independently")
	}
	data := fstest.Data(t, "sessions")
	f := start(t, realHome(t), offline)
	f.renderAll()
	parts, lists, total := f.partsOf(nil), 0, 0
	logs, err := filepath.Glob(filepath.Join(data, "claude-code", "*.jsonl"))
	fstest.Must(t, err)
	for _, log := range logs {
		out, err := exec.Command(jq, "-r", "-s", lastStates, log).Output()
		fstest.Must(t, err)
		want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		if len(out) == 0 {
			want = nil
		}
		var got []string
		id := strings.TrimSuffix(filepath.Base(log), ".jsonl")
		for _, p := range parts[id].Facts {
			if p.Kind == facts.TaskList {
				lists++
				for _, task := range p.Tasks {
					got = append(got, string(task.State)+" "+task.Text)
					if task.Time.IsZero() {
						t.Errorf("%s: %q has no time", id, task.Text)
					}
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		total += len(got)
		fstest.EqualSlices(t, got, want, "jq counts", id)
	}
	subagents := 0
	for _, p := range parts {
		if p.Subagent {
			if subagents++; len(p.Facts) > 0 {
				t.Errorf("a subagent's: %+v", p)
			}
		}
	}
	if lists < 4 || total < 15 || subagents == 0 {
		t.Errorf("%d lists with %d tasks", lists, total)
	}
	t.Logf("%d lists with %d tasks", lists, total)
}

// TestPlansOfRealSessions: what became of the plans of the real sessions.
func TestPlansOfRealSessions(t *testing.T) {
	f := start(t, realHome(t), offline)
	f.renderAll()
	var got []string
	for _, part := range f.partsOf(nil) {
		for _, p := range part.Facts {
			if p.Kind == facts.Proposal {
				got = append(got, fmt.Sprintf("%s %s: %s, %d bytes, %q", part.Session[:8], p.State, p.Title, len(p.Text), p.Said))
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"0a93878f accepted: `entire reset` Command, 9435 bytes, \"\"", // in a session of its own
		"0a93878f rejected: Evaluation: Interactive Test Coverage for `entire reset`, 12313 bytes, \"are we testing any interactive confirmation in our integration test?\"",
		"38917d7d accepted: Change Telemetry Default to Disabled When Not Set, 1504 bytes, \"\"", // though its call was interrupted
		"38917d7d accepted: Change Telemetry Default to Disabled When Not Set, 1841 bytes, \"\"",
	}
	fstest.EqualSlices(t, got, want)
}
