package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/policy"
)

// repository makes a repository in the home folder, and returns its folder.
func (w *world) repository(name string) string {
	w.t.Helper()
	w.write(filepath.Join(name, ".git", "HEAD"), "ref: refs/heads/main\n")
	real, err := filepath.EvalSymlinks(filepath.Join(w.home, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return real
}

// callFrom calls a tool of a server as a caller in a folder does.
func (w *world) callFrom(dir, server, tool, args string) (*calls.Result, error) {
	return w.p.Call(context.Background(), calls.Call{
		Server: server, Tool: tool, Arguments: json.RawMessage(args), Caller: calls.Caller{Via: "command", Dir: dir},
	})
}

// where asks a server from a folder where it runs.
func (w *world) where(dir, server string) where {
	w.t.Helper()
	r, err := w.callFrom(dir, server, "where", "")
	if err != nil {
		w.t.Fatalf("%s from %s: %v", server, dir, err)
	}
	return whereOf(w.t, r)
}

func whereOf(t testing.TB, r *calls.Result) (is where) {
	t.Helper()
	if err := json.Unmarshal(r.Text, &is); err != nil {
		t.Fatalf("%v: %s", err, r.Text)
	}
	return is
}

// placesWorld has a provider of a stub "places", whose starts are in the journal.
func placesWorld(t testing.TB) (w *world, count func(string) int) {
	w = newWorld(t)
	journal, count := w.journal()
	w.claude(map[string]any{"places": stub("places", stubJournal, journal)})
	w.settings("")
	w.write(filepath.Join("none", "x"), "")
	return w, count
}

// TestEachProjectHasItsInstance: a process, in the folder of the project, with the
// project as its root, from wherever in it a call comes; and one outside of them all.
func TestEachProjectHasItsInstance(t *testing.T) {
	w, count := placesWorld(t)
	w.opts.StateDir = t.TempDir()
	a, b := w.repository("a"), w.repository("b")
	inner := w.repository("a/deep/inner")
	w.write("a/sub/dir/x", "")
	if err := os.Symlink(filepath.Join(a, "sub"), filepath.Join(w.home, "link")); err != nil {
		t.Fatal(err)
	}
	w.open().start()
	shared := w.untilState("places", "ready")
	contains(t, shared, "\nscope: project — servers that are processes may keep state of the folder that they run in\n")
	containsNot(t, shared, "processes for projects")
	if n := count("start"); n != 1 {
		t.Fatalf("%d processes before any call", n)
	}

	pids := make(map[int]string)
	for dir, project := range map[string]string{
		a: a, a + "/sub/dir": a, a + "/deep": a, w.home + "/link/dir": a, b: b, inner: inner, w.home: "", w.home + "/none": "", "": "",
	} {
		is := w.where(dir, "places")
		want, roots := project, []string{project}
		if project == "" {
			want, roots = w.home, nil
		}
		if is.Dir != want || fmt.Sprint(is.Roots) != fmt.Sprint(roots) || (is.Roots == nil) != (project == "") {
			t.Errorf("from %q: it runs in %s, with the roots %v", dir, is.Dir, is.Roots)
		}
		if of, ok := pids[is.PID]; ok && of != project {
			t.Errorf("%q and %q share the process %d", of, project, is.PID)
		}
		pids[is.PID] = project
	}
	if n := count("start"); len(pids) != 4 || n != 4 {
		t.Errorf("%d processes for three projects and none, %d starts", len(pids), n)
	}
	status := w.cat("places/STATUS.md")
	contains(t, status, "processes for projects and sessions (at most 8 of all servers at once",
		"\n- "+a+": ready since 20", "\n- "+b+": ready since 20", "\n- "+inner+": ready since 20", "or: ctxfs restart places\n")
	log, err := os.ReadFile(filepath.Join(w.opts.StateDir, "calls.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(log), `"project":"`+a+`"`, `"project":"`+inner+`"`)

	if err := w.p.Restart("places"); err != nil {
		t.Fatal(err)
	}
	w.until("they are stopped", func() bool { return !strings.Contains(w.cat("places/STATUS.md"), "processes for projects") })
	if is := w.where(a, "places"); pids[is.PID] != "" || is.Dir != a {
		t.Errorf("after a restart: %+v", is)
	}
}

// TestANamedProject takes precedence over the caller's folder.
func TestANamedProject(t *testing.T) {
	w, _ := placesWorld(t)
	a, b := w.repository("a"), w.repository("b")
	w.write("b/sub/x", "")
	w.open()
	for name, want := range map[string]string{b: b, b + "/sub": b, w.home + "/none": w.home + "/none"} {
		r, err := w.p.Call(context.Background(), calls.Call{Server: "places", Tool: "where", Project: name, Caller: calls.Caller{Dir: a}})
		if err != nil {
			t.Fatal(err)
		}
		if is := whereOf(t, r); is.Dir != want {
			t.Errorf("--project %s: it runs in %s", name, is.Dir)
		}
	}
	for _, name := range []string{w.home + "/nowhere", "relative", w.home + "/none/x"} {
		_, err := w.p.Call(context.Background(), calls.Call{Server: "places", Tool: "where", Project: name, Caller: calls.Caller{Dir: a}})
		if calls.Outcome(nil, err) != calls.OutcomeBadArguments || !strings.Contains(err.Error(), "the project cannot be used") {
			t.Errorf("--project %s: %v", name, err)
		}
	}
}

// TestOutsideOfAllProjects the call is made in the shared process, and says so.
func TestOutsideOfAllProjects(t *testing.T) {
	w, _ := placesWorld(t)
	w.open()
	r, err := w.callFrom(w.home+"/none", "places", "where", "")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, r.Note, "the caller stands in no project: "+w.home+"/none", "--project DIR")
	r, err = w.callFrom(w.repository("a"), "places", "where", "")
	if err != nil || r.Note != "" {
		t.Errorf("%q, %v", r.Note, err)
	}
}

// TestSharedByConfiguration has one process for all, or one for each session.
func TestSharedByConfiguration(t *testing.T) {
	w, _ := placesWorld(t)
	w.settings("[mcp.servers.places]\nscope = \"user\"\n")
	a, b := w.repository("a"), w.repository("b")
	w.open()
	if one, two := w.where(a, "places"), w.where(b, "places"); one.PID != two.PID || one.Dir != w.home || one.Roots != nil {
		t.Errorf("shared by all: %+v, %+v", one, two)
	}
	contains(t, w.cat("places/STATUS.md"), "\nscope: user — ")

	w.settings("[mcp.servers.places]\nscope = \"session\"\n")
	w.p.Reload()
	pids := make(map[int]string)
	for range 2 {
		for _, at := range []place{{a, "s1"}, {a, "s2"}, {b, "s1"}, {a, ""}} {
			r, err := w.p.Call(context.Background(), calls.Call{Server: "places", Tool: "where", Caller: calls.Caller{Dir: at.project, Session: at.session}})
			if err != nil {
				t.Fatal(err)
			}
			is := whereOf(t, r)
			if of, ok := pids[is.PID]; ok && of != at.String() || is.Dir != at.project {
				t.Errorf("%s runs in %s, together with %s", at, is.Dir, of)
			}
			pids[is.PID] = at.String()
		}
	}
	if len(pids) != 4 {
		t.Errorf("%d processes: %v", len(pids), pids)
	}
	contains(t, w.cat("places/STATUS.md"), "\nscope: session — ", a+", session s1: ready")
}

// TestAProjectsServer is called from within its project only; the tree looks the same
// to everybody.
func TestAProjectsServer(t *testing.T) {
	w := newWorld(t)
	w.opts.StateDir = t.TempDir()
	w.settings("")
	journal, count := w.journal()
	a, b := w.repository("a"), w.repository("b")
	inner := w.repository("a/inner")
	w.write(".claude.json", `{"projects": {`+quoted(a)+`: {}}}`)
	w.configure("a/.mcp.json", map[string]any{"own": stub("places", stubJournal, journal)})
	w.open().start()
	if _, err := w.p.Trust(a); err != nil {
		t.Fatal(err)
	}
	w.untilState("own", "ready")
	starts := count("start")
	for _, dir := range []string{a, inner} {
		if is := w.where(dir, "own"); is.Dir != a || fmt.Sprint(is.Roots) != fmt.Sprint([]string{a}) {
			t.Errorf("from %s: %+v", dir, is)
		}
	}
	for _, c := range []calls.Call{
		{Caller: calls.Caller{Dir: b}}, {Caller: calls.Caller{Dir: w.home}}, {}, {Project: b, Caller: calls.Caller{Dir: a}}, {Project: w.home, Caller: calls.Caller{Dir: a}},
	} {
		c.Server, c.Tool = "own", "where"
		_, err := w.p.Call(context.Background(), c)
		denied := (*policy.DeniedError)(nil)
		if calls.Outcome(nil, err) != calls.OutcomeDenied || !errors.As(err, &denied) {
			t.Errorf("from %s, %s: %v", c.Caller.Dir, c.Project, err)
			continue
		}
		contains(t, err.Error(), "server own belongs to the project "+a+", and is called only from there")
		contains(t, denied.Mend, "--project "+wording.ShellWord(a))
	}
	r, err := w.p.Call(context.Background(), calls.Call{Server: "own", Tool: "where", Project: a, Caller: calls.Caller{Dir: b}})
	if err != nil || whereOf(t, r).Dir != a {
		t.Errorf("%v", err)
	}
	if n := count("start"); n != starts {
		t.Errorf("%d starts more", n-starts)
	}
}

func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// TestAServerThatWantsAProject runs for projects only: its first instance's tools are
// the catalogue, and nothing is wrong with it before.
func TestAServerThatWantsAProject(t *testing.T) {
	w := newWorld(t)
	w.settings("")
	journal, count := w.journal()
	entry := stub("places", stubJournal, journal)
	entry["args"] = []string{"--in", "${workspaceFolder}"}
	w.cursor(map[string]any{"wants": entry})
	a, b := w.repository("a"), w.repository("b")
	w.open().start()
	status := w.untilState("wants", "stopped")
	contains(t, status, "it starts when it is called from within a project", "\nfix: call it from within a project")
	if s := w.p.Status(); len(s.Problems) > 0 {
		t.Errorf("%+v", s.Problems)
	}
	_, err := w.callFrom(w.home, "wants", "where", "")
	if calls.Outcome(nil, err) != calls.OutcomeUnreachable || !strings.Contains(err.Error(), config.StateUnresolved) || !strings.Contains(err.Error(), "called from within a project") {
		t.Error(err)
	}
	info, err := w.p.KnownTool(context.Background(), &calls.Call{Server: "wants", Tool: "where", Caller: calls.Caller{Dir: a}})
	if err != nil || info.Name != "where" {
		t.Fatal(info, err)
	}
	for _, dir := range []string{a, b} {
		if is := w.where(dir, "wants"); is.Dir != dir || fmt.Sprint(is.Args) != fmt.Sprint([]string{"--in", dir}) {
			t.Errorf("from %s: %+v", dir, is)
		}
	}
	if got := w.ls("wants/tools"); got != "forget.json hold.json remember.json where.json" {
		t.Error(got)
	}
	if n := count("start"); n != 2 {
		t.Errorf("%d starts", n)
	}
	w.reopen().start()
	contains(t, w.untilState("wants", "cached"), "4 tools")
	if is := w.where(b, "wants"); is.Dir != b {
		t.Errorf("%+v", is)
	}
}
