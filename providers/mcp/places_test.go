package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
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
	return fillPlaces(newWorld(t))
}

// fillPlaces configures that provider in a world.
func fillPlaces(w *world) (_ *world, count func(string) int) {
	journal, count := w.journal()
	w.claude(map[string]any{"places": stub("places", stubJournal, journal)})
	w.settings("")
	w.write(filepath.Join("none", "x"), "")
	return w, count
}

// TestEachProjectHasItsInstance: a process, in the folder of the project, with the
// project as its root, from wherever in it a call comes; and one outside of them all.
func TestEachProjectHasItsInstance(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, count := placesWorld(t)
		w.opts.State = t.TempDir()
		a, b := w.repository("a"), w.repository("b")
		inner := w.repository("a/deep/inner")
		w.write("a/sub/dir/x", "")
		if err := os.Symlink(filepath.Join(a, "sub"), filepath.Join(w.home, "link")); err != nil {
			t.Fatal(err)
		}
		w.open().start()
		shared := w.untilState("places", "ready")
		fstest.Contains(t, shared, "\nscope: project — its process may keep state of the folder it runs in\n")
		fstest.ContainsNot(t, shared, "processes for projects")
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
				want, roots = w.home, []string{}
			}
			if is.Dir != want || fmt.Sprint(is.Roots) != fmt.Sprint(roots) || is.Roots == nil {
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
		fstest.Contains(t, status, "processes for projects and sessions (at most 8 of all servers at once",
			"\n- "+a+": ready since 20", "\n- "+b+": ready since 20", "\n- "+inner+": ready since 20", "or: ctxfs restart places\n")
		log, err := os.ReadFile(filepath.Join(w.opts.State, "calls.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		fstest.Contains(t, string(log), `"project":"`+a+`"`, `"project":"`+inner+`"`)

		if err := w.p.Restart("places"); err != nil {
			t.Fatal(err)
		}
		w.await("they are stopped", func() bool { return !strings.Contains(w.cat("places/STATUS.md"), "processes for projects") })
		if is := w.where(a, "places"); pids[is.PID] != "" || is.Dir != a {
			t.Errorf("after a restart: %+v", is)
		}
	})
}

// TestANamedProject takes precedence over the caller's folder.
func TestANamedProject(t *testing.T) {
	bubble(t, func(t *testing.T) {
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
	})
}

// TestOutsideOfAllProjects the call is made in the shared process, and says so where
// its caller may think that it is in a project.
func TestOutsideOfAllProjects(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := placesWorld(t)
		w.open()
		r, err := w.callFrom(w.home+"/none", "places", "where", "")
		if err != nil {
			t.Fatal(err)
		}
		if r.Note != "" {
			t.Errorf("from a folder of no project: %q", r.Note)
		}
		r, err = w.p.Call(context.Background(), calls.Call{Server: "places", Tool: "where", Caller: calls.Caller{Unknown: "its process has ended"}})
		if err != nil {
			t.Fatal(err)
		}
		fstest.Contains(t, r.Note, "where the caller stands is not known: its process has ended", "--project DIR")
		r, err = w.callFrom(w.repository("a"), "places", "where", "")
		if err != nil || r.Note != "" {
			t.Errorf("%q, %v", r.Note, err)
		}
	})
}

// TestSharedByConfiguration has one process for all, or one for each session.
func TestSharedByConfiguration(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := placesWorld(t)
		w.settings("[mcp.servers.places]\nscope = \"user\"\n")
		a, b := w.repository("a"), w.repository("b")
		w.open()
		if one, two := w.where(a, "places"), w.where(b, "places"); one.PID != two.PID || one.Dir != w.home || len(one.Roots) > 0 {
			t.Errorf("shared by all: %+v, %+v", one, two)
		}
		fstest.Contains(t, w.cat("places/STATUS.md"), "\nscope: user — ")

		w.settings("[mcp.servers.places]\nscope = \"session\"\n")
		w.p.Reload()
		pids := make(map[int]string)
		for range 2 {
			for _, at := range []place{{Project: a, Session: "s1"}, {Project: a, Session: "s2"}, {Project: b, Session: "s1"}, {Project: a}} {
				r, err := w.p.Call(context.Background(), calls.Call{Server: "places", Tool: "where", Caller: calls.Caller{Dir: at.Project, Session: at.Session}})
				if err != nil {
					t.Fatal(err)
				}
				is := whereOf(t, r)
				if of, ok := pids[is.PID]; ok && of != at.String() || is.Dir != at.Project {
					t.Errorf("%s runs in %s, together with %s", at, is.Dir, of)
				}
				pids[is.PID] = at.String()
			}
		}
		if len(pids) != 4 {
			t.Errorf("%d processes: %v", len(pids), pids)
		}
		fstest.Contains(t, w.cat("places/STATUS.md"), "\nscope: session — ", a+", session s1: ready")
	})
}

