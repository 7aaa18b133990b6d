package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/form"
	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/tasks"
)

// everything is a world with the reference server over two transports, and a
// command that answers for a language model.
func everything(t *testing.T) *world {
	t.Helper()
	bin := filepath.Join(fstest.NodeModules(t, "@modelcontextprotocol/server-everything"), ".bin", "mcp-server-everything")
	w := realWorld(t)
	w.opts.timing.Discover = 2 * time.Second
	w.opts.State = filepath.Join(w.home, "state")
	script := w.write("sampler", "#!/bin/sh\nprintf 'a model says: '; tr -d '\\n' | grep -o 'context: [a-z ]*'\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	w.settings("[mcp]\nsampler = [\"" + script + "\"]\nquestion_timeout = \"5m\"\n")
	w.claude(map[string]any{
		"stdio": map[string]any{"command": "node", "args": []string{bin, "stdio"}},
		"http":  map[string]any{"type": "http", "url": "http://" + fstest.NodeServer(t, bin, "streamableHttp") + "/mcp"},
	})
	return w.open()
}

// asked makes a call that must ask, and leaves it.
func (w *world) asked(server, tool, args string) *calls.AskedError {
	w.t.Helper()
	r, err := w.p.Call(context.Background(), calls.Call{Server: server, Tool: tool, Arguments: json.RawMessage(args), Leave: true})
	asked := (*calls.AskedError)(nil)
	if !errors.As(err, &asked) {
		w.t.Fatalf("%s/%s: %+v, %v", server, tool, r, err)
	}
	return asked
}

// continued returns the text of the result of a task.
func (w *world) continued(id string) string {
	w.t.Helper()
	r, err := w.p.Continue(context.Background(), id, calls.Call{Leave: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return string(r.Text)
}

// TestRealQuestions answers each kind of question of the reference server.
func TestRealQuestions(t *testing.T) {
	w := everything(t)
	for _, server := range []string{"stdio", "http"} {
		asked := w.asked(server, "trigger-elicitation-request", "{}")
		q := asked.Question
		fields := q.FieldList()
		if len(fields) != 13 || len(q.Secrets) > 0 {
			t.Errorf("%+v", fields)
		}
		for _, f := range fields {
			switch f.Name {
			case "name":
				if !f.Required {
					t.Errorf("%+v", f)
				}
			case "email":
				if f.Required || f.Format != "email" {
					t.Errorf("%+v", f)
				}
			case "titledMultipleSelectEnum":
				if !f.Several || len(f.Choices) != 3 || f.Choices[1] != (form.Choice{Value: "fish-2", Title: "Salmon"}) {
					t.Errorf("%+v", f)
				}
			case "legacyTitledEnum":
				if f.Several || len(f.Choices) != 5 || f.Choices[0].Title != "Cats" {
					t.Errorf("%+v", f)
				}
			}
		}
		if want := "ctxfs answer " + q.ID + " --name TEXT"; q.Answer != want {
			t.Errorf("%s, not %s", q.Answer, want)
		}
		for _, bad := range []struct {
			words []string
			want  string
		}{
			{nil, "name"},
			{[]string{"--name", "Ann", "--email", "ann"}, "--email must be an email address"},
			{[]string{"--name", "Ann", "--birthdate", "tomorrow"}, "--birthdate must be a date"},
			{[]string{"--name", "Ann", "--homepage", "here"}, "--homepage must be a URI"},
			{[]string{"--name", "Ann", "--integer", "101"}, "--integer must be at most 100"},
			{[]string{"--name", "Ann", "--titledSingleSelectEnum", "Superman"}, "--titledSingleSelectEnum"},
			{[]string{"--name", "Ann", "--untitledMultipleSelectEnum", "Horn"}, "untitledMultipleSelectEnum"},
			{[]string{"--name", "Ann", "--nickname", "A"}, "nickname"},
		} {
			if _, err := w.p.Answer(q.ID, accept(bad.words...)); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("%v: %v", bad.words, err)
			}
		}
		w.answered(q.ID, accept("--name", "Ann", "--check", "--titledMultipleSelectEnum", "fish-2", "--titledMultipleSelectEnum", "fish-3"))
		fstest.Contains(t, w.continued(asked.Task), "- Name: Ann", "- Agreed to terms: true", `"integer": 42`, `"fish-3"`, "It was a dark and stormy night.")

		sampling := w.asked(server, "trigger-sampling-request", `{"prompt":"why is the sky blue"}`)
		if q = sampling.Question; q.Kind != form.AskSampling || !strings.Contains(q.Message, "system: You are a helpful test server.\nuser: ") {
			t.Errorf("%+v", q)
		}
		w.answered(q.ID, accept())
		fstest.Contains(t, w.continued(sampling.Task), "a model says: context: why is the sky blue")

		opening := w.asked(server, "trigger-url-elicitation", `{"url":"https://example.com/login?x=1"}`)
		if q = opening.Question; q.Kind != form.AskURL || q.Host != "example.com" || q.URL != "https://example.com/login?x=1" {
			t.Errorf("%+v", q)
		}
		w.answered(q.ID, accept())
		fstest.Contains(t, w.continued(opening.Task), "User completed the URL elicitation flow")

		before := w.asked(server, "trigger-url-elicitation", `{"url":"https://example.com/other","errorPath":true}`)
		if q = before.Question; q.Host != "modelcontextprotocol.io" {
			t.Errorf("%+v", q)
		}
		w.answered(q.ID, accept()) // it is being opened
		if q, err := w.p.Answer(q.ID, accept()); err != nil || !strings.Contains(q.Warning, "if that has been done") {
			t.Errorf("%+v, %v", q, err) // it is done, which this server does not say
		}
		_, err := w.p.Continue(context.Background(), before.Task, calls.Call{Leave: true})
		again := (*calls.AskedError)(nil)
		if !errors.As(err, &again) || again.Question.Host != "example.com" || again.Task != before.Task {
			t.Fatal(err)
		}
		w.answered(again.Question.ID, form.Answer{Action: form.Decline})
		fstest.Contains(t, w.continued(before.Task), "User declined to open the URL")
	}
}

// TestRealTasks leaves tasks of the reference server.
func TestRealTasks(t *testing.T) {
	w := everything(t)
	for _, server := range []string{"stdio", "http"} {
		asked := w.asked(server, "simulate-research-query", `{"topic":"python","ambiguous":true}`)
		if asked.Question.FieldList()[0].Name != "interpretation" {
			t.Errorf("%+v", asked.Question)
		}
		w.answered(asked.Question.ID, accept("--interpretation", asked.Question.FieldList()[0].Choices[1].Value))
		fstest.Contains(t, w.continued(asked.Task), "# Research Report: python (", "completed")

		task, err := w.p.Detach(calls.Call{Server: server, Tool: "simulate-research-query", Arguments: json.RawMessage(`{"topic":"rust"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if task, err = w.p.CancelTask(context.Background(), task.ID); err != nil || task.State != tasks.Cancelled {
			t.Errorf("%+v, %v", task, err)
		}
	}
	task, err := w.p.Detach(calls.Call{Server: "http", Tool: "simulate-research-query", Arguments: json.RawMessage(`{"topic":"go"}`)})
	if err != nil {
		t.Fatal(err)
	}
	w.await("the ID of the server's task", func() bool {
		all, err := w.p.Tasks(task.ID)
		return err == nil && all[0].Remote != ""
	})
	w.reopen()
	all, err := w.p.Tasks(task.ID)
	if err != nil || all[0].State != tasks.Working {
		t.Fatalf("%+v, %v", all, err)
	}
	// This server keeps tasks in its sessions: another process asks in vain.
	if _, err := w.p.Continue(context.Background(), task.ID, calls.Call{}); calls.Outcome(nil, err) == calls.OutcomeOK {
		t.Error("a session was found again")
	}
	if all, err = w.p.Tasks(task.ID); err != nil || all[0].State != tasks.Lost {
		t.Fatalf("%+v, %v", all, err)
	}
}
