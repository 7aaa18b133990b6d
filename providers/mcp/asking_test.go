package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/form"
	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/tasks"
)

// made is what became of a call.
type made struct {
	r   *calls.Result
	err error
}

// calling makes a call of the tool asks in the background, and returns its question.
func (w *world) calling(ctx context.Context, args string) (questions.Question, <-chan made) {
	w.t.Helper()
	done := make(chan made, 1)
	asked := make(chan questions.Question, 100)
	go func() {
		r, err := w.p.Call(ctx, calls.Call{Server: "callee", Tool: "asks", Arguments: json.RawMessage(args), Asked: func(q questions.Question, open bool) {
			if open {
				asked <- q
			}
		}})
		done <- made{r, err}
	}()
	select {
	case q := <-asked:
		return q, done
	case m := <-done:
		w.t.Fatalf("nobody was asked: %+v, %v", m.r, m.err)
	case <-time.After(patience):
		w.t.Fatal("nobody was asked")
	}
	return questions.Question{}, nil
}

// asking is the arguments with which the tool asks asks.
func asking(method, params string) string {
	args, _ := json.Marshal(map[string]string{"text": method, "result": params})
	return string(args)
}

func accept(words ...string) form.Answer {
	r := form.Answer{Action: form.Accept}
	for _, word := range words {
		r.Words = append(r.Words, calls.Word{Text: word})
	}
	return r
}

// answered answers a question, which must succeed.
func (w *world) answered(id string, r form.Answer) {
	w.t.Helper()
	if _, err := w.p.Answer(id, r); err != nil {
		w.t.Fatal(err)
	}
}

// TestAQuestionIsAnswered shows a question as a file and in the pages, refuses an
// answer that does not fit, and goes on with one that does.
func TestAQuestionIsAnswered(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		q, done := w.calling(context.Background(), "{}")
		if q.Kind != form.AskForm || q.Message != "Which colour?" || q.Server != "callee" || q.Tool != "asks" || q.Answer != "ctxfs answer "+q.ID+" --colour 'red|green'" || q.Task != "" {
			t.Errorf("%+v", q)
		}
		w.becomes("callee/questions/"+q.ID+".json", `"Which colour?"`)
		w.becomes("callee/STATUS.md", "\nquestion: "+q.ID+": callee/asks asks: Which colour?; until ")
		w.becomes("INDEX.md", "## Questions that wait for an answer\n\n- "+q.ID)
		fstest.Contains(t, w.p.Status().Summary, "1 question waits")

		_, err := w.p.Answer(q.ID, accept("--colour", "blue"))
		if err == nil || !strings.Contains(err.Error(), "--colour must be one of red, green") {
			t.Error(err)
		}
		if _, err = w.p.Answer(q.ID, accept("--color", "red")); err == nil || !strings.Contains(err.Error(), "--colo") {
			t.Error(err)
		}
		w.answered(q.ID, accept("--colour", "red"))
		m := <-done
		if m.err != nil || m.r.Failed {
			t.Fatal(m)
		}
		fstest.Contains(t, string(m.r.Text), `answered: {"action":"accept","content":{"colour":"red"}}`)
		if _, err = w.p.Answer(q.ID, accept("--colour", "red")); err == nil || !strings.Contains(err.Error(), "question "+q.ID+" has been answered: accept") {
			t.Error(err)
		}
		w.becomesNothing("callee/questions")
		if text := w.cat("callee/STATUS.md"); strings.Contains(text, "question") {
			t.Error(text)
		}
	})
}

// becomes waits until a file contains a text.
func (w *world) becomes(path, text string) {
	w.t.Helper()
	w.await(path+" with "+text, func() bool {
		body, err := w.read(path)
		return err == nil && strings.Contains(body, text)
	})
}

// becomesNothing waits until there is no such file.
func (w *world) becomesNothing(path string) {
	w.t.Helper()
	w.await("no "+path, func() bool {
		_, err := fs.Stat(fstest.FS(context.Background(), w.tree), path)
		return errors.Is(err, fs.ErrNotExist)
	})
}

func TestAQuestionIsDeclined(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		for _, action := range []string{form.Decline, form.Cancel} {
			q, done := w.calling(context.Background(), "{}")
			w.answered(q.ID, form.Answer{Action: action})
			m := <-done
			if m.err != nil {
				t.Fatal(m.err)
			}
			fstest.Contains(t, string(m.r.Text), `{"action":"`+action+`"}`)
		}
	})
}

