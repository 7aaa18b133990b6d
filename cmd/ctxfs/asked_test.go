package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/fstest"
)

// loginForm is a form with a field that asks for a secret.
const loginForm = `{"type":"object","properties":{` +
	`"user":{"type":"string","title":"User","description":"Your name here"},` +
	`"password":{"type":"string"},` +
	`"age":{"type":"integer","minimum":18},` +
	`"kind":{"type":"string","oneOf":[{"const":"a1","title":"First"},{"const":"b2","title":"Second"}],"default":"a1"},` +
	`"tags":{"type":"array","items":{"type":"string","enum":["red","green","blue"]}},` +
	`"sure":{"type":"boolean"}},"required":["user"]}`

// askers returns a box with a server whose tool asks for the form that it is called
// with, and answers what it was answered.
func askers(t *testing.T) *box {
	b := newBox(t)
	b.write("tools.json", `[{"name":"ask","inputSchema":{"type":"object","additionalProperties":true}}]`)
	b.stub("guard", "asks", map[string]string{stubTools: filepath.Join(b.home, "tools.json")})
	return b
}

// asked makes a call in a script, and returns the question and the task that it ends
// with.
func (b *box) asked(form string, options ...string) (question, task string) {
	b.Helper()
	r := b.run(append(append([]string{"call", "--json"}, options...), "guard", "ask", form)...)
	var out struct {
		Question struct{ ID, Answer string }
		Task     string
	}
	if err := json.Unmarshal([]byte(r.out), &out); r.code != 9 || err != nil || out.Task == "" {
		b.Fatalf("exit %d, %v: %v", r.code, err, r)
	}
	if out.Question.Answer != "ctxfs answer "+out.Question.ID+" --user TEXT" {
		b.Errorf("to answer: %s", out.Question.Answer)
	}
	return out.Question.ID, out.Task
}

// TestAskedInScripts follows nothing but what the commands print.
func TestAskedInScripts(t *testing.T) {
	t.Parallel()
	b := askers(t)
	r := b.run("call", "guard", "ask", loginForm)
	if r.code != 9 || r.out != "" {
		t.Fatalf("exit %d: %v", r.code, r)
	}
	fstest.Contains(t, r.err, "guard asks before ask goes on, until 20", ": Who is it? Say it.\n", "--user", "Your name here", "careful: it seems to ask for a secret (password)")
	command := func(prefix string) string {
		_, after, ok := strings.Cut(r.err, prefix)
		line, _, _ := strings.Cut(after, "\n")
		line, _, _ = strings.Cut(line, "  (or")
		if !ok {
			t.Fatalf("no %q in %s", prefix, r.err)
		}
		return line
	}
	answer, fetch := command("answer it: "), command("then get the result: ")
	fstest.Contains(t, b.ok("answer"), answer)
	fstest.ContainsNot(t, b.run("answer").err, "no server asks")
	b.refused(2, []string{"--age must be", "18"}, append(strings.Fields(strings.TrimPrefix(strings.Replace(answer, "TEXT", "Ann", 1), "ctxfs ")), "--age", "3")...)
	fstest.Contains(t, b.sh(strings.Replace(answer, "TEXT", "Ann", 1)+" --age 30 --tags red --tags blue"), "answered; the call goes on\n", fetch)
	const want = `{"action":"accept","content":{"user":"Ann","age":30,"tags":["red","blue"],"kind":"a1"}}`
	for range 2 { // it is kept
		if out := b.sh(fetch); canonical(out) != canonical(want) {
			t.Errorf("the result: %s", out)
		}
	}
	b.refused(1, []string{"has been answered", fetch}, strings.Fields(strings.TrimPrefix(answer, "ctxfs "))...)

	id, task := b.asked(loginForm)
	b.refused(2, []string{"what is the answer to " + id, "ctxfs answer " + id + " --user TEXT"}, "answer", id)
	fstest.Contains(t, b.ok("answer", id, "--help"), "Who is it?\n  Say it.", "--user string", "[at least 18]", "One of: a1 (First), b2 (Second).", "Careful", "ctxfs answer "+id+" --decline")
	fstest.Contains(t, b.ok("answer", id, "--decline"), "declined")
	fstest.Contains(t, b.ok("call", "--continue", id, "--json"), `{\"action\":\"decline\"}`)
	if out := b.ok("tasks", "wait", task); !strings.HasPrefix(out, task+": guard/ask done") {
		t.Errorf("waited: %s", out)
	}

	id, _ = b.asked(loginForm)
	fstest.Contains(t, b.sh(`echo '{"user":"Bob"}' | ctxfs answer `+id+` - && ctxfs call --continue `+id), `"user":"Bob"`)
	b.refused(1, []string{`no question has the ID "q22222"`, "ctxfs answer"}, "answer", "q22222", "--decline")
	b.refused(1, []string{"no task", "ctxfs tasks"}, "call", "--continue", "t22222")
	b.refused(2, []string{"--continue takes the ID of a task"}, "call", "--continue", task, "guard", "ask")
	b.refused(2, []string{"--accept and --decline are two answers"}, "answer", id, "--accept", "--decline")
	b.refused(2, []string{"which question?"}, "answer", "--decline")
	if out := b.run("answer"); out.code != 0 || out.out != "" || !strings.Contains(out.err, "no server asks anything") {
		t.Errorf("nothing is open: %v", out)
	}
}

