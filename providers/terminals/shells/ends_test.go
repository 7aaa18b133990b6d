package shells

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/grid"
)

// every runs a test for each shell, whose prompt is "ok> ".
func every(t *testing.T, test func(t *testing.T, h home, shell string)) {
	for _, name := range []string{"bash", "zsh", "fish"} {
		t.Run(name, func(t *testing.T) {
			path := find(t, name)
			h := newHome(t)
			h.file(".bashrc", "PS1='ok> '\nHISTFILE=\n")
			h.file(".zshrc", "PS1='ok> '\n")
			h.fish("")
			test(t, h, path)
		})
	}
}

// TestInterrupted: a command that Ctrl-C ends has its output and 130, and Ctrl-C at
// a prompt is not a command.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, h home, shell string) {
		s := h.start(Options{Shell: shell})
		s.prompt(1)
		command := "sh -c 'echo begins; exec sleep 100'" // the shell of echo alone might be interrupted before sleep
		s.write(command + "\r")
		s.shows("\nbegins")
		s.write("\x03")
		s.prompt(2)
		if !strings.HasSuffix(shell, "fish") { // which takes it at the next key, without a prompt
			s.write("half a line")
			s.shows("half a line")
			s.interrupt(3)
		}
		s.enter("echo after")
		s.recorded(
			record{command, h.dir, 130, "begins\n^C\n"},
			record{"echo after", h.dir, 0, "after\n"},
		)
	})
}

// interrupt presses Ctrl-C, which zsh may miss while it draws, until there is a
// prompt.
func (s *session) interrupt(n int) {
	s.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		s.write("\x03")
		const missed = 5 * time.Second // a second one that is not needed may hit the next command
		timer := time.AfterFunc(missed, s.changed.Broadcast)
		s.mu.Lock()
		for end := time.Now().Add(missed); s.count(grid.PromptStart) < n && time.Now().Before(end); {
			s.changed.Wait()
		}
		done := s.count(grid.PromptStart) >= n
		s.mu.Unlock()
		if timer.Stop(); done {
			break
		}
	}
	s.prompt(n)
}

// TestBackground: what a command in the background prints goes to the log, and
// its shell's command ends at once.
func TestBackground(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, h home, shell string) {
		s := h.start(Options{Shell: shell})
		s.prompt(1)
		s.enter("sh -c 'until [ -e go ]; do sleep 0.01; done; echo from behind; touch went' &")
		s.enter("echo between")
		s.enter("sh -c 'touch go; until [ -e went ]; do sleep 0.01; done'")
		s.enter("echo last")
		got := s.records()
		if len(got) != 4 || got[1] != (record{"echo between", h.dir, 0, "between\n"}) || !strings.Contains(got[2].output, "from behind\n") {
			t.Errorf("%v", got)
		}
		for _, r := range got {
			fstest.Equal(t, r.exit, 0, r)
		}
	})
}

// TestNested: another shell within is one command, and has no marks.
func TestNested(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, h home, shell string) {
		s := h.start(Options{Shell: shell})
		s.prompt(1)
		s.write(shell + "\r")
		s.await("prompt of the shell within", func() bool {
			screen := s.grid.Screen()
			_, row := s.grid.Cursor()
			return s.count(grid.OutputStart) == 1 && row > 0 && strings.HasSuffix(screen[row], "ok>") && strings.Contains(s.raw.String()[strings.Index(s.raw.String(), "133;C"):], "ok>")
		})
		s.write("echo with''in\r")
		s.shows("\nwithin")
		s.write("exit 3\r")
		s.prompt(2)
		s.enter("echo after")
		got := s.records()
		if len(got) != 2 || got[0].command != shell || got[0].exit != 3 || !strings.Contains(got[0].output, "within\n") ||
			got[1] != (record{"echo after", h.dir, 0, "after\n"}) {
			t.Errorf("%v\n%q", got, s.shown())
		}
	})
}

// TestExec: a shell that becomes another program ends with its last command
// open, and no later prompt takes the marks over.
func TestExec(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, h home, shell string) {
		s := h.start(Options{Shell: shell})
		s.prompt(1)
		s.enter("echo first")
		s.write("exec sh -c 'echo replaced; exit 5'\r")
		fstest.Equal(t, s.end(), 5, "exit")
		s.recorded(
			record{"echo first", h.dir, 0, "first\n"},
			record{"exec sh -c 'echo replaced; exit 5'", h.dir, unknown, "replaced\n"},
		)
	})
}

// TestExit: fish marks it; for the others the exit code is the process's.
func TestExit(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, h home, shell string) {
		s := h.start(Options{Shell: shell})
		s.prompt(1)
		s.enter("echo first")
		s.write("exit 7\r")
		fstest.Equal(t, s.end(), 7, "exit")
		last := record{"exit 7", h.dir, unknown, ""}
		switch {
		case strings.HasSuffix(shell, "fish"):
			last.exit = 7
		case strings.HasSuffix(shell, "bash"):
			last.output = "exit\n"
		}
		s.recorded(record{"echo first", h.dir, 0, "first\n"}, last)
	})
}

