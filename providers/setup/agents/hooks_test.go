package agents

import (
	"os/exec"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/hooks/form"
	known "ctxfs/providers/internal/agents"
)

// TestEvents: each event at which setup has an agent run a hook is one that ctxfs hook
// answers, for that agent, by the names on the command line and by its own.
func TestEvents(t *testing.T) {
	set := make(map[string]bool)
	for _, a := range All() {
		for _, event := range known.ByID(a.ID).Hooks.Events {
			for _, input := range []string{`{"session_id": "s1"}`, `{"session_id": "s1", "hook_event_name": "` + event + `"}`} {
				in, err := form.Parse(a.ID, event, []byte(input))
				if err != nil || in.Kind == "" || in.Agent != a.ID || in.Session != "s1" {
					t.Errorf("%s %s with %s: %+v, %v", a.ID, event, input, in, err)
				}
			}
			set[a.ID] = true
		}
	}
	for _, id := range form.Agents() {
		if !set[id] {
			t.Errorf("the hooks of %s are answered, and setup sets none", id)
		}
	}
}

// TestCommand: a shell runs the program whatever its path has in it, and a hook says nothing
// and succeeds where ctxfs is missing.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ctxfs", "it's ctxfs", "$HOME `x` \"y\"", "ü\\n"} {
		program := dir + "/" + name
		write(t, program, []byte("#!/bin/sh\necho \"$@\"\n"))
		fstest.Must(t, exec.Command("chmod", "+x", program).Run())
		p := &plan{Machine: Machine{Program: program}, agent: known.ByID("codex")}
		out, err := exec.Command("sh", "-c", p.command("SessionStart")).CombinedOutput()
		if string(out) != "hook codex SessionStart\n" || err != nil {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
	for _, p := range []*plan{{Options: Options{Project: dir}}, {Machine: Machine{Program: dir + "/removed"}}} {
		p.agent = known.ByID("codex")
		missing := exec.Command("sh", "-c", p.command("SessionStart"))
		missing.Env = []string{"PATH=" + dir + "/nothing"}
		if out, err := missing.CombinedOutput(); len(out) > 0 || err != nil || p.Project != "" && strings.Contains(p.command("SessionStart"), dir) {
			t.Errorf("%s: where ctxfs is missing: %s, %v", p.command("SessionStart"), out, err)
		}
	}
}
