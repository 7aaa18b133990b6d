package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/procs"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == procs.HelperCommand {
		os.Exit(Enter(os.Args[3:]))
	}
	os.Exit(m.Run())
}

// try runs a script in a sandbox, see become.
func try(t *testing.T, r Rules, namespaces bool, script string) (string, Report) {
	t.Helper()
	return become(t, r, namespaces, []string{"/bin/bash", "-c", script}, os.Environ())
}

// become runs a program in a sandbox, and returns what it prints.
func become(t *testing.T, r Rules, namespaces bool, argv, environ []string) (string, Report) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	fstest.Must(t, err)
	defer in.Close()
	out, err := os.CreateTemp(t.TempDir(), "")
	fstest.Must(t, err)
	defer out.Close()
	p, report, err := start("/proc/self/exe", r, argv, &os.ProcAttr{Sys: new(syscall.SysProcAttr), Dir: r.Dir, Env: environ, Files: []*os.File{in, out, out}}, namespaces)
	fstest.Must(t, err)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out.Name())
	fstest.Must(t, err)
	return string(text), report
}

// TestStart has what a program may write in each of the two ways, and what it may not.
func TestStart(t *testing.T) {
	t.Parallel()
	for name, namespaces := range map[string]bool{"namespaces": true, "Landlock": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			repo, state := filepath.Join(dir, "repo"), filepath.Join(dir, "repo/.state/deep")
			fstest.Must(t, os.Mkdir(repo, 0o755))
			for _, file := range []string{"f", "single"} {
				fstest.Must(t, os.WriteFile(filepath.Join(repo, file), []byte("whole"), 0o644))
			}
			rules := Rules{
				Dir:   repo,
				Write: []string{filepath.Join(dir, "scratch"), state, dir, repo, filepath.Join(repo, "single"), filepath.Join(repo, "missing.json")},
			}
			text, report := try(t, rules, namespaces, `
				for f in f new ../new .state/new missing.json; do echo x >$f && echo "$f is written"; done
				mv single g; rm single; mv f g; ln f ../scratch/f; mkdir ../folder
				for f in single .state/deep/x ../scratch/x /dev/null; do echo x >$f || echo "$f is not written"; done
				grep NoNewPrivs /proc/self/status; kill -0 $PPID && echo "a signal gets out"
			`)
			if !report.Enforced || namespaces != (len(report.Notes) == 0) {
				t.Errorf("%+v", report)
			}
			if !strings.Contains(text, "NoNewPrivs:\t1") || strings.Contains(text, " written") || strings.Contains(text, "gets out") {
				t.Errorf("%s", text)
			}
			if body, err := os.ReadFile(filepath.Join(repo, "f")); err != nil || string(body) != "whole" {
				t.Errorf("f: %q, %v", body, err)
			}
		})
	}
}

// TestLimits has limits of a process outside, which would end it, and that by which the
// processes of a run are known. Others of its own can be changed.
func TestLimits(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skip(err)
	}
	for name, namespaces := range map[string]bool{"namespaces": true, "Landlock": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outside := exec.Command("sleep", "60")
			fstest.Must(t, outside.Start())
			defer func() {
				_ = outside.Process.Kill()
				_ = outside.Wait()
			}()
			text, _ := try(t, Rules{Dir: t.TempDir()}, namespaces, fmt.Sprintf(`
				prlimit --pid %[1]d --cpu=1:1 && echo "its time is changed"
				prlimit --rttime=1000000000 true && echo "the mark is changed"
				prlimit --nofile=100:100 true && (ulimit -n 50; ulimit -n) && prlimit --pid %[1]d --cpu >/dev/null && echo "read"
			`, outside.Process.Pid))
			if strings.Contains(text, " changed") || !strings.HasSuffix(text, "50\nread\n") {
				t.Errorf("%s", text)
			}
		})
	}
}

// TestDoors has a socket of a program outside, one in a folder that stays reachable, and one
// that is made in a folder of a terminal multiplexer while the agent runs.
func TestDoors(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	reach, tmux := filepath.Join(dir, "reach"), filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()))
	for _, made := range []string{reach, tmux} {
		fstest.Must(t, os.Mkdir(made, 0o700))
	}
	listen := func(path string) {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { l.Close() })
	}
	listen(filepath.Join(dir, "outside"))
	listen(filepath.Join(reach, "reached"))
	ready, late := fstest.NewFIFO(t), fstest.NewFIFO(t)
	rules := Rules{Dir: dir, Write: []string{filepath.Dir(ready.Path)}, Reach: []string{reach}}
	const script = `
import os, socket
dir, tmux = os.environ["DIR"], os.environ["TMUX_DIR"]
def reached(path):
    try: socket.socket(socket.AF_UNIX).connect(path); return path
    except OSError: return ""
print(*[os.path.basename(reached(p)) for p in (dir+"/outside", dir+"/reach/reached")])
with open(os.environ["READY"], "w") as f: print(file=f)
open(os.environ["LATE"]).readline()
print(os.path.basename(reached(tmux+"/late")))
`
	environ := append(os.Environ(), "TMUX_TMPDIR="+dir, "DIR="+dir, "TMUX_DIR="+tmux, "READY="+ready.Path, "LATE="+late.Path)
	go func() {
		ready.Line()
		listen(filepath.Join(tmux, "late"))
		late.Release()
	}()
	if text, _ := become(t, rules, true, []string{python, "-c", script}, environ); text != " reached\n\n" {
		t.Errorf("reached: %q", text)
	}
	if _, report := try(t, rules, false, ":"); !strings.Contains(strings.Join(report.Notes, "\n"), "programs outside can be told what to do") {
		t.Errorf("Landlock alone: %q", report.Notes)
	}
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	_, _, err := Start("/proc/self/exe", Rules{Dir: t.TempDir()}, []string{"/proc/none"}, &os.ProcAttr{Sys: new(syscall.SysProcAttr), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err == nil || !strings.Contains(err.Error(), "/proc/none") {
		t.Errorf("error %v", err)
	}
}
