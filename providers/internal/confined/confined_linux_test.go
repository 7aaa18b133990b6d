package confined

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestOf has a child, and a grandchild whose parent has ended, of a registered keeper:
// this process.
func TestOf(t *testing.T) {
	r := Register{t.TempDir()}
	if run, inside := r.Of(os.Getpid()); inside {
		t.Fatalf("without any run it is in %v", run)
	}
	fstest.Must(t, r.Enter("a", false, os.Getpid(), 0))
	child := exec.Command("cat")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	fstest.Must(t, child.Start())
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	if run, inside := r.Of(child.Process.Pid); !inside || run.ID != "a" || run.ReadOnly {
		t.Errorf("a child is in %v, %v", run, inside)
	}
	if _, inside := r.Of(os.Getppid()); inside {
		t.Error("its parent is in the run")
	}
	if _, inside := r.Of(0); inside {
		t.Error("an unknown process is in a run that is not read-only")
	}
	if err := r.Enter("b", true, os.Getpid(), 0); err != nil { // two with one keeper: the last read counts
		t.Fatal(err)
	}
	r.Leave("a")
	if run, inside := r.Of(child.Process.Pid); !inside || run.ID != "b" || !run.ReadOnly {
		t.Errorf("a child is in %v, %v", run, inside)
	}
	if run, inside := r.Of(0); !inside || !run.ReadOnly {
		t.Error("an unknown process is in no run although one is read-only")
	}
}

// TestLeft has a process that was left behind by a read-only run whose keeper was killed.
func TestLeft(t *testing.T) {
	r := Register{t.TempDir()}
	const mark = 1<<62 + 5
	child := exec.Command("prlimit", fmt.Sprintf("--rttime=%d", uint64(mark)), "cat")
	in, err := child.StdinPipe()
	fstest.Must(t, err)
	out, err := child.StdoutPipe()
	fstest.Must(t, err)
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // it has become cat
		t.Fatal(err)
	}
	for body, confined := range map[string]bool{
		`{"id":"a","read_only":true,"pid":1073741823,"began":1,"mark":%d}`: true,
		`{"id":"a","pid":1073741823,"began":1,"mark":%d}`:                  false,
	} {
		fstest.Must(t, os.WriteFile(r.path("a"), fmt.Appendf(nil, body, uint64(mark)), 0o600))
		if by := r.Check(child.Process.Pid); (by != nil) != confined {
			t.Errorf("%s: what is left is confined by %v", body, by)
		}
		if by := r.Check(os.Getpid()); by != nil {
			t.Errorf("%s: this is confined by %v", body, by)
		}
		if by := r.Check(0); (by != nil) != confined {
			t.Errorf("%s: what is unknown is confined by %v", body, by)
		}
	}
}

// TestStale has a keeper that has ended, and one whose number another process has got.
func TestStale(t *testing.T) {
	r := Register{t.TempDir()}
	for id, body := range map[string]string{
		"gone":  `{"id":"gone","read_only":true,"pid":1073741823,"began":1}`,
		"other": strings.ReplaceAll(`{"id":"other","read_only":true,"pid":PID,"began":1}`, "PID", "1"),
		"bad":   `{"id":`,
	} {
		fstest.Must(t, os.WriteFile(r.path(id), []byte(body), 0o600))
	}
	if by := r.Check(0); by != nil {
		t.Errorf("this lives: %v", by)
	}
}
