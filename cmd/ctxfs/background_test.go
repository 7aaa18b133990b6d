package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/cmd/ctxfs/terminal"
	"ctxfs/providers/terminals/record"
)

// background starts a command in the background and returns its entry.
func (b *box) background(args ...string) (e terminal.Entry) {
	b.Helper()
	must(b.T, json.Unmarshal([]byte(b.ok(append([]string{"run", "--background", "--json"}, args...)...)), &e))
	return e
}

// TestRunInBackground: run returns at once with the id, nothing that its caller has open
// is held, and stop ends the whole tree, also what has left it.
func TestRunInBackground(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	runs := b.fifo("runs")
	script := `echo $$ > runs; sh -c 'echo $$ > runs; exec sleep 1000' & setsid sh -c 'trap "" TERM HUP; echo $$ > runs; for i in $(seq 1000); do sleep 0.05; done' & test -t 1 && echo serving; wait`
	// The shell returns when nobody has its output open any more.
	r := b.shell(`exec 7> held; ctxfs run --background --name web -- sh -c "` + strings.ReplaceAll(strings.ReplaceAll(script, `"`, `\"`), "$", `\$`) + `"`)
	if r.code != 0 || r.out != "web\n" || !containsAll(r.err, []string{"ctxfs wait terminal web --exit", "ctxfs stop web"}) {
		t.Fatalf("%v", r)
	}
	pids := []int{runs.number(), runs.number(), runs.number()}
	b.ok("wait", "terminal", "web", "--for", "^serving$")
	e := b.ps("web")
	if e.State != record.Running || e.Source != record.Run || e.Pid == 0 || !strings.HasPrefix(e.Command, "sh -c") || e.Cwd != b.home {
		t.Errorf("ps: %+v", e)
	}
	if fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", b.holderOf("web"))); err == nil {
		for _, fd := range fds {
			if to, _ := os.Readlink(fd); to == filepath.Join(b.home, "held") {
				t.Errorf("the holder has its caller's file open: %s", fd)
			}
		}
	}
	if got := b.ok("stop", "web", "--grace", "300ms"); !containsAll(got, []string{"web: ended, exit 143", "had to be killed"}) {
		t.Errorf("stop: %s", got)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("%d is left of %v", pid, pids)
		}
	}
	if e := b.ps("web"); e.State != record.Ended || e.Killed || e.Exit == nil || *e.Exit != 143 {
		t.Errorf("ps: %+v", e)
	}
	if got := b.ok("stop", "web"); got != "web: had ended already, exit 143\n" {
		t.Errorf("again: %q", got)
	}
	b.refused(exitFailed, []string{`there is no terminal "wob"`, "did you mean: ctxfs stop web"}, "stop", "wob")
	b.refused(exitUsage, []string{"which terminal?"}, "stop")
	b.refused(exitUsage, []string{"--max-bytes excludes it"}, "run", "--background", "--max-bytes", "3", "--", "true")
	b.refused(127, []string{"nosuch: there is no such command"}, "run", "--background", "--", "nosuch")
}

// TestStopWhatIsLeft: what an ended command has left running is ended, and so is what was
// held by a holder that was killed; the background process is no part of a command.
func TestStopWhatIsLeft(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for the background process is one that could be ended
	runs := b.fifo("runs")
	e := b.background("--", "sh", "-c", `setsid sh -c 'echo $$ > ~/runs; exec sleep 1000' >/dev/null 2>&1 & exec ctxfs mount >/dev/null 2>&1`)
	left := runs.number()
	b.becomes(e.ID, record.Ended)
	if !alive(left) {
		t.Fatal("nothing was left running")
	}
	pid := b.pid()
	defer b.ok("unmount")
	if got := b.ok("stop", e.ID); got != e.ID+": ended, exit 0\n" || alive(left) {
		t.Errorf("stop: %q, alive %v", got, alive(left))
	}
	if b.pid() != pid {
		t.Error("the background process was ended, too")
	}

	e = b.background("--", "sh", "-c", "trap '' HUP; echo $$ > ~/runs; for i in $(seq 1000); do sleep 0.05; done")
	left = runs.number()
	holder := b.holderOf(e.ID)
	signalTo(t, holder, syscall.SIGKILL)
	awaitExit(t, holder)
	b.ok("stop", e.ID)
	if e := b.ps(e.ID); e.State != record.Ended || alive(left) {
		t.Error("what a killed holder has left runs on")
	}
}

// TestStopTerminals: a shell of ctxfs term, a command in somebody's window, and one that is
// attached to.
func TestStopTerminals(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal("--name", "api")
	w.sleeps()
	b.ok("stop", "api")
	w.wait()
	w.restored()
	if e := b.ps("api"); e.State != record.Ended {
		t.Errorf("ps: %+v", e)
	}
	front := b.open("run", "--name", "front", "--", "sh", "-c", "echo ready; exec sleep 1000")
	front.sees("ready")
	b.ok("stop", "front")
	front.ends(143)
	back := b.background("--name", "back", "--", "sh", "-c", "read line; echo got $line; read line; exit 4")
	w = b.open("attach", back.ID)
	w.types("this\r")
	w.sees("got this")
	w.types("\r")
	w.ends(4)
}

// TestServerInIndex: of a server that listens, INDEX.md has the port, the process and the
// line by which it said so, also where nothing runs in the background.
func TestServerInIndex(t *testing.T) {
	t.Parallel()
	need(t, "node")
	b := newBox(t)
	const server = `const s = require("http").createServer().listen(0, "127.0.0.1", () => console.log("  Local:  http://localhost:" + s.address().port + "/"))`
	b.write("server.js", server)
	b.write("package.json", `{"scripts": {"dev": "node server.js"}}`)
	e := b.background("--name", "web", "--", "sh", "-c", "cd "+b.home+" && npm run dev")
	defer b.ok("stop", e.ID)
	words := []string{"- **web.txt**: running, pid", "; listens at 127.0.0.1:", " (pid ", "): `Local: http://localhost:"}
	b.ok("wait", "terminal", "web", "--for", "Local:")
	if text := b.ok("cat", "terminals/INDEX.md"); !containsAll(text, words) {
		t.Errorf("without a background process: %s", text)
	}
	b.mount()
	b.shows("terminals/INDEX.md", words...)
	b.ok("stop", "web")
	b.lacks("terminals/INDEX.md", "listens at")
	goes := b.fifo("go")
	e = b.background("--name", "later", "--", "sh", "-c", "cd "+b.home+" && read go <go; exec node server.js")
	defer b.ok("stop", e.ID)
	b.shows("terminals/INDEX.md", "- **later.txt**: running")
	goes.Release()
	b.ok("wait", "terminal", "later", "--for", "Local:")
	b.shows("terminals/INDEX.md", "- **later.txt**: running", "listens at 127.0.0.1:")
}
