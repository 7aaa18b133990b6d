package main

import (
	"strings"
	"testing"
)

// TestTermInMount: a terminal is in the mount, and goes on without it.
func TestTermInMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	w := b.terminal("--name", "api")
	w.types("echo be''fore; (exit 4)\r")
	b.hasRun("api", "echo be''fore; (exit 4)", 4)
	b.shows("terminals/api.txt", "\nbefore\n", "last_exit_code: 4")
	b.shows("terminals/api/failed.txt", "before\n")
	b.shows("terminals/INDEX.md", "api")
	b.kill()
	w.types("echo mean''while\r")
	b.hasRun("api", "echo mean''while", 0)
	b.mount()
	b.shows("terminals/api.txt", "\nbefore\n", "\nmeanwhile\n", "last_exit_code: 0")
	if r := b.run("run", "--name", "job", "--", "sh", "-c", "echo out; exit 3"); r.code != 3 {
		t.Errorf("run: %v", r)
	}
	b.shows("terminals/job.txt", "out\n", "last_exit_code: 3")
	b.shows("terminals/job/last.txt", "out\n")
	w.types("exit\r")
	w.wait()
	b.shows("terminals/api.txt", "meanwhile\n")
}

// TestTermFailed: what failed stays to be read until something else fails.
func TestTermFailed(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			need(t, shell)
			b := newBox(t)
			b.mount()
			b.write(".bashrc", "PS1='ready> '\n")
			b.write(".zshrc", "PS1='ready> '\nsetopt interactive_comments\n")
			b.write(".config/fish/config.fish", "function fish_prompt; echo -n 'ready> '; end\n")
			w := b.open("term", "--shell", shell, "--name", "api")
			w.sees("ready> ")
			enter := func(command string, exit int) {
				t.Helper()
				w.types(command + "\r")
				b.hasRun("api", command, exit)
			}
			failed := func() {
				t.Helper()
				const head, tail = "---\ncommand: sh -c 'echo broken; exit 3'\ncwd: ", "Z\n---\nbroken\n"
				b.shows("terminals/api/failed.txt", head+b.dir+"\nexit_code: 3\nstarted_at: 20")
				if got := b.read("terminals/api/failed.txt"); !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
					t.Errorf("%q", got)
				}
			}
			enter("sh -c 'echo broken; exit 3'", 3)
			failed()
			w.sleeps()
			w.types("\x03")
			b.hasRun("api", "~/sleeper", 130)
			b.shows("terminals/api/last.txt", "---\ncommand: ~/sleeper\n", "\nexit_code: 130\n")
			failed()
			w.types("\r# only a comment\r\x03\r")
			w.reads()
			enter("true", 0)
			failed()
			enter("sh -c 'exit 9'", 9)
			b.shows("terminals/api/failed.txt", "exit_code: 9")
			enter("sh -c 'echo broken; exit 3'", 3)
			w.types("exit\r")
			if code := w.wait(); code != 3 && shell != "fish" {
				t.Errorf("exit %d", code)
			}
			b.shows("terminals/INDEX.md", "- api.txt: ended")
			failed()
		})
	}
}
