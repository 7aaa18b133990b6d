package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"
)

// story makes the events of a session of calls, each with its result.
type story struct {
	events []event.Event
}

func (s *story) add(e event.Event) {
	e.Seq = len(s.events) + 1
	e.Time = at(e.Seq % 60)
	s.events = append(s.events, e)
}

func (s *story) user(text string)      { s.add(event.Event{Kind: event.User, Text: text}) }
func (s *story) assistant(text string) { s.add(event.Event{Kind: event.Assistant, Text: text}) }

func (s *story) call(tool, input, result string, failed bool) {
	id := fmt.Sprint("call_", len(s.events))
	s.add(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: id, Name: tool, Input: input}})
	s.add(event.Event{Kind: event.ToolResult, Result: &event.Result{CallID: id, Name: tool, Text: result, Error: failed}})
}

func (s *story) summary(cwd string) *Summary {
	sum := &Summary{CWD: cwd}
	for i := range s.events {
		sum.Add(&s.events[i])
	}
	return sum
}

func shopStory() *story {
	var s story
	s.add(event.Event{Kind: event.User, Origin: event.Injected, Text: "<system-reminder>be brief</system-reminder>"})
	s.user("Mend the till: it shows zeros.\nThe tests are in till_test.go.")
	s.call("Read", `{"file_path":"/home/u/shop/till.go"}`, "package shop", false)
	s.call("Read", `{"file_path":"/home/u/shop/gone.go"}`, "File does not exist.", true)
	s.call("TodoWrite", `{"todos":[{"content":"find the zeros","status":"completed"},{"content":"write a test","status":"pending"},{"content":"mend them","status":"in_progress"}]}`, "ok", false)
	s.call("Bash", `{"command":"cd /home/u/shop && go test ./...","description":"test"}`, "Exit code 1\n# shop\ntill.go:7: undefined: sum", true)
	s.call("Edit", `{"file_path":"/home/u/shop/till.go","old_string":"a","new_string":"b"}`, "done", false)
	s.call("Bash", `{"command":"cd /home/u/shop && go test ."}`, "ok shop", false)
	s.assistant("The till adds now.")
	s.add(event.Event{Kind: event.User, Origin: event.Queued, Text: "And the sign?"})
	s.add(event.Event{Kind: event.Compaction, Compact: &event.Compact{Trigger: "auto", Tokens: 155000}})
	s.add(event.Event{Kind: event.User, Origin: event.Injected, Text: "This session is being continued"})
	s.call("apply_patch", "*** Begin Patch\n*** Update File: sign.go\n@@\n-a\n+b\n*** Add File: /etc/sign\n+x\n*** End Patch", "Done!", false)
	s.call("Write", `{"file_path":"/home/u/shop/refused.go","content":"x"}`, "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nnot there", true)
	s.assistant("The sign is next.")
	s.add(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: "open", Name: "Bash", Input: `{"command":"sleep 60"}`}})
	return &s
}

func TestDigestAndFiles(t *testing.T) {
	sum := shopStory().summary("/home/u/shop")
	session := event.Session{Agent: "claude-code", ID: "08940314-9e93-46b1-a598-06bada65ed55", CWD: "/home/u/shop", Title: "Till", Start: at(1), Last: at(30), Model: "opus"}
	golden(t, "digest.md", sum.Digest(session, 2000, nil))
	golden(t, "files.tsv", sum.Files())
}