// TestTasks: calls that go on by themselves are listed, waited for and cancelled,
// each any number of times.
func TestTasks(t *testing.T) {
	t.Parallel()
	b := askers(t)
	if r := b.run("tasks"); r.code != 0 || r.out != "" || !strings.Contains(r.err, "there are no tasks") {
		t.Errorf("none: %v", r)
	}
	fstest.Equal(t, b.ok("tasks", "--json"), "[]\n", "none as JSON")
	id := strings.TrimSpace(b.ok("call", "--detach", "guard", "ask", loginForm))
	if strings.ContainsAny(id, " \n") {
		t.Fatalf("the ID of the task: %q", id)
	}
	var list []struct {
		ID, State, Server, Tool string
		Questions               []string
	}
	b.ok("wait", "question")
	must(t, json.Unmarshal([]byte(b.ok("tasks", "--json")), &list))
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	if is := list[0]; is.State != "asks" || is.ID != id || is.Server != "guard" || is.Tool != "ask" || len(is.Questions) != 1 {
		t.Errorf("%+v", is)
	}
	fstest.Contains(t, b.ok("tasks"), "ID  ", id+"  asks", "guard/ask", "ctxfs answer "+list[0].Questions[0])
	b.refused(9, []string{"ctxfs answer " + list[0].Questions[0], "ctxfs call --continue " + id}, "call", "--continue", id)
	for range 2 {
		if out := b.ok("tasks", "cancel", id); !strings.HasPrefix(out, id+": guard/ask cancelled") {
			t.Errorf("cancelled: %s", out)
		}
	}
	fstest.Contains(t, b.run("tasks", "wait", id).exits(t, 1).out, "cancelled")
	b.refused(130, []string{"cancelled"}, "call", "--continue", id)
	b.refused(2, []string{"which task?"}, "tasks", "wait")
	b.refused(2, []string{"unknown command"}, "tasks", "weit")
	late := b.ok("call", "--detach", "guard", "ask", loginForm)
	if r := b.run("call", "--continue", strings.TrimSpace(late), "--timeout", "1m"); r.code != 9 {
		t.Errorf("it asks: %v", r)
	}
}

// hides checks that what is typed is not shown.
func (w *window) hides() {
	w.Helper()
	if w.attributes() == w.before {
		w.Error("what is typed is shown")
	}
}

