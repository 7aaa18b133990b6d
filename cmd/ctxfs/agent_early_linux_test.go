package main

import (
	"strings"
	"testing"
)

// TestAgentsStartEarly: no process of a run waits for libraries that it does not need.
func TestAgentsStartEarly(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for what a process initialises
	b.kinds("", map[string]string{"echo": "echo $1"})
	b.setenv("GODEBUG", "inittrace=1")
	r := b.run("agent", "run", "--agent", "echo", "--detach", "x")
	if r.code != 0 {
		t.Fatal(r)
	}
	id := strings.TrimSpace(r.out)
	b.ok("agent", "wait", id)
	log := readFile(t, b.job(id, "log")) // of keeper and runner
	for of, trace := range map[string]string{"the caller": r.err, "the keeper or the runner": log} {
		if !strings.Contains(trace, "init ") {
			t.Errorf("%s tells nothing: %s", of, trace)
		}
		for _, late := range []string{"santhosh-tekuri", "mcp-go", "init net/http ", "spf13/cobra", "modernc.org/sqlite "} {
			if strings.Contains(trace, late) {
				t.Errorf("%s is initialised before %s begins", late, of)
			}
		}
	}
}
