package plans

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// session is a transcript that is written call by call, by the code that writes them.
type session struct {
	t     render.Transcript
	text  []byte
	n     int
	whole map[string]string
}

func (s *session) add(e event.Event) {
	s.n++
	e.Seq, e.Time = s.n, time.Date(2026, 5, 12, 1, 0, s.n, 0, time.UTC)
	var folded render.Folded
	if s.text, folded = s.t.Append(s.text, &e); folded.Name != "" {
		if s.whole == nil {
			s.whole = make(map[string]string)
		}
		s.whole[folded.Name] = string(render.ResultText(&e))
	}
}

func (s *session) call(tool, input, result string) {
	s.ask(tool, input)
	s.answer(tool, result, strings.HasPrefix(result, "error: "))
}

func (s *session) ask(tool, input string) {
	s.add(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: fmt.Sprintf("call_%08d", s.n+1), Name: tool, Input: input}})
}

// answer is the result of the call before it.
func (s *session) answer(tool, result string, failed bool) {
	s.add(event.Event{Kind: event.ToolResult, Result: &event.Result{CallID: fmt.Sprintf("call_%08d", s.n), Name: tool, Text: strings.TrimPrefix(result, "error: "), Error: failed}})
}

func (s *session) say(kind event.Kind, text string) { s.add(event.Event{Kind: kind, Text: text}) }

func (s *session) read(t *testing.T) []facts.Plan {
	t.Helper()
	all, _, err := Read(Source{Transcript: strings.NewReader("# head\n\n" + string(s.text)), Whole: func(name string) (string, error) {
		if text, ok := s.whole[name]; ok {
			return text, nil
		}
		return "", errors.New("no " + name)
	}})
	fstest.Must(t, err)
	return all
}

