package shells

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/grid"
)

// TestPrepare: files and folders are the owner's alone, and gone afterwards.
func TestPrepare(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		dir := filepath.Join(t.TempDir(), "it's new", "shell")
		env := []string{"A=1", "ZDOTDIR=/z", "ENV=/e", nonceVariable + "=old"}
		c, cleanup, err := Prepare(Options{Shell: "/opt/bin/" + shell, Nonce: "secret", Dir: dir, Env: env})
		fstest.Must(t, err)
		if c.Path != "/opt/bin/"+shell || c.Args[0] != shell || !c.Marks || !slices.Contains(c.Env, nonceVariable+"=secret") || slices.Contains(c.Env, nonceVariable+"=old") {
			t.Errorf("%+v", c)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		if info, err := files[0].Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		cleanup()
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", dir, err)
		}
	}
	if _, _, err := Prepare(Options{Shell: "/bin/bash", Nonce: "a;b", Dir: t.TempDir()}); err == nil {
		t.Error("a nonce that breaks marks is taken")
	}
	if _, _, err := Prepare(Options{Shell: "/bin/bash", Nonce: "a", Dir: "/proc/none"}); err == nil {
		t.Error("a folder that cannot be made is taken")
	}
}

// TestOtherShells are started unchanged.
func TestOtherShells(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shell")
	c, cleanup, err := Prepare(Options{Shell: "/bin/dash", Login: true, Nonce: "secret", Dir: dir, Env: []string{"A=1"}})
	fstest.Must(t, err)
	defer cleanup()
	if c.Marks || !slices.Equal(c.Args, []string{"-dash"}) || !slices.Equal(c.Env, []string{"A=1"}) {
		t.Errorf("%+v", c)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s was made: %v", dir, err)
	}
	h := newHome(t)
	s := h.start(Options{Shell: find(t, "sh"), Env: append(h.environment(), "PS1=ok> ")})
	s.shows("ok>")
	s.write("echo with''in; exit 3\r")
	if code := s.end(); code != 3 || !strings.Contains(string(s.log), "within\n") {
		t.Errorf("exit %d\n%s", code, s.log)
	}
}

// TestLongCommand: its mark is cut, and says so.
func TestLongCommand(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, h home, shell string) {
		long := strings.Repeat("0123456789", 1000)
		h.file("long", "alias long=true\nlong "+long+"\n")
		s := h.start(Options{Shell: shell})
		s.prompt(1)
		for line := range slices.Chunk([]byte("true "+long), 1000) { // a terminal takes 4 KiB at once
			s.write(string(line))
			s.shows(string(line[len(line)-5:]))
		}
		s.enter("")
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, m := range s.marks {
			if m.Kind == grid.OutputStart && !m.Truncated {
				t.Errorf("a mark of %d bytes is not cut", len(m.Command))
			}
		}
		fstest.Equal(t, s.count(grid.CommandEnd), 1, "commands")
	})
}

func TestTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ log, prompt, last, want string }{
		{"ok> echo a\n", "ok> ", "", "echo a"},
		{"ok>  echo a\n", "ok> ", "echo a", " echo a"},
		{"ok> make\n", "ok> ", "make", "make"},
		{"~/src\nok> one\n", "ok> ", "", "one"},
		{"ok> half\nok> whole\n", "ok> ", "", "whole"},
		{"ok> for i\n> do\n> done\n", "ok> ", "", "for i\n> do\n> done"},
		{"other> one\n", "ok> ", "", "other> one"},
		{"one\n", "", "", "one"},
		{"", "ok> ", "x", ""},
	} {
		fstest.Equal(t, Typed(c.log, c.prompt, c.last), c.want, "Typed", c.log, c.prompt, c.last)
	}
}

func FuzzTyped(f *testing.F) {
	f.Add("~\nok> a\n", "ok> ", "b")
	f.Fuzz(func(t *testing.T, log, prompt, last string) {
		if got := Typed(log, prompt, last); len(got) > max(len(log), len(last)) {
			t.Errorf("%q", got)
		}
	})
}