// TestAQuestionTimesOut is told by the call, whose tool goes on.
func TestAQuestionTimesOut(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		w.p.sampling.Set(nil, 50*time.Millisecond)
		q, done := w.calling(context.Background(), "{}")
		m := <-done
		if m.err != nil {
			t.Fatal(m.err)
		}
		fstest.Contains(t, string(m.r.Text), `{"action":"cancel"}`)
		fstest.Contains(t, string(m.r.Aside), "the server asked something that was not answered within 0.05 s ("+q.ID+"): Which colour?")
		if _, err := w.p.Answer(q.ID, accept("--colour", "red")); err == nil || !strings.Contains(err.Error(), "was not answered in time") {
			t.Error(err)
		}
	})
}

// TestAQuestionPausesTheTimeout: a tool that waits for an answer is not silent.
func TestAQuestionPausesTheTimeout(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"callee": stub("calls")})
		w.opts.timing.tool, w.opts.timing.toolMax = 3*time.Second, 3*time.Second
		w.open()
		if _, err := w.call("echo", `{"text":"started"}`); err != nil {
			t.Fatal(err)
		}
		q, done := w.calling(context.Background(), "{}")
		select {
		case m := <-done:
			t.Fatal(m.err)
		case <-time.After(4 * time.Second): // what must not happen has had its time
		}
		w.answered(q.ID, accept("--colour", "green"))
		if m := <-done; m.err != nil {
			t.Error(m.err)
		}
	})
}

// TestACallIsLeftWithItsQuestion and its result fetched later, by the IDs of the
// task and of the question, also after the process has ended.
func TestACallIsLeftWithItsQuestion(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		w.opts.State = filepath.Join(w.home, "state")
		w.reopen()
		leaving := calls.Call{Server: "callee", Tool: "asks", Leave: true, Caller: calls.Caller{Via: "command"}}
		_, err := w.p.Call(context.Background(), leaving)
		asked := (*calls.AskedError)(nil)
		if !errors.As(err, &asked) || calls.Outcome(nil, err) != "asked" {
			t.Fatal(err)
		}
		id, q := asked.Task, asked.Question
		if q.Task != id || q.Continue != "ctxfs call --continue "+id || !strings.Contains(asked.Fix(), q.Answer) {
			t.Errorf("%+v", q)
		}
		all, err := w.p.Tasks("")
		if err != nil || len(all) != 1 || all[0].ID != id || all[0].State != tasks.Asks || all[0].Questions[0] != q.ID {
			t.Fatalf("%+v, %v", all, err)
		}
		w.becomes("callee/tasks/"+id+".json", `"state": "asks"`)
		if _, err = w.p.Continue(context.Background(), id, leaving); !errors.As(err, &asked) || asked.Question.ID != q.ID {
			t.Error(err)
		}
		if !w.p.Busy() {
			t.Error("a process with a task is idle")
		}
		w.answered(id, accept("--colour", "red")) // the task stands for its question
		for _, id := range []string{id, q.ID} {
			r, err := w.p.Continue(context.Background(), id, leaving)
			if err != nil || !strings.Contains(string(r.Text), `"colour":"red"`) {
				t.Fatal(r, err)
			}
		}
		w.becomes("callee/tasks/"+id+".json", `"state": "done"`)
		w.becomesNothing("callee/questions")
		w.reopen()
		r, err := w.p.Continue(context.Background(), id, leaving)
		if err != nil || !strings.Contains(string(r.Text), `"colour":"red"`) || r.Raw == nil {
			t.Fatal(r, err)
		}
		w.becomes("callee/tasks/"+id+".json", `"state": "done"`)
		if log := w.callLog(); !strings.Contains(log, `"task":"`+id+`"`) || strings.Count(log, "\n") != 1 {
			t.Error(log)
		}
	})
}

