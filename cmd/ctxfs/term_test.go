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
	w.sees("ready> ")
	fstest.Eventually(t, "the command is recorded", func() bool { e := b.ps("api"); return e.LastExit != nil && *e.LastExit == 3 })
	if e := b.ps("api"); e.State != record.Idle || e.Cwd != b.dir || e.LastCommand != "echo $((40+2)); (exit 3)" {
		t.Errorf("ps: %+v", e)
	}
	if got := b.ok("ps"); !containsAll(got, []string{"ID", "api", "idle", "(echo $((40+2)); (exit 3): 3)"}) {
		t.Errorf("ps: %s", got)
	}

	// Signals of the keyboard, job control, the size, the variable.
	w.sleeps()
	fstest.Eventually(t, "it runs", func() bool { return b.ps("api").Command == "sleep 1000" })
	w.types("\x03")
	w.sees("^C")
	w.sees("ready> ")
	pid := w.sleeps()
	fstest.Eventually(t, "it runs", func() bool { return b.ps("api").Command == "sleep 1000" })
	w.types("\x1a")
	w.sees("Stopped")
	w.types("fg\r")
	w.sees("fg\r\n")
	fstest.Eventually(t, "it runs", func() bool { return b.ps("api").Command == "fg" && !stopped(pid) })
	w.types("\x03")
	w.sees("ready> ")
	w.resize(100, 30)
	fstest.Eventually(t, "the size is known", func() bool {
		w.types("stty size; echo $CTXFS_TERMINAL.\r")
		return strings.Contains(w.text(), "30 100\r\napi.\r\n")
	})

	holder := b.holderOf("api")
	w.types("exit 7\r")
	if code := w.wait(); code != 7 {
		t.Errorf("exit %d", code)
	}
	w.restored()
	b.becomes("api", record.Ended)
	eventuallyGone(t, holder) // it then has removed what it needed
	if e := b.ps("api"); e.Exit == nil || *e.Exit != 7 || e.LastCommand != "exit 7" {
		t.Errorf("ps: %+v", e)
	}
	if text := b.logOf("api"); !containsAll(text, []string{"ready> echo $((40+2)); (exit 3)\n42\nready> sleep 1000\n^C\n", "Stopped"}) || strings.ContainsAny(text, "\x1b\r\x00") {
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
	b.becomes("1", record.Ended) // that of nosuch
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
	b.becomes("1", record.Ended)
	if e := b.ps("1"); e.Signal != "SIGTERM" || e.Exit == nil || *e.Exit != 143 {
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
			fstest.Eventually(t, "the command is recorded", func() bool {
				e := b.ps(shell)
				return e.LastCommand == "false" && e.LastExit != nil && *e.LastExit == 1
			})
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
	w.types("sleep 1000 & disown; exit\r")
	if code := w.wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
	b.becomes("1", record.Ended)
	b.killSleepers()
}

// killSleepers kills what was left in the background, until nothing runs but the
// background process.
func (b *box) killSleepers() {
	b.Helper()
	fstest.Eventually(b, "nothing runs on", func() bool {
		left := 0
		for _, p := range processesOf(b.dir) {
			if strings.HasPrefix(p.args, "sleep ") {
				_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may have ended
			}
			if !strings.HasSuffix(p.args, " daemon") {
				left++
			}
		}
		return left == 0
	})
}
