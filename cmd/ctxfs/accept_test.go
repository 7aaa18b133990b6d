package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestAccept follows a server that changes its tools, from the first look to
// the user's consent, with a background process and without one.
func TestAccept(t *testing.T) {
	t.Parallel()
	need(t, "rg")
	b := newBox(t)
	define := func(words string) {
		t.Helper()
		b.write("tools.json", fmt.Sprintf(`[{"name":"greet","description":"Says hello to a %s."},{"name":"bye","description":"Says good bye to a %[1]s."}]`, words))
	}
	define("wombat")
	b.stub("zoo", "", map[string]string{stubTools: filepath.Join(b.home, "tools.json")})
	b.mount()
	b.ready("zoo")
	fstest.Equal(t, b.ok("accept", "zoo"), "nothing to accept: no tool of zoo has changed since it was pinned\n")

	define("platypus")
	b.ok("restart", "zoo")
	b.ready("zoo")
	b.shows("mcps/zoo/tools/greet.diff", "--- pinned ", "\n+++ now ", "\n-  \"description\": \"Says hello to a wombat.\"\n+  \"description\": \"Says hello to a platypus.\"\n")
	b.server("zoo", "ready", "- the definition of the tool bye has changed (description) at ", "accept it: ctxfs accept zoo bye\n")
	b.shows("STATUS.md", "- problem: server zoo: the definitions of 2 tools have changed", "ctxfs accept zoo\n")
	fstest.Contains(t, b.run("doctor").exits(t, exitProblems).out, "fix: see mcps/zoo/tools/*.diff; to accept what they show: ctxfs accept zoo\n")
	// A search finds what is, and only once.
	for _, script := range []string{
		"rg -l 'hello to a' .agentctx", "cd .agentctx && rg -l 'hello to a'", "cd .agentctx && rg -l 'hello to a' .", "cd .agentctx && rg -l 'hello to a' mcps",
		"cd .agentctx && rg -l 'hello to a' mcps/zoo", "cd .agentctx/mcps && rg -l 'hello to a'", "cd .agentctx/mcps/zoo && rg -l 'hello to a' .", "cd .agentctx/mcps/zoo/tools && rg -l 'hello to a'",
		"rg -l 'hello to a' ~/.agentctx/mcps/zoo/tools",
	} {
		if got := b.sh(script); !strings.HasSuffix(got, "greet.json\n") || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %q", script, got)
		}
	}
	if got := b.ok("__complete", "accept", "zoo", "bye", ""); !containsAll(got, []string{"greet\n"}) || containsAll(got, []string{"bye\n"}) {
		t.Errorf("completion: %s", got)
	}
	fstest.Contains(t, b.ok("__complete", "accept", ""), "zoo\n")

	if got := b.ok("accept", "zoo", "bye"); !strings.HasPrefix(got, "accepted zoo/bye as it is since 2") {
		t.Errorf("%s", got)
	}
	b.absent("mcps/zoo/tools/bye.diff")
	b.shows("mcps/zoo/tools/greet.diff", "platypus")
	b.refused(exitFailed, []string{`no tool is called "gret"`, `did you mean "greet"?`}, "accept", "zoo", "gret")
	b.refused(exitFailed, []string{`no server is called "zo"`}, "accept", "zo")
	b.refused(exitUsage, []string{"which server?", "for example: ctxfs accept "}, "accept")

	// Without a process it is the same.
	b.ok("unmount")
	fstest.Equal(t, b.ok("ls", "mcps/zoo/tools"), "bye.json\ngreet.diff\ngreet.json\n", "ls")
	fstest.Contains(t, b.ok("cat", "mcps/zoo/tools/greet.diff"), "+  \"description\": \"Says hello to a platypus.\"\n")
	b.refused(exitFailed, []string{`no tool is called "gret"`, `did you mean "greet"?`}, "accept", "zoo", "gret")
	b.ok("accept", "zoo")
	b.mount()
	b.ok("restart", "zoo")
	b.ready("zoo")
	fstest.Equal(t, b.sh("ls .agentctx/mcps/zoo/tools"), "bye.json\ngreet.json\n")
}