// callLog returns the log of calls.
func (w *world) callLog() string {
	text, err := os.ReadFile(filepath.Join(w.opts.State, "calls.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// TestADetachedCall goes on without its caller, is waited for, and cancelled.
func TestADetachedCall(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		w.opts.State = filepath.Join(w.home, "state")
		w.reopen()
		known := w.p.All()[0].IsKnown() // it becomes known by what goes on without us
		if _, err := w.p.Detach(calls.Call{Server: "callee", Tool: "echo", Arguments: json.RawMessage(`{"txt":1}`)}); calls.Outcome(nil, err) != "bad-arguments" && known {
			t.Error(err)
		}
		task, err := w.p.Detach(calls.Call{Server: "callee", Tool: "echo", Arguments: json.RawMessage(`{"text":"later"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if task, err = w.p.AwaitTask(context.Background(), task.ID); err != nil || task.State != tasks.Done || task.Ended.IsZero() || task.Cancel != "" {
			t.Fatalf("%+v, %v", task, err)
		}
		if r, err := w.p.Continue(context.Background(), task.ID, calls.Call{}); err != nil || string(r.Text) != "later" {
			t.Error(r, err)
		}
		task, err = w.p.Detach(calls.Call{Server: "callee", Tool: "wait"})
		if err != nil || task.State != tasks.Working || task.Cancel == "" {
			t.Fatalf("%+v, %v", task, err)
		}
		w.await("the call", func() bool { return count("waits") == 1 })
		ctx, leave := context.WithCancel(context.Background())
		leave()
		if _, err = w.p.Continue(ctx, task.ID, calls.Call{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if one, _ := w.p.Tasks(task.ID); one[0].State != tasks.Working {
			t.Errorf("%+v: it goes on without those who wait for it", one)
		}
		for range 2 { // the second time it has ended
			if task, err = w.p.CancelTask(context.Background(), task.ID); err != nil || task.State != tasks.Cancelled {
				t.Fatalf("%+v, %v", task, err)
			}
		}
		w.await("the end of the call", func() bool {
			return count("cancelled by a message")+count("cancelled by the end of the stream") == 1
		})
		if _, err = w.p.Continue(context.Background(), task.ID, calls.Call{}); calls.Outcome(nil, err) != "cancelled" {
			t.Error(err)
		}
		if _, err = w.p.Continue(context.Background(), "t00000", calls.Call{}); err == nil || !strings.Contains(err.Error(), `no task has the ID "t00000"`) {
			t.Error(err)
		}
	})
}

// TestATaskOfAKilledProcess is lost, and says so.
func TestATaskOfAKilledProcess(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"callee": stub("calls")})
		w.opts.State = filepath.Join(w.home, "state")
		w.open()
		_, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: "asks", Leave: true})
		asked := (*calls.AskedError)(nil)
		if !errors.As(err, &asked) {
			t.Fatal(err)
		}
		record, err := os.ReadFile(filepath.Join(w.opts.State, "tasks", asked.Task+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.p.Close(); err != nil {
			t.Fatal(err)
		}
		w.p = nil
		// A process that is killed leaves what it has written at the beginning.
		w.write(filepath.Join(w.opts.State, "tasks", asked.Task+".json"), string(record))
		w.write(filepath.Join(w.opts.State, "tasks", "tnojson.json"), "{")
		w.open()
		all, err := w.p.Tasks("")
		if err != nil || len(all) != 1 || all[0].State != tasks.Lost {
			t.Fatalf("%+v, %v", all, err)
		}
		for _, id := range []string{asked.Task, asked.Question.ID} {
			_, err = w.p.Continue(context.Background(), id, calls.Call{})
			if calls.Outcome(nil, err) != "lost" || !strings.Contains(err.Error(), "whether the tool has done its work is not known") {
				t.Error(err)
			}
		}
		if _, err = w.p.Answer(asked.Question.ID, accept("--colour", "red")); err == nil || !strings.Contains(err.Error(), "no question has the ID") {
			t.Error(err)
		}
	})
}

// TestAServerIsKilledMeanwhile: its questions are withdrawn, and the call says what
// is not known.
func TestAServerIsKilledMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, era := range []string{"", "-modern"} {
			w := newWorld(t)
			w.claude(map[string]any{"callee": stub("calls" + era)})
			w.open()
			q, done := w.calling(context.Background(), "{}")
			if _, err := w.call("dies", "{}"); err == nil {
				t.Error("the server lives")
			}
			if m := <-done; calls.Outcome(m.r, m.err) != "unreachable" || !strings.Contains(m.err.Error(), "whether the tool has done its work is not known") {
				t.Errorf("%+v", m)
			}
			if _, err := w.p.Answer(q.ID, accept("--colour", "red")); err == nil || !strings.Contains(err.Error(), "question "+q.ID+" has ") {
				t.Error(err)
			}
			w.becomesNothing("callee/questions")
		}
	})
}

// TestACallByAFileThatAsks has its result wait for the answer.
func TestACallByAFileThatAsks(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.settings("[mcp]\nfile_calls = true\n")
		w.claude(map[string]any{"callee": stub("calls")})
		w.open()
		if _, err := w.call("echo", `{"text":"started"}`); err != nil {
			t.Fatal(err)
		}
		if err := w.put("asks.1.json", "{}"); err != nil {
			t.Fatal(err)
		}
		var q questions.Question
		w.await("a question", func() bool {
			all, err := w.p.Questions("")
			if err != nil || len(all) == 0 {
				return false
			}
			q = all[0]
			return true
		})
		if q.Task != "" {
			t.Errorf("%+v", q)
		}
		w.answered(q.ID, accept("--colour", "red"))
		if o := w.outcome("asks.1"); !o.OK || !strings.Contains(o.Text, `"colour":"red"`) {
			t.Errorf("%+v", o)
		}
	})
}

// TestCloseWithdrawsQuestions, and ends the calls that wait for them.
func TestCloseWithdrawsQuestions(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		_, done := w.calling(context.Background(), "{}")
		p := w.p
		w.p = nil
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if m := <-done; m.err == nil {
			t.Errorf("%+v", m.r)
		}
		if all := p.questions.List(nil); len(all) > 0 {
			t.Errorf("%+v", all)
		}
	})
}

// TestARestartWithdrawsQuestions, and so does the caller who cancels the call.
func TestARestartWithdrawsQuestions(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		_, done := w.calling(context.Background(), "{}")
		if err := w.p.Restart("callee"); err != nil {
			t.Fatal(err)
		}
		if m := <-done; m.err == nil {
			t.Errorf("%+v", m.r)
		}
		ctx, cancel := context.WithCancel(context.Background())
		q, done := w.calling(ctx, "{}")
		cancel()
		if m := <-done; !errors.Is(m.err, context.Canceled) {
			t.Error(m.err)
		}
		if _, err := w.p.Answer(q.ID, accept("--colour", "red")); err == nil || !strings.Contains(err.Error(), q.ID) {
			t.Error(err)
		}
		w.becomesNothing("callee/questions")
	})
}

// TestTwoQuestionsAtOnce of two calls are answered in the other order.
func TestTwoQuestionsAtOnce(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		first, firstDone := w.calling(context.Background(), "{}")
		second, secondDone := w.calling(context.Background(), "{}")
		w.answered(second.ID, accept("--colour", "green"))
		w.answered(first.ID, accept("--colour", "red"))
		var text string
		for _, done := range []<-chan made{firstDone, secondDone} {
			m := <-done
			if m.err != nil {
				t.Fatal(m.err)
			}
			text += string(m.r.Text)
		}
		if !strings.Contains(text, "red") || !strings.Contains(text, "green") {
			t.Error(text)
		}
	})
}

// TestQuestionsThatAreRefused reach nobody: the server and the caller learn why.
func TestQuestionsThatAreRefused(t *testing.T) {
	var large strings.Builder
	large.WriteString(`{"message":"x","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}`)
	for i := range 10_000 {
		fmt.Fprintf(&large, `,"f%d":{"type":"string"}`, i)
	}
	large.WriteString("}}}")
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		for name, c := range map[string]struct{ method, params, why string }{
			"large":     {"elicitation/create", large.String(), `the schema of the form has `},
			"recursive": {"elicitation/create", `{"message":"x","requestedSchema":{"type":"object","properties":{"a":{"$ref":"#"}}}}`, `the schema of the form refers to`},
			"no object": {"elicitation/create", `{"message":"x","requestedSchema":{"type":"string"}}`, `the schema of the form is not one of an object`},
			"address":   {"elicitation/create", `{"mode":"url","message":"x","url":"javascript:alert(1)","elicitationId":"e"}`, `the address is not`},
			"sampling":  {"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":1}`, `sampler = [`},
		} {
			asked := false
			r, err := w.p.Call(context.Background(), calls.Call{
				Server: "callee", Tool: "asks", Arguments: json.RawMessage(asking(c.method, c.params)),
				Asked: func(questions.Question, bool) { asked = true },
			})
			if asked {
				t.Errorf("%s: somebody was asked", name)
			}
			text := fmt.Sprint(err)
			if err == nil {
				text = string(r.Text) + string(r.Aside)
			}
			if !strings.Contains(text, c.why) || len(text) > 3000 {
				t.Errorf("%s: %s", name, text)
			}
		}
	})
}

// TestAnswersAreInNoFile looks for what was answered in all files that there are.
func TestAnswersAreInNoFile(t *testing.T) {
	eachCallee(t, func(t *testing.T, w *world, count func(string) int) {
		w.opts.State = filepath.Join(w.home, "state")
		w.reopen()
		const form = `{"message":"Please log in","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"apiToken":{"type":"string"},"pin":{"type":"integer"}},"required":["name","apiToken"]}}`
		_, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: "asks", Arguments: json.RawMessage(asking("", form)), Leave: true})
		asked := (*calls.AskedError)(nil)
		if !errors.As(err, &asked) {
			t.Fatal(err)
		}
		q := asked.Question
		if strings.Join(q.Secrets, " ") != "apiToken pin" || !strings.Contains(q.Warning, "servers must not do by a form") {
			t.Errorf("%+v", q)
		}
		w.answered(q.ID, accept("--name", "Ann Unmistakable", "--apiToken", "hush-hush-123", "--pin", "92837"))
		r, err := w.p.Continue(context.Background(), asked.Task, calls.Call{})
		if err != nil {
			t.Fatal(err)
		}
		fstest.Contains(t, string(r.Text), "Ann Unmistakable")
		for _, secret := range []string{"hush-hush-123", "92837"} {
			if strings.Contains(string(r.Text)+string(r.Raw), secret) {
				t.Errorf("the caller is told the secret: %s", r.Text)
			}
		}
		if _, err := w.call("logs", `{"text":"it was Ann Unmistakable with hush-hush-123"}`); err != nil {
			t.Fatal(err)
		}
		w.becomes("callee/log.txt", "it was [answered] with [answered]")
		values := []string{"Unmistakable", "hush-hush", "92837"}
		check := func(path string, body []byte) {
			for _, value := range values {
				if bytes.Contains(body, []byte(value)) {
					t.Errorf("%s has %s: %s", path, value, body)
				}
			}
		}
		w.becomes("callee/tasks/"+asked.Task+".json", "done")
		err = fs.WalkDir(fstest.FS(context.Background(), w.tree), ".", func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				body, err := fs.ReadFile(fstest.FS(context.Background(), w.tree), path)
				check(path, body)
				return err
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		for _, dir := range []string{w.home, w.dir} {
			err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() {
					body, err := os.ReadFile(path)
					check(path, body)
					return err
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
		w.reopen()
		if r, err = w.p.Continue(context.Background(), asked.Task, calls.Call{}); err != nil || !strings.Contains(string(r.Text), "[answered]") {
			t.Error(r, err)
		}
	})
}

// TestATaskOfTheServer is asked for again by the process that comes next, and
// cancelled by it.
func TestATaskOfTheServer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.State = filepath.Join(w.home, "state")
		server := newCallee(remoteStub(), "")
		w.claude(map[string]any{"callee": map[string]any{"url": w.serve(server)}})
		w.open()
		detach := func() tasks.Task {
			t.Helper()
			task, err := w.p.Detach(calls.Call{Server: "callee", Tool: "task"})
			if err != nil {
				t.Fatal(err)
			}
			w.becomes("callee/tasks/"+task.ID+".json", `"remote": "the-task"`)
			w.becomes("callee/tasks/"+task.ID+".json", `"what": "at it"`)
			return task
		}
		task := detach()
		w.reopen()
		w.becomes("callee/tasks/"+task.ID+".json", `"state": "working"`)
		server.setTask("completed")
		r, err := w.p.Continue(context.Background(), task.ID, calls.Call{})
		if err != nil || string(r.Text) != "the work is done" {
			t.Fatal(r, err)
		}
		w.reopen()
		if r, err = w.p.Continue(context.Background(), task.ID, calls.Call{}); err != nil || string(r.Text) != "the work is done" {
			t.Fatal(r, err)
		}

		task = detach()
		w.reopen()
		if task, err = w.p.CancelTask(context.Background(), task.ID); err != nil || task.State != tasks.Cancelled {
			t.Errorf("%+v, %v", task, err)
		}
		w.await("the end of the task", func() bool {
			server.mu.Lock()
			defer server.mu.Unlock()
			return server.task == "cancelled"
		})

		task = detach()
		w.reopen()
		server.setTask("")
		if _, err = w.p.Continue(context.Background(), task.ID, calls.Call{}); err == nil {
			t.Error("a task that the server does not know")
		}
		if task, err = w.p.AwaitTask(context.Background(), task.ID); err != nil || task.State != tasks.Lost {
			t.Errorf("%+v, %v", task, err)
		}
	})
}
