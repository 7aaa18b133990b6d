package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestPlugin: the plugin for opencode hands on what happens, and what is answered; where
// ctxfs is missing, prints nonsense or fails, nothing happens.
func TestPlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, `it's "here"`, "ctxfs")
	const answers = `#!/bin/sh
cat >>"$0.inputs"
echo >>"$0.inputs"
case $3 in
chat.message) echo '{"context": "told"}' ;;
tool.execute.before) echo '{"deny": "stale"}' ;;
tool.execute.after) echo '{"output": "short"}' ;;
*) echo '{"context": "summed"}' ;;
esac
`
	const script = `
import { Ctxfs } from "./plugin.mjs"
const hooks = await Ctxfs({ directory: "/src/shop" })
const chat = { message: { id: "msg_1" }, parts: [{ id: "prt_1", type: "text", text: "hello" }, { id: "prt_2", type: "text", text: "injected", synthetic: true }] }
await hooks["chat.message"]({ sessionID: "ses_1" }, chat)
console.log(JSON.stringify(chat.parts.slice(2)))
try {
  await hooks["tool.execute.before"]({ tool: "edit", sessionID: "ses_1", callID: "c1" }, { args: { filePath: "/src/shop/a.go" } })
  console.log("went on")
} catch (e) { console.log("refused: " + e.message) }
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1", callID: "c2" }, { args: { command: "ls" } })
const after = { title: "", output: "long", metadata: {} }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "c2", args: { command: "ls" } }, after)
console.log(after.output)
const failed = { title: "", output: "no", metadata: { exit: 1 } }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "c4", args: { command: "false" } }, failed)
const served = { content: [{ type: "text", text: "x" }] }
await hooks["tool.execute.after"]({ tool: "github_get", sessionID: "ses_1", callID: "c3", args: {} }, served)
console.log(JSON.stringify(served.content))
await hooks.config({ mcp: { "my": {}, "my hub": {} } })
await hooks["tool.execute.after"]({ tool: "my_hub_get_it", sessionID: "ses_1", callID: "c5", args: {} }, { content: [{ type: "text", text: "a" }, { type: "text", text: "b" }], isError: true })
const pictured = { content: [{ type: "text", text: "x" }, { type: "image", data: "AA==" }] }
await hooks["tool.execute.after"]({ tool: "my_hub_shot", sessionID: "ses_1", callID: "c6", args: {} }, pictured)
const compacting = { context: [] }
await hooks["experimental.session.compacting"]({ sessionID: "ses_1" }, compacting)
console.log(JSON.stringify(compacting.context))
`
	m := Machine{Home: dir, OS: "linux", Program: program, Mount: filepath.Join(dir, ".agentctx"), LookupEnv: func(string) (string, bool) { return "", false }}
	write(t, filepath.Join(dir, "plugin.mjs"), []byte((&plan{Machine: m}).plugin()))
	write(t, filepath.Join(dir, "run.mjs"), []byte(script))
	run := func() string {
		t.Helper()
		out, err := exec.Command(node, filepath.Join(dir, "run.mjs")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	const silent = "[]\nwent on\nlong\n" + `[{"type":"text","text":"x"}]` + "\n[]\n"
	fstest.Equal(t, run(), silent, "without ctxfs")
	for _, nonsense := range []string{"#!/bin/sh\necho null\n", "#!/bin/sh\nexit 3\n", "#!/bin/sh\nexec <&-; echo '{'\n"} {
		write(t, program, []byte(nonsense))
		fstest.Must(t, os.Chmod(program, 0o755))
		fstest.Equal(t, run(), silent, nonsense)
	}
	write(t, program, []byte(answers))
	want := `[{"id":"prt_20","sessionID":"ses_1","messageID":"msg_1","type":"text","text":"told","synthetic":true}]
refused: stale
short
[{"type":"text","text":"short"}]
["summed"]
`
	fstest.Equal(t, run(), want)
	inputs := string(read(t, program+".inputs"))
	for _, want := range []string{
		`{"hook_event_name":"chat.message","session_id":"ses_1","cwd":"/src/shop","prompt":"hello"}`,
		`{"hook_event_name":"tool.execute.before","session_id":"ses_1","cwd":"/src/shop","tool_name":"edit","tool_use_id":"c1","tool_input":{"filePath":"/src/shop/a.go"}}`,
		`{"hook_event_name":"tool.execute.after","session_id":"ses_1","cwd":"/src/shop","tool_name":"bash","tool_use_id":"c2","tool_input":{"command":"ls"},"tool_response":"long"}`,
		`{"hook_event_name":"tool.execute.after","session_id":"ses_1","cwd":"/src/shop","tool_name":"bash","tool_use_id":"c4","tool_input":{"command":"false"},"tool_response":"no","exit_code":1}`,
		`{"hook_event_name":"tool.execute.after","session_id":"ses_1","cwd":"/src/shop","tool_name":"get","tool_use_id":"c3","tool_input":{},"tool_response":"x","mcp_server_name":"github"}`,
		`{"hook_event_name":"tool.execute.after","session_id":"ses_1","cwd":"/src/shop","tool_name":"get_it","tool_use_id":"c5","tool_input":{},"tool_response":"a\nb","mcp_server_name":"my_hub","success":false}`,
		`{"hook_event_name":"experimental.session.compacting","session_id":"ses_1","cwd":"/src/shop"}`,
	} {
		if !strings.Contains(inputs, want+"\n") {
			t.Errorf("%s is not among what was handed on:\n%s", want, inputs)
		}
	}
	fstest.Equal(t, strings.Count(inputs, "\n"), 7, "hooks ran", inputs)
}