// TestAProjectsServer is called from within its project only; the tree looks the same
// to everybody.
func TestAProjectsServer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.State = t.TempDir()
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
			fstest.Contains(t, err.Error(), "server own belongs to the project "+a+", and is called only from there")
			fstest.Contains(t, denied.Mend, "--project "+wording.ShellWord(a))
		}
		r, err := w.p.Call(context.Background(), calls.Call{Server: "own", Tool: "where", Project: a, Caller: calls.Caller{Dir: b}})
		if err != nil || whereOf(t, r).Dir != a {
			t.Errorf("%v", err)
		}
		if n := count("start"); n != starts {
			t.Errorf("%d starts more", n-starts)
		}
	})
}

func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// TestAServerThatWantsAProject runs for projects only: its first instance's tools are
// the catalogue, and nothing is wrong with it before.
func TestAServerThatWantsAProject(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.settings("")
		journal, count := w.journal()
		entry := stub("places", stubJournal, journal)
		entry["args"] = []string{"--in", "${workspaceFolder}"}
		w.cursor(map[string]any{"wants": entry})
		a, b := w.repository("a"), w.repository("b")
		w.open().start()
		status := w.untilState("wants", "stopped")
		fstest.Contains(t, status, "it starts when it is called from within a project", "\nfix: call it from within a project")
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
		fstest.Contains(t, w.untilState("wants", "cached"), "4 tools")
		if is := w.where(b, "wants"); is.Dir != b {
			t.Errorf("%+v", is)
		}
	})
}

// limited is a world in which two instances may run besides the shared ones, and
// three projects.
func limited(t *testing.T, settings string) (w *world, count func(string) int, projects []string) {
	w, count = placesWorld(t)
	w.settings("[mcp]\nmax_instances = 2\n" + settings)
	for _, name := range []string{"a", "b", "c"} {
		projects = append(projects, w.repository(name))
	}
	return w.open(), count, projects
}

// placed returns the number of a server's instances besides the shared one.
func (w *world) placed(server string) int {
	w.t.Helper()
	s, err := w.p.ChooseOne(server)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(s.Instances()) - 1
}

// holdIn has a call of a project be under way until the function returned is called.
func (w *world) holdIn(dir, server string, count func(string) int) (release func()) {
	w.t.Helper()
	before := count("holds")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.p.Call(ctx, calls.Call{Server: server, Tool: "hold", Caller: calls.Caller{Dir: dir}})
	}()
	w.await("a call is under way", func() bool { return count("holds") > before })
	return func() { cancel(); <-done }
}

// TestTheLeastUsedInstanceStopsFirst where more projects are in use than instances
// may run.
func TestTheLeastUsedInstanceStopsFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, p := limited(t, "")
		where := func(project int) where {
			w.pass() // it matters which use was before
			return w.where(p[project], "places")
		}
		where(0)
		b := where(1)
		a := where(0) // now b is the least used
		c := where(2)
		var status string
		w.await("it has left", func() bool { // its place is given away a little earlier
			status = w.cat("places/STATUS.md")
			return !strings.Contains(status, "\n- "+p[1]+":")
		})
		fstest.Contains(t, status, "(at most 2 of all servers", "\n- "+p[0]+": ready", "\n- "+p[2]+": ready")
		if again := where(0); again.PID != a.PID {
			t.Errorf("the one that was used later was stopped: %d, %d", again.PID, a.PID)
		}
		if again := where(1); again.PID == b.PID || again.Dir != p[1] {
			t.Errorf("%+v", again)
		}
		if again := where(0); again.PID != a.PID {
			t.Errorf("c was the least used: %d, %d, %d", again.PID, a.PID, c.PID)
		}
	})
}

