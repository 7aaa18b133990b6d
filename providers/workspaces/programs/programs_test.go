package programs

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func shell(script string) Command {
	return Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin", "ONLY=this"}}
}

func TestRun(t *testing.T) {
	r := New()
	defer r.Close()
	out, err := r.Output(t.Context(), shell(`echo "$ONLY$HOME"; read line || echo "no input"`), 100)
	if err != nil || string(out) != "this\nno input\n" {
		t.Errorf("got %q, %v", out, err)
	}

	var failure *Failure
	_, err = r.Output(t.Context(), shell("echo first >&2; printf 'fatal: https://u:hunter2secret@host\\033[1m' >&2; exit 3"), 100)
	if !errors.As(err, &failure) || failure.Code != 3 || !strings.HasPrefix(failure.Message, "first fatal: https://") || strings.Contains(failure.Message, "hunter2secret") || strings.Contains(failure.Message, "\x1b") {
		t.Errorf("got %v", err)
	}
	if _, err := r.Output(t.Context(), shell("while :; do echo yes; done"), 1000); !errors.Is(err, errTooLong) {
		t.Errorf("endless output: %v", err)
	}
	if _, err := r.Output(t.Context(), Command{Path: "/proc/none"}, 1); err == nil {
		t.Error("a missing program runs")
	}
}

// TestDeadline: the children of a program end with it, even if they keep its output open.
func TestDeadline(t *testing.T) {
	r := New()
	defer r.Close()
	held := fstest.NewFIFO(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := r.Run(ctx, shell("exec 3>"+held.Path+"; sleep 1000 & echo started; wait"), func(output io.Reader) error {
		if _, err := output.Read(make([]byte, 8)); err != nil {
			return err
		}
		cancel()
		_, err := io.ReadAll(output)
		return err
	})
	fstest.ErrorIs(t, err, context.Canceled)
	held.Left()
	if _, err := r.Output(ctx, shell("echo"), 10); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	if _, err := r.Output(late, shell("echo"), 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("too late: %v", err)
	}
}

func TestFind(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	work, usr := filepath.Join(root, "work"), filepath.Join(root, "usr")
	for _, file := range []string{work + "/bin/git", usr + "/git", usr + "/notes"} {
		fstest.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		fstest.Must(t, os.WriteFile(file, nil, 0o700))
	}
	fstest.Must(t, errors.Join(os.Chmod(usr+"/notes", 0o600), os.Symlink(work+"/bin/git", usr+"/led"), os.Mkdir(usr+"/dir", 0o700)))
	path := strings.Join([]string{"", ".", "bin", work + "/bin", root + "/none", usr}, string(filepath.ListSeparator))
	for name, want := range map[string]string{"git": usr + "/git", "notes": "", "led": "", "dir": "", "none": ""} {
		fstest.Equal(t, Find(name, path, work), want, "found at", name)
	}
	fstest.Equal(t, Find("led", path), usr+"/led", "led is found at")
}
