package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/providers/terminals/record"
)

// TestRun is one command without a terminal, as in a pipe or CI.
func TestRun(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	r := b.shell(`echo given | ctxfs run --name job -- sh -c 'echo out; echo err >&2; cat; test -t 1 || echo plain; exit 3'`)
	if r.code != 3 || r.out != "out\ngiven\nplain\n" || r.err != "err\n" {
		t.Errorf("exit %d, %v", r.code, r)
	}
	e := b.ps("job")
	if e.State != record.Ended || e.Exit == nil || *e.Exit != 3 || e.Source != record.Run {
		t.Errorf("ps: %+v", e)
	}
	if text := b.logOf("job"); !containsAll(text, []string{"out\n", "err\n", "given\n", "plain\n"}) {
		t.Errorf("log: %q", text)
	}
	found, err := record.Load(filepath.Join(b.state, "ctxfs/terminals/job"))
	must(t, err)
	if n := len(found.Records); n != 1 || *found.Records[0].Exit != 3 || !strings.HasPrefix(found.Records[0].Command, "sh -c 'echo out;") {
		t.Errorf("records: %+v", found.Records)
	}

	// What is not ours is not read as ours.
	if out := b.sh("ctxfs run echo --name x"); out != "--name x\n" {
		t.Errorf("%q", out)
	}
	// A large output, byte for byte, also of what is not text.
	if r := b.shell(`head -c 1000000 /dev/urandom > bytes; ctxfs run -- cat bytes | cmp - bytes`); r.code != 0 {
		t.Errorf("bytes: %v", r)
	}
	// A reader that goes is the command's to notice.
	if r := b.shell(`ctxfs run -- sh -c 'trap "" PIPE; yes; echo $? >&2' | head -1; echo ${PIPESTATUS[0]}; ctxfs run -- yes | head -1; echo ${PIPESTATUS[0]}`); r.out != "y\n0\ny\n141\n" {
		t.Errorf("a pipe that is closed: %v", r)
	}
	// Background children hold up nothing.
	if r := b.shell(`ctxfs run -- sh -c 'sleep 1000 & echo $!' > pid; kill $(cat pid)`); r.code != 0 {
		t.Errorf("background: %v", r)
	}
}

func TestRunNotStarted(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.refused(127, []string{"nosuch: there is no such command"}, "run", "--", "nosuch")
	b.refused(127, []string{"/no/such cannot be started: no such file or folder"}, "run", "--", "/no/such")
	b.write("text", "")
	b.refused(126, []string{"text cannot be started: permission denied"}, "run", "--", filepath.Join(b.home, "text"))
	b.refused(exitUsage, []string{"which command?", "for example: ctxfs run -- make test"}, "run")
	b.refused(exitUsage, []string{`--max-bytes must be a number of bytes, not "-4"`}, "run", "--max-bytes", "-4", "true")
	must(t, os.MkdirAll(filepath.Join(b.state, "ctxfs"), 0o700))
	var recorded []string // a recording says why, as the user was told
	for _, e := range b.terminals() {
		if e.State != record.Ended {
			t.Errorf("ps: %+v", e)
		}
		text, err := os.ReadFile(e.File)
		must(t, err)
		recorded = append(recorded, string(text))
	}
	if all := strings.Join(recorded, "\n"); !containsAll(all, []string{"\nctxfs: nosuch: there is no such command\n", "cannot be started: no such file or folder\n"}) {
		t.Errorf("recorded: %s", all)
	}
}

// TestRunSignals: a signal that ctxfs gets is the command's, and its death ours.
func TestRunSignals(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	for _, s := range []struct {
		signal syscall.Signal
		script string
		code   int
		out    string
	}{
		{syscall.SIGTERM, "echo ready; exec sleep 1000", 143, "ready\n"},
		{syscall.SIGINT, "trap 'echo got; exit 5' INT; echo ready; while :; do sleep 0.01; done", 5, "ready\ngot\n"},
		{syscall.SIGHUP, "trap 'echo got; exit 6' HUP; echo ready; while :; do sleep 0.01; done", 6, "ready\ngot\n"},
		{syscall.SIGUSR1, "trap 'echo got; exit 7' USR1; echo ready; while :; do sleep 0.01; done", 7, "ready\ngot\n"},
	} {
		name := fmt.Sprint("s", int(s.signal))
		cmd := b.command(t.Context(), binary(), "run", "--name", name, "--", "sh", "-c", s.script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		c := b.follow(cmd)
		c.sees("ready")
		must(t, cmd.Process.Signal(s.signal))
		if code, out := c.rest(); code != s.code || "ready\n"+out != s.out || b.logOf(name) != s.out {
			t.Errorf("%v: exit %d, %q, log %q", s.signal, code, out, b.logOf(name))
		}
	}
}

func TestRunMaxBytes(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	file := filepath.Join(b.state, "ctxfs/terminals/1/part-0001.txt")
	r := b.run("run", "--max-bytes", "400", "--", "sh", "-c", "seq 10000; exit 2")
	if r.code != 2 || len(r.out) > 600 || !strings.HasPrefix(r.out, "1\n2\n") || !strings.HasSuffix(r.out, "10000\nLarge output has been written to: "+file+" (48.9 KB, 10000 lines)\n") {
		t.Errorf("%v", r)
	}
	// Even the shortest excerpt says how much is left out and where the whole is.
	file = filepath.Join(b.state, "ctxfs/terminals/2/part-0001.txt")
	if r := b.run("run", "--max-bytes", "10", "--", "seq", "300"); r.out != "1\n2\n... 297 lines (1.1 KB) left out ...\n300\nLarge output has been written to: "+file+" (1.1 KB, 300 lines)\n" {
		t.Errorf("%v", r)
	}
	if r := b.run("run", "--max-bytes", "400", "--", "sh", "-c", `printf '\033[31mred\033[0m\n'; echo err >&2`); r.code != 0 || r.out != "red\nerr\n" && r.out != "err\nred\n" || r.err != "" {
		t.Errorf("%v", r)
	}
}

// TestRunInTerminal: where there is a terminal the command has one.
func TestRunInTerminal(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.open("run", "--", "sh", "-c", "test -t 0 && test -t 1 && stty size; read x; echo got $x; exit 3")
	w.sees("24 80\r\n")
	w.types("this\r")
	w.sees("got this\r\n")
	w.ends(3)
	if text := b.logOf("1"); text != "24 80\nthis\ngot this\n" {
		t.Errorf("log: %q", text)
	}
	w = b.open("run", "--", "sh", "-c", "echo ready; exec sleep 1000")
	w.sees("ready")
	w.types("\x03")
	w.ends(130)
	// Standard input that is none is handed on.
	w = b.openProgram(nil, "sh", "-c", "echo piped | ctxfs run -- sh -c 'cat; test -t 1 && echo shown'")
	w.sees("piped\r\nshown\r\n")
	w.ends(0)
	// A signal, and a window that is closed.
	w = b.open("run", "--name", "long", "--", "sh", "-c", "echo ready; exec sleep 1000")
	w.sees("ready")
	signalTo(t, w.cmd.Process.Pid, syscall.SIGTERM)
	w.ends(143)
	w = b.open("run", "--name", "closed", "--", "sh", "-c", "echo ready; exec sleep 1000")
	w.sees("ready")
	w.close()
	w.wait()
	if e := b.ps("closed"); e.State != record.Ended || e.Killed || b.logOf("closed") != "ready\n" {
		t.Errorf("a window that was closed: %+v, %q", e, b.logOf("closed"))
	}
}