// TestACallWaitsForAnInstance where all that may run are in use, as long as it may
// wait, and then says so.
func TestACallWaitsForAnInstance(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, count, p := limited(t, "")
		a, b := w.holdIn(p[0], "places", count), w.holdIn(p[1], "places", count)
		_, err := w.p.Call(context.Background(), calls.Call{Server: "places", Tool: "where", Caller: calls.Caller{Dir: p[2]}, Timeout: 50 * time.Millisecond})
		useErr := (*calls.UseError)(nil)
		if calls.Outcome(nil, err) != calls.OutcomeTimeout || !errors.As(err, &useErr) {
			t.Fatal(err)
		}
		fstest.Contains(t, err.Error(), "2 processes for projects and sessions run already, and all are in use")
		fstest.Contains(t, useErr.Mend, "max_instances")

		got := make(chan where)
		go func() { got <- w.where(p[2], "places") }()
		w.await("it waits", func() bool { return w.placed("places") == 3 })
		a()
		if is := <-got; is.Dir != p[2] {
			t.Errorf("%+v", is)
		}
		b()
	})
}

// TestNoInstancesBesidesTheSharedOnes refuses calls for a project, and makes others.
func TestNoInstancesBesidesTheSharedOnes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := placesWorld(t)
		w.settings("[mcp]\nmax_instances = 0\n")
		a := w.repository("a")
		w.open()
		_, err := w.callFrom(a, "places", "where", "")
		if err == nil {
			t.Fatal("it was made")
		}
		fstest.Contains(t, err.Error(), "max_instances is 0")
		if is := w.where(w.home, "places"); is.Dir != w.home {
			t.Errorf("%+v", is)
		}
	})
}

// TestUnusedInstancesStop each by itself.
func TestUnusedInstancesStop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, count := placesWorld(t)
		w.settings("[mcp]\nidle_timeout = \"20ms\"\n")
		a, b := w.repository("a"), w.repository("b")
		w.open()
		release := w.holdIn(b, "places", count)
		is := w.where(a, "places")
		w.await("it has stopped", func() bool { return !strings.Contains(w.cat("places/STATUS.md"), "\n- "+a+":") })
		fstest.Contains(t, w.cat("places/STATUS.md"), "\n- "+b+": ready")
		if again := w.where(a, "places"); again.PID == is.PID {
			t.Error("it runs on")
		}
		release()
		w.await("all have stopped", func() bool { return !strings.Contains(w.cat("places/STATUS.md"), "processes for projects") })
		w.await("none are left", func() bool { return w.placed("places") == 0 })
	})
}

// TestAnInstanceThatFails says why, is not started again by itself, and is tried again
// by the next call.
func TestAnInstanceThatFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, count := placesWorld(t)
		a, b := w.repository("a"), w.repository("b")
		w.claude(map[string]any{"places": stub("places", stubFault, "stop")})
		w.write("a/stop", "no such luck\n")
		w.open()
		for range 2 {
			_, err := w.callFrom(a, "places", "where", "")
			if calls.Outcome(nil, err) != calls.OutcomeUnreachable || !strings.Contains(err.Error(), "no such luck") {
				t.Fatal(err)
			}
		}
		fstest.Contains(t, w.cat("places/STATUS.md"), "\n- "+a+": error since 20", "no such luck")
		w.where(b, "places")
		if err := os.Remove(a + "/stop"); err != nil {
			t.Fatal(err)
		}
		if is := w.where(a, "places"); is.Dir != a {
			t.Errorf("%+v", is)
		}
		fstest.ContainsNot(t, w.cat("places/STATUS.md"), "error")
		_ = count
	})
}