// tasks is the list as "state text", a dropped task in brackets.
func tasks(all []facts.Plan) string {
	var lines []string
	for _, p := range all {
		for _, task := range p.Tasks {
			line := string(task.State) + " " + task.Text
			if task.Dropped {
				line = "(" + line + ")"
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ", ")
}

// TestLists: the list of every agent is read, in the form that its tool has.
func TestLists(t *testing.T) {
	type call struct{ tool, input, result string }
	const twenty = `, and a text that makes this list longer than what is written on one line beside its name`
	for _, c := range []struct {
		name  string
		calls []call
		want  string
	}{
		{"Claude Code", []call{
			{"TodoWrite", `{"todos":[{"content":"Fix: the parser` + twenty + `","status":"pending","activeForm":"Fixing"},{"content":"- [x] odd","status":"pending","activeForm":"x"}]}`, "ok"},
			{"TodoWrite", `{"todos":[{"content":"Fix: the parser` + twenty + `","status":"completed","activeForm":"Fixing"},{"content":"- [x] odd","status":"in_progress","activeForm":"x"}]}`, "ok"},
		}, "completed Fix: the parser" + twenty + ", in_progress - [x] odd"},
		{"one that failed", []call{
			{"TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`, "ok"},
			{"TodoWrite", `{"todos":[{"content":"a","status":"completed"}]}`, "error: no"},
		}, "pending a"},
		{"a list that is another", []call{
			{"TodoWrite", `{"todos":[{"content":"a","status":"pending"},{"content":"b","status":"completed"}]}`, "ok"},
			{"TodoWrite", `{"todos":[{"content":"c","status":"pending"}]}`, "ok"},
		}, "pending c, (pending a), (completed b)"},
		{"other words for a task", []call{
			{"todowrite", `{"todos":[{"content":"a","status":"pending","id":"1"},{"content":"b","status":"pending","id":"2"}]}`, "ok"},
			{"todowrite", `{"todos":[{"content":"a","status":"completed","id":"1"},{"content":"b, too","status":"pending","id":"2"}]}`, "ok"},
		}, "completed a, pending b, too"},
		{"one by one", []call{
			{"TaskCreate", `{"subject":"a","description":"a, in full"}`, "Task #3 created successfully: a"},
			{"TaskCreate", `{"subject":"b","description":"x"}`, "Task #4 created successfully: b"},
			{"TaskUpdate", `{"taskId":"3","status":"in_progress","description":"other words"}`, "Updated task #3 status"},
			{"TaskUpdate", `{"taskId":"4","status":"completed"}`, "error: Task not found"},
			{"TaskList", `{}`, "#3 [completed] a\n#4 [in_progress] b\n#5 [pending] c (blocked by #4)"},
			{"TaskUpdate", `{"taskId":"9","status":"completed"}`, "Updated"},
		}, "completed a, in_progress b, pending c (blocked by #4)"},
		{"a list that was deleted", []call{
			{"TaskCreate", `{"subject":"a"}`, "Task #1 created successfully: a"},
			{"TaskList", `{}`, "No tasks found"},
			{"TaskCreate", `{"subject":"b"}`, "Task #1 created successfully: b"},
		}, "pending b, (pending a)"},
		{"Codex", []call{
			{"update_plan", `{"explanation":"why","plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"},{"step":"c","status":"pending"}]}`, "Plan updated"},
		}, "completed a, in_progress b, pending c"},
		{"Gemini", []call{{"write_todos", `{"todos":[{"description":"a","status":"cancelled"},{"description":"b","status":"pending"}]}`, "ok"}}, "cancelled a, pending b"},
		{"Cursor", []call{
			{"todo_write", `{"merge":false,"todos":[{"id":"1","content":"a","status":"TODO"},{"id":"2","content":"b","status":"pending"}]}`, "ok"},
			{"todo_write", `{"merge":true,"todos":[{"id":"2","status":"completed"},{"id":"3","content":"c","status":"pending"}]}`, "ok"},
		}, "pending a, completed b, pending c"},
		{"VS Code", []call{{"manage_todo_list", `{"todoList":[{"id":1,"title":"a","description":"x","status":"not-started"},{"id":2,"title":"b","description":"","status":"in-progress"}]}`, "ok"}}, "pending a, in_progress b"},
		{"Copilot", []call{{"update_todo", `{"todos":"- [x] a\n- [ ] b"}`, "ok"}}, "completed a, pending b"},
		{"Cline", []call{{"read_file", `{"path":"x","task_progress":"- [x] a\n- [ ] b"}`, "ok"}}, "completed a, pending b"},
		{"Roo", []call{{"update_todo_list", `{"todos":"[x] a\n[-] b\n[ ] c"}`, "ok"}}, "completed a, in_progress b, pending c"},
		{"Droid", []call{{"TodoWrite", `{"todos":"1. [completed] a\n2. [in_progress] b\n3. [pending] c"}`, "ok"}}, "completed a, in_progress b, pending c"},
		{"goose", []call{{"todo__todo_write", `{"content":"- [ ] a\n  - [x] b"}`, "ok"}}, "pending a, completed b"},
		{"Crush", []call{{"todos", `{"todos":[{"content":"a","status":"in_progress","active_form":"x"}]}`, "ok"}}, "in_progress a"},
		{"Kiro", []call{
			{"todo_list", `{"command":"create","tasks":[{"task_description":"a"},{"task_description":"b"}],"todo_list_description":"two"}`, "ok"},
			{"todo_list", `{"command":"complete","completed_indices":[0],"context_update":"x"}`, "ok"},
		}, "completed a, pending b"},
		{"texts alone", []call{{"todo_write", `{"todos":["a","b"]}`, "ok"}}, "pending a, pending b"},
		{"no list", []call{{"Read", `{"file_path":"TODO.md"}`, "- [ ] a"}, {"TodoWrite", `not JSON`, "ok"}, {"TodoWrite", `{}`, "ok"}, {"TodoWrite", `{"todos":7}`, "ok"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &session{}
			for _, one := range c.calls {
				s.call(one.tool, one.input, one.result)
			}
			fstest.Equal(t, tasks(s.read(t)), c.want, s.text)
		})
	}
}

// TestSubagents: a subagent's list is its own.
func TestSubagents(t *testing.T) {
	s := &session{}
	s.call("TodoWrite", `{"todos":[{"content":"mine","status":"pending"}]}`, "ok")
	s.add(event.Event{Kind: event.ToolCall, Agent: "a1", Call: &event.Call{ID: "x", Name: "TodoWrite", Input: `{"todos":[{"content":"its","status":"pending"}]}`}})
	s.add(event.Event{Kind: event.ToolResult, Agent: "a1", Result: &event.Result{CallID: "x", Text: "ok"}})
	fstest.Equal(t, tasks(s.read(t)), "pending mine")
}

// TestForkGoesOn: tasks that were created before a fork are known by their ids.
func TestForkGoesOn(t *testing.T) {
	s := &session{}
	s.call("TaskUpdate", `{"taskId":"2","status":"completed"}`, "Updated task #2 status")
	all, _, err := Read(Source{Transcript: strings.NewReader(string(s.text)), Before: func() []facts.Task {
		return []facts.Task{{ID: "1", Text: "a"}, {ID: "2", Text: "b", State: facts.TaskPending}}
	}})
	if err != nil || tasks(all) != "completed b" {
		t.Errorf("%q, %v", tasks(all), err)
	}
}

// TestLongList: a list that the transcript folds is read whole.
func TestLongList(t *testing.T) {
	var entries []string
	for i := range 200 {
		entries = append(entries, fmt.Sprintf(`{"content":"task number %d of many","status":"pending"}`, i))
	}
	s := &session{}
	s.call("TodoWrite", `{"todos":[`+strings.Join(entries, ",")+`]}`, "ok")
	if all := s.read(t); len(all) != 1 || len(all[0].Tasks) != 200 || all[0].Tasks[199].Text != "task number 199 of many" || all[0].State != facts.PlanOpen {
		t.Errorf("%+v", all)
	}
}

// TestProposals: what became of a plan is told by the result of the call that proposed it,
// or by what was said next.
func TestProposals(t *testing.T) {
	const plan = `{"plan":"# Plan: do it\n\n1. first\n2. then"}`
	no := "The user doesn't want to proceed with this tool use. The tool use was rejected. "
	for _, c := range []struct {
		name string
		do   func(s *session)
		want string
	}{
		{"accepted", func(s *session) {
			s.call("ExitPlanMode", plan, "User has approved your plan. You can now start coding.")
		}, "accepted do it 31"},
		{"in the result", func(s *session) {
			s.call("ExitPlanMode", `{}`, "User has approved your plan.\n\nYour plan has been saved to: /h/.claude/plans/x.md\n\n## Approved Plan:\n# do that\n\nnow")
		}, "accepted do that 14"},
		{"in a file", func(s *session) {
			s.call("Write", `{"file_path":"/h/.claude/plans/x.md","content":"# do this\nnow"}`, "ok")
			s.call("ExitPlanMode", `{}`, no+"To tell you how to proceed, the user said:\nnot so")
		}, "rejected do this 13 not so"},
		{"interrupted", func(s *session) {
			s.call("ExitPlanMode", plan, "error: "+no)
			s.say(event.User, "[Request interrupted by user for tool use]")
		}, "interrupted do it 31"},
		{"without an answer", func(s *session) {
			s.ask("ExitPlanMode", plan)
			s.say(event.User, "something else")
		}, "interrupted do it 31"},
		{"asked just now", func(s *session) { s.ask("ExitPlanMode", plan) }, "open do it 31"},
		{"two", func(s *session) {
			s.call("ExitPlanMode", plan, "error: "+no+"the user said:\nshorter")
			s.call("ExitPlanMode", `{"plan":"# Short"}`, "User has approved your plan.")
		}, "rejected do it 31 shorter, accepted Short 7"},
		{"Gemini", func(s *session) {
			s.call("exit_plan_mode", `{"plan_path":"/h/.gemini/tmp/p/s/plans/x.md"}`, "Plan approved. Switching to Default mode.")
		}, "accepted  0"},
		{"Gemini's no", func(s *session) {
			s.call("write_file", `{"file_path":"/h/.gemini/tmp/p/s/plans/x.md","content":"# do it"}`, "ok")
			s.call("exit_plan_mode", `{"plan_path":"/h/.gemini/tmp/p/s/plans/x.md"}`, "Plan rejected. Feedback: too long\n\nThe plan is stored at: /h/x.md\nRevise the plan based on the feedback.")
		}, "rejected do it 7 too long"},
		{"Gemini's dialog closed", func(s *session) {
			s.call("exit_plan_mode", `{"plan_filename":"x.md"}`, "User cancelled the plan approval dialog. The plan was not approved and you are still in Plan Mode.")
		}, "interrupted  0"},
		{"opencode", func(s *session) {
			s.call("write", `{"filePath":"/w/.opencode/plans/1-x.md","content":"# do it"}`, "ok")
			s.call("plan_exit", `{}`, "User approved switching to build agent. Wait for further instructions.")
		}, "accepted do it 7"},
		{"Codex, in a session of its own", func(s *session) {
			s.say(event.User, "A previous agent produced the plan below to accomplish the user's task. Implement the plan in a fresh context.\n\n# do it\n\nnow")
		}, "accepted do it 12"},
		{"Cursor", func(s *session) {
			s.call("create_plan", `{"name":"do it","overview":"why","plan":"the text","todos":[{"id":"a","content":"one"}]}`, "Plan was accepted by the user")
		}, "accepted do it 8"},
		{"Droid", func(s *session) {
			s.call("ExitSpecMode", `{"title":"do it","plan":"the text"}`, "User approved the spec")
		}, "accepted do it 8"},
		{"Codex", func(s *session) {
			s.say(event.Assistant, "Here it is.\n<proposed_plan>\n# do it\n- first\n</proposed_plan>")
			s.say(event.User, "Implement the plan.")
		}, "accepted do it 15"},
		{"Codex, twice", func(s *session) {
			s.say(event.Assistant, "<proposed_plan>\n# do it\n</proposed_plan>")
			s.say(event.User, "shorter")
			s.say(event.Assistant, "<proposed_plan>\n# do\n</proposed_plan>")
		}, "rejected do it 7, open do 4"},
		{"carried out in a session of its own", func(s *session) {
			s.say(event.User, "Implement the following plan:\n\n# do it\n\nnow\n\n\nIf you need specific details from before exiting plan mode (like exact code snippets), read the full transcript at: /x")
		}, "accepted do it 12"},
		{"a list in Markdown", func(s *session) {
			s.call("ExitPlanMode", `{"plan":"- first\n- then"}`, "User has approved your plan.")
		}, "accepted - first 14"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &session{}
			c.do(s)
			var got []string
			for _, p := range s.read(t) {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", p.State, p.Title, len(p.Text), p.Said)))
			}
			fstest.Equal(t, strings.Join(got, ", "), c.want, got, s.text)
		})
	}
}

// TestHeadings: a plan keeps the lines that a transcript would take for its own.
func TestHeadings(t *testing.T) {
	const text = "# do it\n\n### first\n\n=====\n  ### indented\nx"
	s := &session{}
	s.say(event.Assistant, "<proposed_plan>\n"+text+"\n</proposed_plan>")
	s.say(event.User, "Implement the following plan:\n\n"+text+"\n\nthen that")
	all := s.read(t)
	if len(all) != 2 || all[0].Text != text || all[1].Text != text+"\n\nthen that" {
		t.Errorf("%+v", all)
	}
}

// TestTouches: what is appended to a transcript is looked at alone, unless something waits
// for it.
func TestTouches(t *testing.T) {
	for _, c := range []struct {
		name             string
		do               func(s *session)
		waiting, touches bool
	}{
		{"a list", func(s *session) { s.call("TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`, "ok") }, false, true},
		{"a list without a result", func(s *session) { s.ask("TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`) }, true, true},
		{"a plan that was accepted", func(s *session) { s.call("ExitPlanMode", `{"plan":"a"}`, "User has approved your plan.") }, false, true},
		{"a plan that waits", func(s *session) { s.ask("ExitPlanMode", `{"plan":"a"}`) }, true, true},
		{"Codex's", func(s *session) { s.say(event.Assistant, "<proposed_plan>a</proposed_plan>") }, true, true},
		{"other calls", func(s *session) { s.call("Bash", `{"command":"ls /plans/"}`, "ok"); s.say(event.User, "go on") }, false, false},
	} {
		s := &session{}
		c.do(s)
		_, waiting, err := Read(Source{Transcript: strings.NewReader(string(s.text))})
		touches, err2 := Touches(strings.NewReader(string(s.text)))
		if err != nil || err2 != nil || waiting != c.waiting || touches != c.touches {
			t.Errorf("%s: waiting %t, touches %t, %v, %v", c.name, waiting, touches, err, err2)
		}
	}
}

// TestHugePlan: of a plan of 10 MB the beginning is kept.
func TestHugePlan(t *testing.T) {
	s := &session{}
	s.call("ExitPlanMode", `{"plan":"# Plan\n`+strings.Repeat(`a line of it\n`, 800_000)+`"}`, "User has approved your plan.")
	all := s.read(t)
	if len(all) != 1 || !all[0].Cut || len(all[0].Text) > mostText || all[0].State != facts.PlanAccepted {
		t.Errorf("%d plans", len(all))
	}
}

func TestReadErrors(t *testing.T) {
	if _, _, err := Read(Source{Transcript: iotest.ErrReader(errors.New("no"))}); err == nil {
		t.Error("no error")
	}
}

func FuzzPlans(f *testing.F) {
	f.Add("TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`, "ok", false)
	f.Add("TaskCreate", `{"subject":"a"}`, "Task #1 created", false)
	f.Add("TaskList", `{}`, "#1 [pending] a", false)
	f.Add("update_plan", `{"plan":[{"step":"a","status":"done"}]}`, "", true)
	f.Add("todo_list", `{"command":"add","new_tasks":["a"]}`, "", false)
	f.Add("ExitPlanMode", `{"plan":"# a\n- b"}`, "User has approved", false)
	f.Fuzz(func(t *testing.T, tool, input, result string, failed bool) {
		s := &session{}
		s.ask(tool, input)
		s.answer(tool, result, failed)
		s.say(event.User, result)
		s.say(event.Assistant, input)
		for _, p := range s.read(t) {
			for _, task := range p.Tasks {
				if task.Text == "" || strings.ContainsAny(task.Text, "\n\r\x1b") {
					t.Errorf("%q", task.Text)
				}
			}
		}
	})
}
