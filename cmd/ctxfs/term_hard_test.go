package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestTermDescriptors: nothing of ours is open in the user's programs.
func TestTermDescriptors(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for the descriptors of its process
	const list = "exec ls -m /proc/self/fd /dev/null"
	seen := func(w *window) string {
		w.sees("/dev/null")
		w.wait()
		return w.text()
	}
	want := seen(b.openProgram(nil, "sh", "-c", list))
	for _, how := range []string{"term", "run"} {
		if got := seen(b.open(how, "--", "sh", "-c", list)); got != want {
			t.Errorf("%s: %q, without us %q", how, got, want)
		}
	}
	if got, want := b.ok("run", "--", "sh", "-c", list), b.do("sh", "-c", list).out; got != want {
		t.Errorf("run: %q, without us %q", got, want)
	}
	// Signals are ignored in the command that would be without us, and no others.
	const ignored = "grep SigIgn /proc/self/status"
	if got, want := b.ok("run", "--", "sh", "-c", ignored), b.do("sh", "-c", ignored).out; got != want {
		t.Errorf("run: %s, without us %s", got, want)
	}
}

// TestTermKeys: what is typed and not shown is in no file.
func TestTermKeys(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal()
	w.types("stty -echo; echo se''cret; read word; stty echo; echo \"<${#word}>\"\r")
	w.sees("secret\r\n")
	w.types("correcthorse\r")
	w.sees("<12>")
	holder := b.holderOf("1")
	w.types("exit\r")
	w.wait()
	awaitExit(t, holder) // it removes its files meanwhile
	b.inNoFile("correcthorse")
}

// TestTermInterrupt: a flood is stopped by a key, and a storm of sizes harms
// nothing.
func TestTermInterrupt(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal()
	w.types("yes some line\r")
	w.sees("some line\r\nsome line\r\n")
	for n := range uint16(200) {
		w.resize(20+n%100, 5+n%50)
	}
	w.resized("1", 81, 25)
	w.types("\x03")
	w.sees("^C")
	w.sees("ready> ")
	w.types("stty size\r")
	w.sees("25 81\r\n")
	w.types("exit\r")
	w.wait()
	if text := b.logOf("1"); strings.Count(text, "some line\n") < 2 || strings.Contains(text, "\x00") {
		t.Errorf("log of %d bytes", len(text))
	}
}

// TestTermStalled: a window that takes nothing holds up neither the program nor
// the recording, and shows the screen when it takes something again.
func TestTermStalled(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	w := b.terminal()
	resume := w.pause()
	w.types("seq 100000; echo do''ne\r")
	b.logs("1", "\n99999\n100000\ndone\n")
	resume()
	w.sees("\x1b[H\x1b[2J")
	w.sees("done")
	w.types("exit 3\r")
	w.ends(3)
}

// TestTermDetachKey: the key that the configuration says.
func TestTermDetachKey(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".config/ctxfs/config.toml", "[terminals]\ndetach_key = 'ctrl-]'\nreplay = false\n")
	w := b.terminal("--name", strings.Repeat("long", 24)) // and a name that is too long for a socket
	w.types("\x1cd\r")
	w.sees("d")
	w.types("\x1d")
	w.sees("detached")
	w.wait()
	w = b.open("attach", strings.Repeat("long", 24))
	w.sees("ready>")
	w.types("exit\r")
	w.wait()
	if _, err := os.Stat(filepath.Join(b.state, "ctxfs/terminals", strings.Repeat("long", 24), "replay.cast")); err == nil {
		t.Error("a replay is written")
	}
}

// TestTermFromShell: with the line of ctxfs setup shell every new shell is a
// recorded one, once.
func TestTermFromShell(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".bashrc", "PS1='ready> '\n")
	b.ok("setup", "shell", "--shell", "bash")
	w := b.openProgram(nil, "bash", "-i")
	w.sees("ready> ")
	w.types("echo in $CTXFS_TERMINAL.\r")
	w.sees("in 1.\r\n")
	w.types("bash -i\r") // no other one in it
	w.sees("ready> ")
	w.types("echo in $CTXFS_TERMINAL.\r")
	w.sees("in 1.\r\n")
	w.types("exit\r")
	w.sees("ready> ")
	w.types("exit 6\r")
	w.ends(6)
	if all := b.terminals(); len(all) != 1 {
		t.Errorf("terminals: %+v", all)
	}
}

// TestTermMany opens many terminals at once.
func TestTermMany(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".bashrc", "PS1='ready> '\n")
	many := fstest.Rounds(40)
	var all sync.WaitGroup
	for range many {
		w := b.open("term")
		w.types("echo id=$CTXFS_TERMINAL; exit\r")
		all.Go(func() { w.wait() })
	}
	all.Wait()
	for n := range many {
		id := fmt.Sprint(n + 1)
		if text := b.logOf(id); !strings.Contains(text, "id="+id+"\n") {
			t.Errorf("%s: %q", id, text)
		}
	}
}

// TestTermNohup: signals that the opener of the terminal ignores, such as a
// hang-up, are not ignored in it, and nothing is left behind.
func TestTermNohup(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for signals that its process ignores
	b.write(".bashrc", "PS1='ready> '\n")
	w := b.openProgram(nil, "sh", "-c", "trap '' HUP INT QUIT; exec ctxfs term")
	w.sees("ready> ")
	w.types("grep SigIgn /proc/self/status; sleep 1000 &\r")
	w.sees("SigIgn:\t0000000000000000\r\n")
	w.sees("ready> ")
	w.sleeps()
	signalTo(t, b.holderOf("1"), syscall.SIGTERM)
	w.wait()
	b.gone()
}