// TestAChangedConfiguration stops the instances that run otherwise now, and replaces
// them.
func TestAChangedConfiguration(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := placesWorld(t)
		a := w.repository("a")
		w.open()
		first := w.where(a, "places")
		w.p.Reload()
		if again := w.where(a, "places"); again.PID != first.PID {
			t.Error("it was stopped although nothing has changed")
		}
		entry := stub("places")
		entry["args"] = []string{"-changed"}
		w.claude(map[string]any{"places": entry})
		w.p.Reload()
		if again := w.where(a, "places"); again.PID == first.PID || fmt.Sprint(again.Args) != "[-changed]" || again.Dir != a {
			t.Errorf("%+v", again)
		}
		if w.programs.runs(first.PID) {
			t.Error("the process before is still there")
		}
	})
}

// TestAnInstanceWithOtherTools says so, and a call is judged by the definitions of
// both.
func TestAnInstanceWithOtherTools(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.State = t.TempDir()
		w.settings("[mcp.policy]\nconfirm = \"destructive\"\n")
		w.claude(map[string]any{"places": stub("places", stubTools, "tools.json")}) // of the folder that it runs in
		a, b := w.repository("a"), w.repository("b")
		w.write("a/tools.json", `[{"name":"where","inputSchema":{"type":"object","properties":{"depth":{"type":"integer"}},"required":["depth"]}},
		{"name":"forget","annotations":{"destructiveHint":true},"inputSchema":{"type":"object"}},
		{"name":"hold","inputSchema":{"type":"object"}},{"name":"more","inputSchema":{"type":"object"}}]`)
		w.open().start()
		w.untilState("places", "ready")

		if r, err := w.callFrom(a, "places", "hidden", ""); calls.Outcome(r, err) != calls.OutcomeBadArguments {
			t.Error(r, err)
		}
		_, err := w.callFrom(a, "places", "where", "")
		if calls.Outcome(nil, err) != calls.OutcomeBadArguments || !strings.Contains(err.Error(), "depth") {
			t.Error(err)
		}
		r, err := w.callFrom(a, "places", "where", `{"depth":1}`)
		if err != nil {
			t.Fatal(err)
		}
		fstest.Contains(t, r.Note, "for "+a+" the tool is defined otherwise than tools/where.json says")
		_, err = w.callFrom(a, "places", "forget", "")
		if calls.Outcome(nil, err) != calls.OutcomeDenied || !strings.Contains(err.Error(), "requires confirmation") {
			t.Error(err)
		}
		_, err = w.callFrom(a, "places", "remember", `{"text":"x"}`)
		if calls.Outcome(nil, err) != calls.OutcomeBadArguments || !strings.Contains(err.Error(), `has no tool "remember" for `+a) {
			t.Error(err)
		}
		_, err = w.callFrom(a, "places", "more", "")
		if calls.Outcome(nil, err) != calls.OutcomeBadArguments {
			t.Error(err)
		}
		status := w.cat("places/STATUS.md")
		fstest.Contains(t, status, "- for "+a+" these tools are defined otherwise than shown, and calls are checked by both definitions: ", "forget", "where",
			"- for "+a+" these tools are missing: remember\n", "- for "+a+" there are tools that are not shown and cannot be called: more\n")
		if s := w.p.Status(); len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, "server places defines tools otherwise than it is shown: for "+a) {
			t.Errorf("%+v", s.Problems)
		}
		if r, err := w.callFrom(b, "places", "where", ""); err != nil || r.Note != "" {
			t.Error(r.Note, err)
		}
		if got := w.ls("places/tools"); got != "forget.json hold.json remember.json where.json" {
			t.Error(got)
		}
	})
}

// TestMemoryOfProcesses is in STATUS.md, for each instance.
func TestMemoryOfProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the memory of other processes")
	}
	w, _ := fillPlaces(realWorld(t))
	w.opts.timing.sample = time.Millisecond
	a := w.repository("a")
	w.open()
	w.where(a, "places")
	w.where(w.home, "places")
	line := regexp.MustCompile(`\n- ` + regexp.QuoteMeta(a) + `: ready since [^,\n]+, last used about [^,\n]+, [0-9.]+ MB\n`)
	w.await("it says how much", func() bool {
		text := w.cat("places/STATUS.md")
		return line.MatchString(text) && regexp.MustCompile(`\nmemory: [0-9.]+ MB\n`).MatchString(text)
	})
}
