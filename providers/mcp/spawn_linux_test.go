package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestAKilledDaemonLeavesNoServer kills a process that has a server which
// heeds neither the end of its input nor SIGTERM.
func TestAKilledDaemonLeavesNoServer(t *testing.T) {
	w := realWorld(t)
	journal, _ := w.journal()
	w.claude(map[string]any{"stubborn": stub("stubborn", stubJournal, journal)})
	daemon := exec.Command(os.Args[0])
	daemon.Env = append(os.Environ(), stubMode+"=daemon", "HOME="+w.home)
	input, err := daemon.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait() // it was killed
	}
	t.Cleanup(end)
	var pid int
	w.await("the server", func() bool {
		text, _ := os.ReadFile(journal)
		_, after, _ := strings.Cut(string(text), "pid ")
		number, _, written := strings.Cut(after, "\n")
		pid, _ = strconv.Atoi(number)
		// The note of a start is made once the shell that ends the server is told of it.
		notes, _ := filepath.Glob(filepath.Join(w.home, "cache", "starting", "*"))
		return written && len(notes) > 0
	})
	end()
	untilDead(t, pid)
}
