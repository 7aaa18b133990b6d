package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/cmd/ctxfs/terminal"
	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

func (b *box) terminals() (all []terminal.Entry) {
	b.Helper()
	must(b.T, json.Unmarshal([]byte(b.ok("ps", "-a", "--json")), &all))
	return all
}

// holderOf is the process that holds a terminal.
func (b *box) holderOf(id string) int {
	b.Helper()
	t, err := record.LoadState(filepath.Join(b.state, "ctxfs/terminals", id))
	must(b.T, err)
	return t.Holder
}

// TestTerm is a terminal as people use it.
func TestTerm(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal("--name", "api")
	if w.attributes() == w.before {
		t.Error("the terminal is not raw")
	}
	w.types("echo $((40+2)); (exit 3)\r")
	w.sees("42\r\n")
	b.hasRun("api", "echo $((40+2)); (exit 3)", 3)
	if e := b.ps("api"); e.State != record.Idle || e.Cwd != b.dir || e.LastCommand != "echo $((40+2)); (exit 3)" {
		t.Errorf("ps: %+v", e)
	}
	if got := b.ok("ps"); !containsAll(got, []string{"ID", "api", "idle", "(echo $((40+2)); (exit 3): 3)"}) {
		t.Errorf("ps: %s", got)
	}

	// Signals of the keyboard, job control, the size, the variable.
	w.sleeps()
	w.types("\x03")
	w.sees("^C")
	w.sees("ready> ")
	pid := w.sleeps()
	w.types("\x1a")
	w.sees("Stopped")
	w.types("fg\r")
	b.recorded("api", "it runs", func(t *record.Terminal) bool { return t.Command == "fg" })
	fstest.Eventually(t, "it goes on", func() bool { return !stopped(pid) }) // which the kernel tells the shell alone
	w.types("\x03")
	w.sees("^C")
	w.sees("ready> ")
	w.resized("api", 100, 30)
	w.types("stty size; echo $CTXFS_TERMINAL.\r")
	w.sees("30 100\r\napi.\r\n")

	holder := b.holderOf("api")
	w.types("exit 7\r")
	w.ends(7)
	awaitExit(t, holder) // it then has removed what it needed
	if e := b.ps("api"); e.Exit == nil || *e.Exit != 7 || e.LastCommand != "exit 7" {
		t.Errorf("ps: %+v", e)
	}
	if text := b.logOf("api"); !containsAll(text, []string{"ready> echo $((40+2)); (exit 3)\n42\nready> ~/sleeper\n^C\n", "Stopped"}) || strings.ContainsAny(text, "\x1b\r\x00") {
		t.Errorf("log: %q", text)
	}
	if got := b.ok("ps"); !strings.Contains(got, "no terminal is recorded now; open one: ctxfs term") {
		t.Errorf("ps: %s", got)
	}
	for _, path := range []string{"terminals/api/part-0001.txt", "terminals/api/meta.json", "holder.log"} {
		if info, err := os.Stat(filepath.Join(b.state, "ctxfs", path)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(b.state, "ctxfs/run")); len(left) > 0 {
		t.Errorf("left in the runtime folder: %v", left)
	}
}

func TestTermRefused(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.refused(exitFailed, []string{"there is no terminal here", "ctxfs run -- COMMAND"}, "term")
	b.refused(exitUsage, []string{"exclude each other"}, "term", "--shell", "bash", "--", "true")
	w := b.openWith([]string{"CTXFS_TERMINAL=4"}, "term")
	w.sees("ctxfs: this terminal is recorded already, as 4\r\n  to open another one inside it: ctxfs term --force")
	w.ends(exitFailed)
	w = b.open("term", "--shell", "nosuch")
	w.sees("the shell nosuch cannot be started")
	w.ends(127)
	w = b.open("term", "--", "nosuch")
	w.sees("nosuch")
	w.ends(127)
}

// TestTermForms is what else can be opened, and how else it ends: one command, which a signal
// kills; a shell that becomes another program; and one that leaves something in the background,
// which holds up nothing.
func TestTermForms(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.open("term", "--", "sh", "-c", "echo $0 $#; kill -TERM $$", "x", "y")
	w.sees("x 1")
	w.ends(128 + 15)
	if e := b.ps("1"); e.State != record.Ended || e.Signal != "SIGTERM" || e.Exit == nil || *e.Exit != 143 {
		t.Errorf("ps: %+v", e)
	}
	w = b.terminal()
	w.types("exec sh -c 'echo replaced; exit 9'\r")
	w.sees("replaced\r\n")
	w.ends(9)
	b.becomes("2", record.Ended)
	w = b.terminal()
	runs := b.fifo("runs")
	w.types("sh -c 'echo $$ > ~/runs; exec sleep 1000' & disown\r")
	pid := runs.number()
	w.types("exit\r")
	w.ends(0)
	b.becomes("3", record.Ended)
	_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	b.gone()
}
