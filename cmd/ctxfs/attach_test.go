package main

import (
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// TestAttach: a terminal lives on without a window, and is shown in another.
func TestAttach(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal("--name", "api")
	w.types("echo one\r")
	w.sees("one\r\n")
	w.sees("ready> ")
	w.types("\x1cd")
	w.sees("ctxfs: detached; look at it again: ctxfs attach api")
	w.ends(0)
	if e := b.ps("api"); e.State != record.Idle {
		t.Errorf("after detaching: %+v", e)
	}

	first := b.open("attach", "api")
	first.sees("one\x1b[3Hready>") // the screen
	second := b.open("attach", "api")
	second.sees("one\x1b[3Hready>")
	second.types("echo t\"\"wo\r")
	first.sees("two\r\n")
	second.sees("two\r\n")

	// The smallest counts, also when it leaves.
	second.resized("api", 60, 20)
	first.types("stty size\r")
	first.sees("20 60\r\n")
	second.types("\x1cd")
	second.sees("detached")
	first.types("stty size\r")
	first.sees("24 80\r\n")

	// The first key of two is the program's, if the other does not follow.
	first.sleeps()
	first.types("\x1c")
	first.sees("^\\")
	first.types("exit 4\r")
	first.ends(4)
	b.refused(exitFailed, []string{"terminal api has ended", "what it has shown: ", "api/part-0001.txt"}, "attach", "api")
}

func TestAttachRefused(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.refused(exitFailed, []string{`there is no terminal "api"`, "ctxfs ps"}, "attach", "api")
	w := b.terminal("--name", "server")
	b.refused(exitFailed, []string{`there is no terminal "sever"`, "did you mean: ctxfs attach server"}, "attach", "sever")
	b.refused(exitFailed, []string{"there is no terminal here to show it in", "server/part-0001.txt"}, "attach", "server")
	if got := b.ok("__complete", "attach", ""); !strings.HasPrefix(got, "server\n") {
		t.Errorf("completion: %s", got)
	}
	w.types(binary() + " attach --force server\r")
	w.sees("this is terminal server itself")
	w.sees("ready> ")
	w.types(binary() + " term\r")
	w.sees("this terminal is recorded already, as server")
	w.types("exit\r")
	w.wait()
}

// TestAttachFullScreen: a program that has the whole screen draws it again.
func TestAttachFullScreen(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	need(t, "less")
	b.write("long", strings.Repeat("some line\n", 100)+"the end\n")
	w := b.terminal()
	w.types("less ~/long\r")
	w.sees("\x1b[?1049h")
	w.sees("some line")
	w.types("G")
	w.sees("the end")
	w.types("\x1cd")
	w.sees("\x1b[?1049l") // the window is left as one without it
	w.sees("detached")
	again := b.open("attach", "1")
	again.sees("\x1b[?1049h")
	again.sees("\x1b[H\x1b[2J")
	again.sees("the end") // the grid's
	again.sees("the end") // less's own
	again.types("q")
	again.sees("ready> ")
	again.types("exit\r")
	again.ends(0)
}

// TestClientKilled: the terminal lives on when its window goes, however it goes,
// and the window is usable.
func TestClientKilled(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal()
	signalTo(t, w.cmd.Process.Pid, syscall.SIGKILL)
	w.wait()
	fstest.Eventually(t, "the terminal is as it was", func() bool { return w.attributes() == w.before }) // by the holder, which tells who was killed
	if e := b.ps("1"); e.State != record.Idle {
		t.Fatalf("after the kill: %+v", e)
	}
	// Nobody takes what is typed now.
	w.types("x")
	again := b.open("attach", "1")
	again.sees("ready>")
	again.types("echo $((1+1))\r")
	again.sees("2\r\n")
	again.close() // the window goes
	again.wait()
	again = b.open("attach", "1")
	again.sees("ready>")
	signalTo(t, again.cmd.Process.Pid, syscall.SIGTERM)
	again.sees("detached")
	again.wait()
	again.restored()
	again = b.open("attach", "1")
	again.sees("ready>")
	again.types("exit\r")
	again.ends(0)
}

// TestHolderKilled: what was recorded stays, the terminal ends, and nothing runs on.
func TestHolderKilled(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal("--name", "api")
	w.types("echo $((40+2)); sleep 1000\r")
	w.sees("42\r\n")
	b.logs("api", "42\n")
	shell := b.ps("api").Pid
	signalTo(t, b.holderOf("api"), syscall.SIGKILL)
	w.sees("the process that held the terminal was killed\r\n")
	w.ends(exitFailed)
	awaitExit(t, shell)
	if e := b.ps("api"); e.State != record.Ended || !e.Killed {
		t.Errorf("ps: %+v", e)
	}
	// Its name can be had again, and its socket is in nobody's way.
	w = b.terminal("--name", "api")
	w.types("exit\r")
	w.ends(0)
}

// TestHolderEnded: a holder that gets SIGTERM closes the terminal properly, and kills a program
// that takes no notice; and the record shows how a shell ended that was killed.
func TestHolderEnded(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal()
	w.sleeps()
	signalTo(t, b.holderOf("1"), syscall.SIGTERM)
	w.ends(128 + 1)
	if e := b.ps("1"); e.State != record.Ended || e.Killed || e.LastCommand != "~/sleeper" {
		t.Errorf("ps: %+v", e)
	}
	w = b.open("term", "--", "sh", "-c", "trap '' HUP; echo ready; while :; do sleep 0.1; done")
	w.sees("ready")
	signalTo(t, b.holderOf("2"), syscall.SIGTERM)
	w.ends(128 + 9)
	w = b.terminal()
	signalTo(t, b.ps("3").Pid, syscall.SIGKILL)
	w.ends(128 + 9)
	if e := b.ps("3"); e.State != record.Ended || e.Signal != "SIGKILL" || b.ps("2").State != record.Ended {
		t.Errorf("ps: %+v", e)
	}
}
