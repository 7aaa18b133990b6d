package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestMisfitIsTold: a result that violates its tool's output schema is reported by
// every way of calling, and is not a failure.
func TestMisfitIsTold(t *testing.T) {
	t.Parallel()
	need(t, "jq")
	b := newBox(t)
	b.write("tools.json", `[{"name":"weather","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"]}}]`)
	b.write("result.json", `{"content":[{"type":"text","text":"cold"}],"structuredContent":{"degrees":"cold","wind":1}}`)
	b.stub("sky", "", map[string]string{stubTools: filepath.Join(b.home, "tools.json"), stubResult: filepath.Join(b.home, "result.json")})
	b.write(".config/ctxfs/config.toml", "[mcp]\nfile_calls = true\n")
	b.mount()
	b.ready("sky")
	const misfit = `the structured result does not fit the tool's output schema: "degrees" must be a number, not "cold"`
	for _, line := range []string{"ctxfs call sky weather", ".agentctx/mcps/sky/bin/weather"} {
		if r := b.shell(line); r.code != 0 || r.err != "cold\nctxfs: "+misfit+"\n" || canonical(r.out) != `{"degrees":"cold","wind":1}` {
			t.Errorf("%s: exit %d, %v", line, r.code, r)
		}
	}
	if r := b.shell("ctxfs call --json sky weather | jq -r '._meta[\"ctxfs/misfit\"]'"); r.out != misfit+"\n" {
		t.Errorf("--json: %v", r)
	}
	if r := b.shell("cd .agentctx/mcps/sky/calls; echo '{}' > weather.1.json; jq -r '.ok, .misfit' weather.1.result"); r.out != "true\n"+misfit+"\n" {
		t.Errorf("a file: %v", r)
	}
	a := b.agent()
	a.says(false, []string{"ctxfs: " + misfit}, "call", callOf("sky", "weather", nil))

	b.write("result.json", `{"content":[{"type":"text","text":"3 degrees"}]}`)
	if r := b.run("call", "sky", "weather"); r.code != 0 || r.out != "3 degrees\n" || !strings.Contains(r.err, "the result is not structured, although the tool has an output schema") {
		t.Errorf("not structured: exit %d, %v", r.code, r)
	}
}