// TestAskedAtTerminal: a person answers the fields one after the other, is asked
// again where something does not fit, and a secret is not shown.
func TestAskedAtTerminal(t *testing.T) {
	t.Parallel()
	b := askers(t)
	b.ok("tools", "guard")
	w := b.open("call", "guard", "ask", loginForm)
	w.sees("guard asks you, for its tool ask (question q")
	w.sees("  Who is it?\r\n  Say it.\r\n")
	w.sees("Careful: it seems to ask for a secret (password)")
	w.sees("User (required): Your name here\r\nuser: ")
	w.types("\r")
	w.sees("a value is required")
	w.types("Ann\r")
	w.sees("password, not shown: ")
	w.hides()
	w.types("hunter2hunter2\r")
	w.sees("age, a whole number: ")
	w.types("old\r")
	w.sees("it must be a number")
	w.types("3\r")
	w.sees("  \"age\" must be at least 18, not 3\r\nage, a whole number: ")
	w.types("42\r")
	w.sees("1  First (a1)\r\n  2  Second (b2)\r\nkind, 1 to 2 [1]: ")
	w.types("3\r")
	w.sees("it must be a number from 1 to 2")
	w.types("2\r")
	w.sees("tags, numbers separated by commas: ")
	w.types("1, blue\r")
	w.sees("sure, y or n: ")
	w.types("yes\r")
	w.sees(`"user":"Ann"`)
	fstest.Equal(t, w.wait(), 0)
	w.restored()

	w = b.open("call", "guard", "ask", loginForm)
	w.sees("user: ")
	w.types("\x04")
	w.sees(`{"action":"decline"}`)
	fstest.Equal(t, w.wait(), 0)

	w = b.open("call", "guard", "ask", loginForm)
	w.sees("user: ")
	w.types("Ann\r")
	w.sees("password, not shown: ")
	w.hides()
	w.types("\x03")
	fstest.Equal(t, w.wait(), 130)
	w.restored()
}

// TestAskedFieldByField: each value is checked when it is typed, against bounds and
// formats, whatever other fields want; a secret that does not fit is not repeated. A
// default that does not fit is asked for at the end, and nothing else is.
func TestAskedFieldByField(t *testing.T) {
	t.Parallel()
	b := askers(t)
	id, _ := b.asked(`{"type":"object","properties":{` +
		`"user":{"type":"string"},` +
		`"mail":{"type":"string","format":"email"},` +
		`"password":{"type":"string","maxLength":8,"pattern":"^[a-z]+$"},` +
		`"tags":{"type":"array","minItems":2,"items":{"type":"string","enum":["red","green","blue"]}},` +
		`"level":{"type":"integer","minimum":2,"default":1}},"required":["user"]}`)
	w := b.open("answer", id)
	w.sees("user: ")
	w.types("Ann\r")
	w.sees("mail (email)")
	w.types("ann\r")
	w.sees("  --mail must be an email address, such as ann@example.com\r\nmail: ")
	w.types("ann@example.com\r")
	w.sees("password, not shown: ")
	w.hides()
	w.types("HUNTER2\r")
	w.sees("  \"password\" must match the pattern ^[a-z]+$\r\npassword, not shown: ")
	w.hides()
	w.types("hunter\r")
	w.sees("tags, numbers separated by commas: ")
	w.types("1\r")
	w.sees("  \"tags\" must have at least 2 items, not 1\r\ntags, numbers")
	w.types("1,2\r")
	w.sees("level, a whole number [1]: ")
	w.types("\r")
	w.sees("\"level\" must be at least 2, not 1\r\n\r\nlevel\r\nlevel, a whole number [1]: ")
	w.types("2\r")
	w.sees("answered; the call goes on")
	if code := w.wait(); code != 0 || strings.Contains(w.text(), "HUNTER2") {
		t.Errorf("exit %d: %s", code, w.text())
	}
	if out := b.ok("call", "--continue", id); !strings.Contains(out, `"level":2`) || strings.Contains(out, "HUNTER2") {
		t.Errorf("the result: %s", out)
	}
}

// TestAskedElsewhere: what a person is asked can be answered from another terminal,
// and the prompt ends.
func TestAskedElsewhere(t *testing.T) {
	t.Parallel()
	b := askers(t)
	w := b.open("call", "guard", "ask", loginForm)
	w.sees("user: ")
	var open []struct{ ID string }
	must(t, json.Unmarshal([]byte(b.ok("answer", "--json")), &open))
	if len(open) != 1 {
		t.Fatalf("open: %v", open)
	}
	b.ok("answer", open[0].ID, "--user", "Bob")
	w.sees("needs no answer any more")
	w.sees(`"user":"Bob"`)
	fstest.Equal(t, w.wait(), 0)

	id, task := b.asked(loginForm)
	other := b.open("answer", id)
	other.sees("user: ")
	other.types("Eve\r\r\r\r\r\r")
	other.sees("answered; the call goes on")
	fstest.Equal(t, other.wait(), 0)
	here := b.open("call", "--continue", task)
	here.sees(`"user":"Eve"`)

	task = strings.TrimSpace(b.ok("call", "--detach", "guard", "ask", loginForm))
	here = b.open("call", "--continue", task)
	here.sees("user: ")
	here.types("Dan\r\r\r\r\r\r")
	here.sees(`"user":"Dan"`)
}