// TestEndOfInput ends the shell without a command.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, h home, shell string) {
		s := h.start(Options{Shell: shell})
		s.prompt(1)
		s.enter("echo first")
		s.write("\x04")
		fstest.Equal(t, s.end(), 0, "exit")
		s.recorded(record{"echo first", h.dir, 0, "first\n"})
	})
}

// TestStopped: a command that is stopped has ended for the shell, and continues
// in another.
func TestStopped(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, h home, shell string) {
		s := h.start(Options{Shell: shell})
		s.prompt(1)
		s.enter("sh -c 'echo begins; kill -STOP $$; echo goes on'")
		s.enter("fg")
		got := s.records()
		if len(got) != 2 || !strings.HasSuffix(shell, "fish") && got[0].exit < 128 || !strings.HasPrefix(got[0].output, "begins\n") || got[1].command != "fg" || got[1].exit != 0 ||
			!regexp.MustCompile(`(?m)^goes on$`).MatchString(got[1].output) {
			t.Errorf("%v", got)
		}
	})
}

// TestTextNotInHistory: bash then gives no text; it is taken from the screen.
func TestTextNotInHistory(t *testing.T) {
	t.Parallel()
	bash := find(t, "bash")
	for name, setting := range map[string]string{
		"ignorespace": "HISTCONTROL=ignorespace", "ignoreboth": "HISTCONTROL=ignoreboth", "HISTIGNORE": "HISTIGNORE='*hid*'",
		"no history": "set +o history", "empty history": "HISTSIZE=0",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.file(".bashrc", "PS1='\\[\\e]0;title\\a\\e[32m\\]\\w\\[\\e[m\\]\\n\\[\\e[1;31m\\]ok>\\[\\e[0m\\] '\n"+setting+"\n")
			s := h.start(Options{Shell: bash})
			s.play(h.dir, []step{
				{line: "echo plain", output: "plain\n"},
				{line: " echo hidden", output: "hidden\n"},
				{line: "echo plain", output: "plain\n"},
				{line: "echo plain", output: "plain\n"},
				{line: " echo hidden " + strings.Repeat("long", 30), output: "hidden " + strings.Repeat("long", 30) + "\n"},
				{line: "cd /", to: "/"},
				{line: " echo hidden", output: "hidden\n"},
				{line: " echo hidden", output: "hidden\n"},
				{line: ""},
				{line: "false", exit: 1},
				{line: "false", exit: 1},
			})
		})
	}
}

// TestLostHooks: if the user removes the hooks, they are back after the next
// command, whose end may be missed.
func TestLostHooks(t *testing.T) {
	t.Parallel()
	bash := find(t, "bash")
	for _, change := range []string{"PROMPT_COMMAND=", "unset PROMPT_COMMAND", "PROMPT_COMMAND='echo \"of the user\"'", "PROMPT_COMMAND=('echo one' 'echo two')", "PS0="} {
		t.Run(change, func(t *testing.T) {
			h := newHome(t)
			h.file(".bashrc", "PS1='ok> '\nPROMPT_COMMAND=:\n")
			s := h.start(Options{Shell: bash})
			s.prompt(1)
			s.write(change + "\r")
			s.await("prompt", func() bool {
				_, row := s.grid.Cursor()
				return row > 0 && s.grid.Screen()[row] == "ok>"
			})
			for range 3 {
				s.mu.Lock()
				before := strings.Count(s.raw.String(), "ok> ")
				s.mu.Unlock()
				s.write("true\r")
				s.await("prompt", func() bool {
					_, row := s.grid.Cursor()
					return strings.Count(s.raw.String(), "ok> ") > before && s.grid.Screen()[row] == "ok>"
				})
			}
			s.enter("echo one; false")
			s.enter("echo two")
			got := s.records()
			if got = got[max(0, len(got)-2):]; len(got) < 2 || got[0] != (record{"echo one; false", h.dir, 1, "one\n"}) || got[1] != (record{"echo two", h.dir, 0, "two\n"}) {
				t.Errorf("%v\n%q", got, s.shown())
			}
		})
	}
	t.Run("zsh", func(t *testing.T) {
		h := newHome(t)
		h.file(".zshrc", "PS1='ok> '\n")
		s := h.start(Options{Shell: find(t, "zsh")})
		s.prompt(1)
		s.write("precmd_functions=()\r")
		s.await("prompt", func() bool { return strings.Count(s.raw.String(), "ok> ") == 2 })
		s.enter("true")
		s.enter("echo one")
		s.recorded(
			record{"precmd_functions=()", h.dir, unknown, "ok> true\n"},
			record{"true", h.dir, 0, ""}, record{"echo one", h.dir, 0, "one\n"},
		)
	})
}