// TestSummaryIsBounded adds more of everything than fits, and saves and
// restores it on the way.
func TestSummaryIsBounded(t *testing.T) {
	var s story
	for i := range 3000 {
		s.user(fmt.Sprintf("message %d %s", i, strings.Repeat("word ", 300)))
		s.assistant(strings.Repeat("answer ", 300))
		s.call(fmt.Sprintf("tool%d", i), `{"query":"`+strings.Repeat("q", 500)+`"}`, strings.Repeat("error ", 100), i%2 == 0)
		s.call("Edit", fmt.Sprintf(`{"file_path":"/home/u/%s/%d.go"}`, strings.Repeat("folder/", 10), i), "", false)
		s.call("TaskCreate", fmt.Sprintf(`{"subject":"task %d"}`, i), fmt.Sprintf("Task #%d created successfully", i+1), false)
	}
	sum := &Summary{}
	for i := range s.events {
		sum.Add(&s.events[i])
		if i%1000 == 0 || i == len(s.events)-1 {
			saved, err := json.Marshal(sum)
			if err != nil || len(saved) > maxFileList+80<<10 {
				t.Fatal(len(saved), err)
			}
			sum = &Summary{}
			fstest.Must(t, json.Unmarshal(saved, sum))
		}
	}
	fstest.Equal(t, len(sum.Said.Notes)+sum.Said.Left, 3000, "messages")
	fstest.Equal(t, len(sum.Paths.List)+sum.Paths.Left, 3000, "files")
	fstest.Equal(t, len(sum.Tasks.List)+sum.Tasks.Left, 3000, "tasks")
	for _, budget := range []int{500, 1000, 2000} {
		words := func(text string) int { return len(text) / 4 }
		digest := sum.Digest(event.Session{ID: "s"}, budget, words)
		if words(string(digest)) > budget && budget > 500 || !bytes.Contains(digest, []byte("\n## Current work\n")) {
			t.Errorf("%d of %d:\n%s", words(string(digest)), budget, digest)
		}
	}
}

func TestFilesOfEachTool(t *testing.T) {
	for _, c := range []struct{ tool, input, want string }{
		{"Read", `{"file_path":"a"}`, "r a"},
		{"read", `{"filePath":"/p/a"}`, "r a"},
		{"read_file", `{"absolute_path":"/x/../y"}`, "r /y"},
		{"str_replace_editor", `{"command":"view","path":"a"}`, "r a"},
		{"str_replace_editor", `{"command":"create","path":"a"}`, "w a"},
		{"str_replace_editor", `{"path":"a"}`, ""},
		{"replace_in_file", `{"path":"a b"}`, "w a b"},
		{"multi_replace_string_in_file", `{"replacements":[{"filePath":"a"},{"filePath":"b"}]}`, "w a,w b"},
		{"NotebookEdit", `{"notebook_path":"n.ipynb"}`, "w n.ipynb"},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Delete File: a\n*** End Patch"]}`, "w a"},
		{"shell", `{"command":["bash","-lc","cat a"]}`, "r a"},
		{"exec_command", `{"cmd":"sed -n '1,200p' src/a.go","workdir":"/p/sub"}`, "r sub/src/a.go"},
		{"Bash", `{"command":"cd /p/x && head -n 20 'a b'"}`, "r x/a b"},
		{"Bash", `{"command":"cat a | wc -l"}`, ""},
		{"Bash", `{"command":"cat a b"}`, ""},
		{"Bash", `{"command":"nl -ba a | sed -n '10,20p'"}`, "r a"},
		{"Bash", `{"command":"cat a | cat"}`, "r a"},
		{"Bash", `{"command":"cat a | sed -n '10,20p' | wc"}`, ""},
		{"Bash", `{"command":"cat a | sh"}`, ""},
		{"Bash", `{"command":"cat a | head b"}`, ""},
		{"Bash", `{"command":"cat $X"}`, ""},
		{"Bash", `{"command":"cat a > b"}`, ""},
		{"Bash", `{"command":"tail -f a"}`, ""},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch"}`, "w a,w b"},
		{"read_file", `{"absolutePath":"/p/a"}`, "r a"},
		{"StrReplace", `{"path":"a","old_string":"x","new_string":"y"}`, "w a"},
		{"MultiStrReplace", `{"filePath":"a"}`, "w a"},
		{"Write", `{"path":"a","contents":"x"}`, "w a"},
		{"Delete", `{"path":"a"}`, "w a"},
		{"MultiEdit", `{"file_path":"a","edits":[]}`, "w a"},
		{"edit_file_v2", `{"relativeWorkspacePath":"a"}`, "w a"},
		{"EditNotebook", `{"target_notebook":"a.ipynb"}`, "w a.ipynb"},
		{"ApplyPatch", "*** Begin Patch\n*** Update File: a\n*** End Patch", "w a"},
		{"multi_edit", `{"edits":[{"path":"a"},{"path":"b"}]}`, "w a,w b"},
		{"Read", `{"file_path":7}`, ""},
		{"Read", `nonsense`, ""},
		{"Grep", `{"path":"a"}`, ""},
		{"Read", `{"file_path":"C:\\a"}`, `r C:\a`},
	} {
		var s story
		s.call(c.tool, c.input, "", false)
		var got []string
		for _, f := range s.summary("/p").Paths.List {
			how := reads
			if f.Writes > 0 {
				how = writes
			}
			got = append(got, how+" "+f.Path)
		}
		fstest.Equal(t, strings.Join(got, ","), c.want, c.tool, c.input, got)
	}
}

