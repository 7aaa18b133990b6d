package main

import (
	"encoding/json"
	"testing"

	"ctxfs/fs/fstest"
)

// TestToolsThatAreNotKnown: what searches and lists tools says which servers are not ready,
// and doctor that no tool is known.
func TestToolsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Goes for a stroll.\n---\n")
	b.refused(exitFailed, []string{"no MCP server is configured"}, "tools")
	b.servers["gone"] = map[string]any{"command": "/nowhere/server"}
	b.stub("mute", "silent", nil)
	found := "skills/walk/SKILL.md — Goes for a stroll.\n"
	fstest.Equal(t, b.ok("find", "stroll"), found+"2 servers are not ready, their tools are not searched: gone, mute; why: ctxfs tools\n", "find")
	fstest.Equal(t, b.ok("find", "--in", "skills", "stroll"), found, "find elsewhere")
	b.refused(exitFailed, []string{`nothing matches "zebra"; 1 server is not ready, its tools are not searched: mute`}, "find", "--in", "mcps/mute", "zebra")
	r := b.run("find", "--json", "stroll")
	var all []struct{ Path string }
	fstest.Must(t, json.Unmarshal([]byte(r.out), &all))
	if len(all) != 1 || all[0].Path != "skills/walk/SKILL.md" {
		t.Errorf("find --json: %+v", all)
	}
	fstest.Contains(t, r.err, "2 servers are not ready, their tools are not searched: gone, mute")
	b.refused(exitFailed, []string{"2 servers are not ready, their tools are not known: gone, mute\n  start them: ctxfs mount"}, "tools")
	if f := b.doctor("tools"); len(f) != 1 || f[0].OK || f[0].What != "2 servers are not ready, their tools are not known: gone, mute" {
		t.Errorf("%+v", f)
	}
	b.stub("zoo", "", nil)
	b.mount()
	b.ready("zoo")
	fstest.Contains(t, b.ok("tools"), "zoo/greet")
	if f := b.doctor("tools"); len(f) != 0 {
		t.Errorf("%+v", f)
	}
}