// TestAskedTooLate: a person who does not answer in time is told.
func TestAskedTooLate(t *testing.T) {
	t.Parallel()
	b := askers(t)
	b.write(".config/ctxfs/config.toml", "[mcp]\nquestion_timeout = \"10s\"\n")
	w := b.open("call", "guard", "ask", loginForm)
	w.sees("user: ")
	w.sees("Nobody has answered in time")
	w.sees(`"action":"cancel"`)
	fstest.Equal(t, w.wait(), 0)
}

// TestAskedSecretsStayIn: the answers to questions are in no file, whatever way they
// were given.
func TestAskedSecretsStayIn(t *testing.T) {
	t.Parallel()
	b := askers(t)
	b.mount()
	b.write(".config/ctxfs/config.toml", "[mcp.policy]\nlog_arguments = true\n")
	const secret = "Zq8-hunter-Vw3"
	id, task := b.asked(loginForm)
	b.ok("answer", id, "--user", "Ann", "--password", secret)
	b.ok("call", "--continue", task)
	w := b.open("call", "guard", "ask", loginForm)
	w.sees("user: ")
	w.types("Ann\r")
	w.sees("not shown: ")
	w.types(secret + "\r")
	w.sees("age, ")
	if strings.Contains(w.text(), secret) {
		t.Error("the secret is shown")
	}
	w.types("\r\r\r\r")
	w.sees(`"user":"Ann"`)
	err := filepath.WalkDir(b.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), secret) {
			t.Errorf("the secret is in %s", path)
		}
		return nil
	})
	must(t, err)
}

// TestServeAsks: the question of a real server goes to an agent that can ask, by the
// gateway, and as text to one that cannot.
func TestServeAsks(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.everything()
	a := b.agent()
	text, failed := a.ask("call", callOf("everything", "trigger-elicitation-request", nil))
	_, after, ok := strings.Cut(text, `call {"continue":"`)
	task, _, _ := strings.Cut(after, `"`)
	if failed || !ok || !containsAll(text, []string{"everything asks before it goes on", "name: string", "until 20"}) {
		t.Fatalf("error %v: %s", failed, text)
	}
	a.says(true, []string{"integer"}, "call", map[string]any{"continue": task, "answer": map[string]any{"name": "Ann", "integer": "x"}})
	a.says(false, []string{"User provided the requested information", "- Name: Ann"}, "call", map[string]any{"continue": task, "answer": map[string]any{"name": "Ann"}})
	a.says(false, []string{"- Name: Ann"}, "call", map[string]any{"continue": task})

	elicits := b.agentThat(client.WithElicitationHandler(answering{"name": "Eve"}))
	elicits.says(false, []string{"- Name: Eve"}, "call", callOf("everything", "trigger-elicitation-request", nil))
	fstest.Equal(t, b.ok("answer", "--json"), "[]\n", "open")
}

// answering is a client that answers every form so.
type answering map[string]any

// Elicit implements client.ElicitationHandler.
func (a answering) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: a}}, nil
}

// TestAskedCompletion completes the IDs of questions and tasks, and the fields of a
// form with their values.
func TestAskedCompletion(t *testing.T) {
	t.Parallel()
	b := askers(t)
	id, task := b.asked(loginForm)
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"answer", ""}, id + "\tguard/ask: Who is it?"},
		{[]string{"answer", id, "--us"}, "--user\tYour name here"},
		{[]string{"answer", id, "--kind", ""}, "b2\tSecond"},
		{[]string{"answer", id, "--d"}, "--decline"},
		{[]string{"call", "--continue", ""}, task + "\tguard/ask, asks"},
		{[]string{"tasks", "cancel", ""}, task + "\tguard/ask, asks"},
		{[]string{"tasks", "wait", ""}, task + "\t"},
		{[]string{"serve", "--project", ""}, ":16\n"}, // folders
	} {
		if out := b.ok(append([]string{"__complete"}, c.words...)...); !strings.Contains(out, c.want) {
			t.Errorf("%q: no %q in\n%s", c.words, c.want, out)
		}
	}
}
