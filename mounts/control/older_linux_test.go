package control

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
)

// TestOlderProcess: a process of an older version is found by its socket if it
// serves this home.
func TestOlderProcess(t *testing.T) {
	h := newHome(t)
	old := filepath.Join(h.Dir, "ctxfs")
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := listen(old)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			line := make([]byte, 100)
			if n, _ := conn.Read(line); n > 0 { // it greets nobody
				_, _ = io.WriteString(conn, `{"value":"old"}`+"\n")
			}
			conn.Close()
		}
	}()
	var notes []string
	h.Note = func(line string) { notes = append(notes, line) }
	// A process of that home, such as a shell.
	shell := exec.Command("sleep", "1000")
	shell.Env = []string{"HOME=" + os.Getenv("HOME"), "XDG_STATE_HOME=" + os.Getenv("XDG_STATE_HOME"), "XDG_RUNTIME_DIR=" + h.Dir}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = shell.Process.Kill()
		_ = shell.Wait()
	}()
	if _, err := h.Dial(t.Context()); !errors.Is(err, ErrNotRunning) || len(notes) > 0 {
		t.Errorf("one of another home: %v, %q", err, notes)
	}
	h.State = HomeOf(os.Getpid()).State
	if _, err := os.Stat(h.State); err == nil {
		t.Skip("whoever runs this test uses ctxfs")
	}
	c, err := h.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var said string
	if err := c.Ask(t.Context(), fs.Request{Name: "status", Answer: &said}); err != nil || said != "old" {
		t.Errorf("%q, %v", said, err)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "older version") || !strings.Contains(notes[0], "; ctxfs mount") {
		t.Errorf("said is %q", notes)
	}
}
