package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/request"
)

// TestServeAgents: where the user allows it a gateway starts agents, which outlive it, and
// brings their results. They have the environment of the real gateway.
func TestServeAgents(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.kinds("gateway = true", map[string]string{
		"answers": `echo "the answer in $PWD"`,
		"much":    `seq 1 20000`,
		// A line below the prompt says where the context is: the file is the last word of the first.
		"asks": `last=$(printf '%s' "$1" | head -n 1); last=${last##* }; echo >"$HOME/asked"; read -r _ <"$HOME/$last"; echo "$last is there"`,
	})
	release := b.fifo("one")
	b.mount()
	a := b.agent()
	tools, err := a.ListTools(t.Context(), mcp.ListToolsRequest{})
	must(t, err)
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if tool.Name == "agent_run" && (len(tool.InputSchema.Properties) != 7 || !slices.Contains(tool.InputSchema.Required, "prompt") || *tool.Annotations.ReadOnlyHint) {
			t.Errorf("%+v", tool)
		}
	}
	fstest.Equal(t, strings.Join(names, " "), "agent_result agent_run agent_wait call find list read wait", "tools")
	run := func(args map[string]any) string {
		t.Helper()
		text, failed := a.ask("agent_run", args)
		id, _, _ := strings.Cut(text, " ")
		if failed || !strings.Contains(text, `agent_wait {"ids":["`+id+`"]}`) {
			t.Fatalf("agent_run %v: %v: %s", args, failed, text)
		}
		return id
	}
	id := run(map[string]any{"agent": "answers", "prompt": "x", "repoDir": b.home})
	a.says(false, []string{`"ended":"success"`, "the answer in " + b.home}, "agent_wait", map[string]any{"ids": []string{id}})
	a.says(false, []string{`"ended":"success"`, "the answer in " + b.home}, "agent_result", map[string]any{"id": id})
	a.says(false, []string{"the answer in"}, "read", map[string]any{"path": "agents/" + id + "/result.md"})
	a.says(false, []string{id}, "list", map[string]any{"path": "agents"})

	long := run(map[string]any{"agent": "much", "prompt": "x", "repoDir": b.home})
	text, failed := a.ask("agent_wait", map[string]any{"ids": []string{long}})
	if failed || len(text) > 12_000 || !strings.Contains(text, `read {"path":"agents/`+long+`/result.md"}`) {
		t.Errorf("%v, %d bytes: %s", failed, len(text), text[max(0, len(text)-500):])
	}

	waits := run(map[string]any{"agent": "asks", "prompt": "look for one", "repoDir": b.home})
	b.ok("wait", "file", filepath.Join(b.home, "asked"))
	if all := b.jobs(); len(all) != 1 || all[0].State != "running" {
		t.Errorf("%+v", all)
	}
	a.says(false, []string{waits + ": running", "Not within 200ms", "again"}, "agent_wait", map[string]any{"ids": []string{waits}, "seconds": 0.2})
	a.says(false, []string{waits + ": running", "agent_wait"}, "agent_result", map[string]any{"id": waits})
	a.says(false, []string{waits + ": running", `"id":"` + id + `"`}, "agent_wait", map[string]any{"ids": []string{waits, id}, "any": true})
	for _, wrong := range []struct {
		tool  string
		args  map[string]any
		words []string
	}{
		{"agent_run", map[string]any{"agent": "answers", "repoDir": b.home}, []string{"prompt is empty"}},
		{"agent_run", map[string]any{"agent": "answers", "prompt": "x", "repo": b.home}, []string{`"repo"`, "repoDir"}},
		{"agent_run", map[string]any{"agent": "answers", "prompt": "x", "repoDir": "/proc/none"}, []string{"/proc/none"}},
		{"agent_run", map[string]any{"agent": "answers", "prompt": "x"}, []string{"the folder of this client is not known", "repoDir"}},
		{"agent_run", map[string]any{"agent": "anwsers", "prompt": "x", "repoDir": b.home}, []string{"anwsers", "answers, asks, much"}},
		{"agent_wait", map[string]any{"ids": []string{"nothing"}}, []string{`no run "nothing"`, "agents/INDEX.md"}},
		{"agent_result", map[string]any{"id": id + "x"}, []string{"did you mean: " + id}},
	} {
		a.says(true, wrong.words, wrong.tool, wrong.args)
	}
	must(t, a.Close()) // the agent goes on without its gateway
	release.Release()
	if all := b.awaits(0, waits); all[0].Text != "one is there\n" {
		t.Errorf("%+v", all)
	}
	if got, _ := filepath.Glob(b.job("*", "status.json")); len(got) != 3 {
		t.Errorf("of what was refused there is something: %v", got)
	}
}

// TestServeNoAgents: without the setting there is no such tool, and with one a read-only run,
// whose sandbox is that of the real program, starts no other by it.
func TestServeNoAgents(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.kinds("", map[string]string{"answers": `echo x`})
	a := b.agent()
	tools, err := a.ListTools(t.Context(), mcp.ListToolsRequest{})
	must(t, err)
	if len(tools.Tools) != 5 {
		t.Errorf("%d tools", len(tools.Tools))
	}
	must(t, a.Close())

	ask := `printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' ` +
		`'{"jsonrpc":"2.0","method":"notifications/initialized"}' ` +
		`'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"agent_run","arguments":{"agent":"answers","prompt":"x","repoDir":"/"}}}' >"$TMPDIR/in"; mkfifo "$TMPDIR/answered"; ` +
		`(cat "$TMPDIR/in"; read -r _ <"$TMPDIR/answered") | ` + b.program() + ` serve | ` +
		`while read -r line; do echo "$line"; case $line in *'"id":2'*) echo >"$TMPDIR/answered";; esac; done`
	b.kinds("gateway = true", map[string]string{"answers": `touch "$HOME/started"`, "asks": ask})
	b.mount()
	r := b.runs(0, "--agent", "asks", "--read-only", "x")
	if !strings.Contains(r.Text, "read-only run of an agent") || !strings.Contains(r.Text, `"isError":true`) {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(b.home, "started")); err == nil {
		t.Error("it was started")
	}
}

// TestServeAgentsToTheSDK has the official client start two agents side by side.
func TestServeAgentsToTheSDK(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	modules := fstest.NodeModules(b, "@modelcontextprotocol/sdk")
	// The SDK drops progress that arrives together with the result: the second agent ends
	// later.
	b.kinds("gateway = true", map[string]string{
		"answers": `case $1 in second*) while [ ! -e "$HOME/go" ]; do sleep 0.01; done; esac; echo "an answer"`,
	})
	script, err := filepath.Abs("../../testdata/gateway/agents.mjs")
	must(t, err)
	got := b.do("node", script, modules, b.program(), b.home)
	var said struct {
		Tools    []struct{ Name string }
		Progress []struct{ Progress, Total float64 }
		Waited   string
		Result   request.Result
	}
	if err := json.Unmarshal([]byte(got.out), &said); err != nil || got.code != 0 {
		t.Fatalf("%v: %+v", err, got)
	}
	if len(said.Tools) != 8 || strings.Count(said.Waited, `"ended":"success"`) != 2 || said.Result.Text != "an answer\n" {
		t.Errorf("%+v", said)
	}
	if len(said.Progress) == 0 || said.Progress[0].Total != 2 {
		t.Errorf("progress: %+v", said.Progress)
	}
}
