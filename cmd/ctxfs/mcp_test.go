package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// fromEverywhere configures a stub in each of the three places.
func (b *box) fromEverywhere() {
	b.Helper()
	b.stub("zoo", "", nil)
	b.write(".claude.json", asJSON(map[string]any{"mcpServers": map[string]any{"bank": stubEntry("", map[string]string{"STUB_N": "2"})}}))
	b.write(".config/ctxfs/config.toml", "[mcp.servers.farm]\ncommand = \""+stubPath()+"\"\nenv = { "+stubMode+" = \"\", STUB_N = \"3\" }\n")
}

func TestServersFromEverywhere(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.fromEverywhere()
	b.mount()
	b.ready("zoo", "bank", "farm")
	var tool struct {
		Name, Description string
		Arguments         map[string]any
	}
	if err := json.Unmarshal([]byte(b.read("mcps/bank/tools/greet.json")), &tool); err != nil ||
		tool.Name != "greet" || tool.Description != "Says hello to a xylophone." || tool.Arguments["type"] != "object" {
		t.Errorf("the tool: %+v, %v", tool, err)
	}
	for server, file := range map[string]string{"zoo": ".cursor/mcp.json", "bank": ".claude.json", "farm": "config.toml"} {
		b.shows("mcps/"+server+"/SERVER_METADATA.json", `"stub"`, "1.2.3", file)
		b.shows("mcps/"+server+"/INSTRUCTIONS.md", "Use the stub with care.")
		b.shows("mcps/INDEX.md", server+"/greet")
		b.shows("AGENTS.md", server)
		b.shows("STATUS.md", "- "+server+": ready, 1 tool, since ")
	}

	// Shown at once by the next process, and never less than before.
	b.inside.endDaemons()
	b.ok("ls", "mcps/farm/tools/greet.json")
	if got := b.ok("cat", "mcps/farm/STATUS.md"); !strings.HasPrefix(got, "state: cached\n") || !strings.Contains(got, "catalogue: taken at 20") {
		t.Errorf("without a process: %s", got)
	}
	b.mount()
	fstest.Contains(t, b.read("mcps/farm/tools/greet.json"), "xylophone")
	b.shows("mcps/farm/STATUS.md", "state: cached\n")
	b.ok("restart")
	b.ready("zoo", "bank", "farm")
}

func TestServersThatFail(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.stub("dies", "dies", nil)
	b.stub("mute", "silent", nil)
	b.servers["gone"] = map[string]any{"command": "/nowhere/server"}
	b.servers["empty"] = map[string]any{}
	b.servers["unset"] = map[string]any{"command": stubPath(), "env": map[string]string{"TOKEN": "${env:NOT_SET_ANYWHERE}"}}
	b.configure()
	own := func(name, mode string) string {
		return fmt.Sprintf("[mcp.servers.%s]\ncommand = %q\nenv = { %s = %q, STUB_N = %q }\nstart_timeout = 1\n", name, stubPath(), stubMode, mode, name)
	}
	b.write(".config/ctxfs/config.toml", own("slow", "silent")+own("noise", "garbage")+"install_timeout = 1\n[mcp.servers.mute]\nstart_timeout = 600\n")
	b.mount()
	b.ready("zoo")
	b.shows("mcps/mute/STATUS.md", "state: starting\n")
	b.shows("mcps/unset/STATUS.md", "state: unresolved-variable\n", "NOT_SET_ANYWHERE")
	for server, words := range map[string][]string{ // they are tried again by themselves, and are starting meanwhile
		"dies":  {"exited with status 3", "the moon is in the wrong place", "fix: see the end of its standard error below, then: ctxfs restart dies\n", "\nend of its standard error:\n"},
		"noise": {"only messages of the protocol belong", "loading modules"},
		"gone":  {"/nowhere/server", "fix: "},
		"empty": {"neither a command nor a url"},
		"slow":  {" 1 s", "start_timeout"},
	} {
		b.server(server, "error", words...)
	}
	for _, server := range []string{"dies", "gone", "empty", "unset", "slow"} {
		b.shows("STATUS.md", server)
		fstest.Eventually(t, "status tells of "+server, func() bool { // it is tried again by itself, and is starting meanwhile
			return strings.Contains(b.run("status").out, "! server "+server+" ")
		})
	}
	fstest.Contains(t, b.run("doctor").exits(t, exitProblems).out, "dies", "exited with status 3", "fix: ctxfs cat mcps/dies/STATUS.md shows the end of its standard error; then: ctxfs restart dies\n")
	fstest.Contains(t, b.read("mcps/INDEX.md"), "zoo/greet")
}

func TestServerChanges(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	journal := filepath.Join(b.dir, "journal")
	tools := filepath.Join(b.dir, "tools")
	must(t, os.WriteFile(tools, []byte(`[{"name":"old","description":"The old one.","inputSchema":{"type":"object"}}]`), 0o600))
	b.stub("zoo", "", map[string]string{stubJournal: journal, stubTools: tools})
	b.mount()
	b.ready("zoo")
	starts := func() int {
		text, _ := os.ReadFile(journal)
		return strings.Count(string(text), "start\n")
	}
	before := starts()

	// Restarted by hand, by name.
	must(t, os.WriteFile(tools, []byte(`[{"name":"new","description":"The new one.","inputSchema":{"type":"object"}}]`), 0o600))
	fstest.Contains(t, b.ok("restart", "zoo"), "restarting zoo")
	b.ready("zoo")
	b.shows("mcps/zoo/tools/new.json", "The new one.")
	fstest.Equal(t, b.sh("ls .agentctx/mcps/zoo/tools"), "new.json\n", "tools")
	if starts() == before {
		t.Error("it was not started again")
	}
	b.refused(exitFailed, []string{`no server is called "zo"`, "zoo"}, "restart", "zo")

	// Another command in the configuration, which does not work: the tools stay.
	b.stub("zoo", "dies", nil)
	b.server("zoo", "error", "catalogue: ")
	b.shows("mcps/zoo/tools/new.json", "The new one.")
	b.ok("unmount")
	b.mount()
	b.shows("mcps/zoo/tools/new.json", "The new one.")
	b.server("zoo", "error", "catalogue: ")

	// A program that is gone.
	b.servers["zoo"] = map[string]any{"command": filepath.Join(b.dir, "gone")}
	b.configure()
	b.server("zoo", "error", "catalogue: ", "cannot be started")
	b.shows("mcps/zoo/tools/new.json", "The new one.")

	// One more server, and one less.
	b.stub("farm", "", nil)
	b.ready("farm")
	delete(b.servers, "farm")
	b.configure()
	if b.settled(); b.sh("ls .agentctx/mcps") != "CALLS.tsv\nINDEX.md\nzoo\n" {
		t.Error("the server is still there")
	}

	b.ok("unmount")
	b.refused(exitFailed, []string{"not running", "\n  start it: ctxfs mount"}, "restart", "zoo")
}
