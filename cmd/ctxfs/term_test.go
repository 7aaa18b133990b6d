package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
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
	if code := w.wait(); code != 7 {
		t.Errorf("exit %d", code)
	}
	w.restored()
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
	if code := w.wait(); code != exitFailed {
		t.Errorf("exit %d", code)
	}
	w = b.open("term", "--shell", "nosuch")
	w.sees("the shell nosuch cannot be started")
	if code := w.wait(); code != 127 {
		t.Errorf("exit %d", code)
	}
	w = b.open("term", "--", "nosuch")
	w.sees("nosuch")
	if code := w.wait(); code != 127 {
		t.Errorf("exit %d", code)
	}
	w.restored()
}

// TestTermForms is what else can be opened: other shells, one command, one that
// a signal kills.
func TestTermForms(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.open("term", "--", "sh", "-c", "echo $0 $#; kill -TERM $$", "x", "y")
	w.sees("x 1")
	if code := w.wait(); code != 128+15 {
		t.Errorf("exit %d", code)
	}
	if e := b.ps("1"); e.State != record.Ended || e.Signal != "SIGTERM" || e.Exit == nil || *e.Exit != 143 {
		t.Errorf("ps: %+v", e)
	}
	for _, shell := range []string{"zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			need(t, shell)
			b.write(".zshrc", "PS1='ready> '\n")
			b.write(".config/fish/config.fish", "function fish_prompt; echo -n 'ready> '; end\n")
			w := b.open("term", "--shell", shell, "--name", shell)
			w.sees("ready> ")
			w.types("false\r")
			b.hasRun(shell, "false", 1)
			w.types("exit 5\r")
			if code := w.wait(); code != 5 {
				t.Errorf("exit %d", code)
			}
		})
	}
}

// TestTermExec: the shell becomes another program.
func TestTermExec(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal()
	w.types("exec sh -c 'echo replaced; exit 9'\r")
	w.sees("replaced\r\n")
	if code := w.wait(); code != 9 {
		t.Errorf("exit %d", code)
	}
	b.becomes("1", record.Ended)
}

// TestTermBackground: what runs on in the background is hung up, and holds up
// nothing.
func TestTermBackground(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal()
	runs := fstest.NewFIFO(t)
	w.types("sh -c 'echo $$ >" + runs.Path + "; exec sleep 1000' & disown\r")
	pid, err := strconv.Atoi(runs.Line())
	must(t, err)
	w.types("exit\r")
	if code := w.wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
	b.becomes("1", record.Ended)
	_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	b.gone()
}