// TestFilesWithoutResults is of agents that keep no results: calls count.
func TestFilesWithoutResults(t *testing.T) {
	sum := &Summary{CWD: "/p"}
	for i := range 40 {
		sum.Add(&event.Event{Seq: i + 1, Kind: event.ToolCall, Call: &event.Call{Name: "Read", Input: fmt.Sprintf(`{"file_path":"f%02d"}`, i)}})
	}
	fstest.Equal(t, bytes.Count(sum.Files(), []byte("\t1\t0\tRead\t-\n")), 40, "files", sum.Files())
}

func TestTasks(t *testing.T) {
	for _, c := range []struct{ tool, input, want string }{
		{"update_plan", `{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"}]}`, "a completed,b in_progress"},
		{"todowrite", `{"todos":[{"id":"1","content":"a","status":"cancelled"}]}`, "a cancelled"},
		{"write_todos", `{"todos":[{"description":"a","status":"pending"}]}`, "a pending"},
		{"update_todo_list", `{"todos":"[x] a\n[-] b\n[ ] c"}`, "a completed,b in_progress,c pending"},
		{"execute_command", `{"command":"ls","task_progress":"- [x] a\n- [ ] b"}`, "a completed,b pending"},
		{"manage_todo_list", `{"todoList":[{"id":1,"title":"a","status":"in-progress"}]}`, "a in_progress"},
		{"TaskUpdate", `{"taskId":"9","status":"completed"}`, ""},
	} {
		var s story
		s.call(c.tool, c.input, "", false)
		var got []string
		for _, task := range s.summary("").Tasks.List {
			got = append(got, task.Text+" "+task.Status)
		}
		fstest.Equal(t, strings.Join(got, ","), c.want, c.tool, c.input, got)
	}
	var s story
	s.call("TaskCreate", `{"subject":"a"}`, "Task #7 created successfully: a", false)
	s.call("TaskUpdate", `{"taskId":"7","status":"in_progress"}`, "ok", false)
	if got := s.summary("").Tasks.List; len(got) != 1 || got[0].Status != "in_progress" || got[0].Seq != 3 {
		t.Errorf("%+v", got)
	}
}

func FuzzSummary(f *testing.F) {
	f.Add("Edit", `{"file_path":"a"}`, "Task #x", "text", true)
	f.Add("apply_patch", "*** Update File: \n*** Add File: \xff", "", "=====[", false)
	f.Add("TodoWrite", `{"todos":[1,{"content":2,"status":[]}]}`, "", "", false)
	f.Add("Bash", `{"command":["sh","-c"," = && cd && / "]}`, "<tool_use_error>", "\x1b[", true)
	f.Fuzz(func(t *testing.T, tool, input, result, text string, failed bool) {
		var s story
		s.user(text)
		s.call(tool, input, result, failed)
		s.add(event.Event{Kind: event.Fork, Text: text})
		s.call(tool, input, result, !failed)
		s.user(input)
		sum := s.summary(text)
		digest, files := sum.Digest(event.Session{ID: text, CWD: text, Title: tool}, 2000, nil), sum.Files()
		fstest.Equal(t, bytes.Count(digest, []byte("\n## ")), 9, "parts", digest)
		for line := range bytes.Lines(files) {
			fstest.Equal(t, bytes.Count(line, []byte("\t")), 6, line)
		}
	})
}
