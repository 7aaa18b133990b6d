package shells

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// stub is a ctxfs that allows recording if a file says so, and records nothing.
const stub = `#!/bin/sh
case $* in
"setup shell --check") [ -t 0 ] && [ -e "$HOME/allowed" ] ;;
*) echo "recorded: $*" ;;
esac
`

// withLine returns a home whose files of all shells have the line for a stub.
func withLine(t *testing.T) home {
	t.Helper()
	h := newHome(t)
	h.fish("")
	h.file(".bashrc", "PS1='ok> '\n")
	h.file(".bash_profile", ". ~/.bashrc\n")
	h.file(".zshrc", "PS1='ok> '\n")
	h.file("it's a bin/ctxfs", stub)
	program := filepath.Join(h.dir, "it's a bin/ctxfs")
	fstest.Must(t, os.Chmod(program, 0o700))
	for _, name := range Names() {
		path, line := RCFile(name, program, h.dir, func(string) (string, bool) { return "", false })
		text, err := os.ReadFile(path)
		fstest.Must(t, err)
		h.file(strings.TrimPrefix(path, h.dir), line+"\n"+string(text))
	}
	return h
}

// TestLineRecords: an interactive shell is replaced by ctxfs, which learns
// whether it was a login shell.
func TestLineRecords(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for _, flags := range [][]string{nil, {"-l"}} {
			h := withLine(t)
			h.file("allowed", "")
			s := open(t, Command{Path: find(t, name), Args: append([]string{name}, flags...), Env: h.environment()}, h.dir, "")
			fstest.Equal(t, s.end(), 0, "exit", name, flags)
			want := "recorded: term --shell " + name
			if flags != nil {
				want += " --login"
			}
			if got := s.shown(); !strings.Contains(got, want+"\r\n") || strings.Contains(got, "ok>") {
				t.Errorf("%s %q: %q", name, flags, got)
			}
		}
	}
}

// TestLineLeavesShellsAlone: if ctxfs refuses or cannot be run, the shell goes
// on silently.
func TestLineLeavesShellsAlone(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for _, c := range []struct {
			name string
			env  string
			do   func(h home)
		}{
			{"not allowed", "A=1", func(home) {}},
			{"already recorded", "CTXFS_TERMINAL=1", func(h home) { h.file("allowed", "") }},
			{"no ctxfs", "A=1", func(h home) {
				h.file("allowed", "")
				fstest.Must(t, os.RemoveAll(filepath.Join(h.dir, "it's a bin")))
			}},
			{"a ctxfs that does not start", "A=1", func(h home) {
				h.file("allowed", "")
				h.file("it's a bin/ctxfs", "#!/no/such/interpreter\n")
			}},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				h := withLine(t)
				c.do(h)
				s := open(t, Command{Path: find(t, name), Args: []string{name}, Env: append(h.environment(), c.env)}, h.dir, "")
				s.shows("ok>")
				s.write("echo with''in\r")
				s.shows("within")
				// Fish has its own word for a program that cannot be started.
				if got := s.shown(); strings.Contains(got, "recorded") || strings.Contains(got, "ctxfs") && !strings.Contains(got, "exec: Failed") {
					t.Errorf("%q", got)
				}
			})
		}
		t.Run(name+" no terminal", func(t *testing.T) {
			h := withLine(t)
			h.file("allowed", "")
			for _, args := range [][]string{{"-c", "echo out"}, {"-i", "-c", "echo out"}, {"-l", "-c", "echo out"}} {
				cmd := exec.Command(find(t, name), args...)
				cmd.Env, cmd.Dir = h.environment(), h.dir
				out, err := cmd.Output()
				if err != nil || !strings.HasSuffix(string(out), "out\n") || strings.Contains(string(out), "recorded") {
					t.Errorf("%q: %q, %v", args, out, err)
				}
			}
		})
	}
}

// TestRCFile: where the files are, and that the line can be found again.
func TestRCFile(t *testing.T) {
	t.Parallel()
	env := func(name string) (string, bool) { return "/" + strings.ToLower(name), true }
	var paths []string
	for _, name := range Names() {
		path, line := RCFile(name, "/usr/bin/ctxfs", "/home/user", env)
		paths = append(paths, path)
		if !strings.Contains(line, LineMark) || strings.Contains(line, "\n") {
			t.Errorf("%s: %q", name, line)
		}
	}
	if want := []string{"/home/user/.bashrc", "/zdotdir/.zshrc", "/xdg_config_home/fish/config.fish"}; !slices.Equal(paths, want) {
		t.Errorf("%q", paths)
	}
}
