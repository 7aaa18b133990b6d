package main

import (
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
)

// TestEnvironmentOfTheUser: servers get the variables of the shell in which the user has mounted, or
// restarted them, the last time, also from a background process that an agent's call has started.
func TestEnvironmentOfTheUser(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("tools.json", zooTools)
	b.stub("zoo", "", map[string]string{stubTools: filepath.Join(b.home, "tools.json")})
	shell := func(variables ...string) *box { return b.with(variables...) }
	says := func(of *box, want string) {
		t.Helper()
		fstest.Equal(t, of.ok("call", "zoo", "open"), want+"\n", "the server's environment")
	}
	for _, name := range []string{"first", "second", "agent"} {
		b.write(name+".json", `{"content":[{"type":"text","text":"`+name+`"}]}`)
	}
	first := shell(stubResult, filepath.Join(b.home, "first.json"))
	first.ok("mount")
	says(first, "first")
	second := shell(stubResult, filepath.Join(b.home, "second.json"))
	says(second, "first") // a call is no reason to start anything anew
	second.ok("restart", "zoo")
	says(first, "second")
	b.ok("unmount")
	agent := shell("CLAUDECODE", "1", stubResult, filepath.Join(b.home, "agent.json"))
	says(agent, "second")
	agent.ok("mount")
	agent.ok("restart", "zoo")
	says(agent, "second")
}
