package agents

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/modeltest"
	"ctxfs/providers/setup/edit"
)

// TestRealAgents sets up the agents themselves and runs them, offline, with a stand-in for
// their models: the pointer is in what the model reads, the hooks run, and what they say
// arrives. See [modeltest.Variable].
func TestRealAgents(t *testing.T) {
	const (
		prompt  = "Run the command that tells the number, please."
		command = "printf number-%d 7391"
		output  = "number-7391"
	)
	// A program in the place of ctxfs notes the events and answers in the agent's form.
	const program = `#!/bin/sh
cat >>"$0.inputs"
echo " $3" >>"$0.events"
case $2-$3 in
opencode-chat.message) echo '{"context": "told at chat.message"}' ;;
opencode-tool.execute.after) echo '{"context": "told at tool.execute.after"}' ;;
*-SessionStart | *-UserPromptSubmit | *-PostToolUse | *-BeforeAgent | *-AfterTool)
	echo "{\"hookSpecificOutput\": {\"hookEventName\": \"$3\", \"additionalContext\": \"told at $3\"}}" ;;
esac
`
	told := map[string][]string{
		"claude-code": {"SessionStart", "UserPromptSubmit", "PostToolUse"},
		"codex":       {"SessionStart", "UserPromptSubmit", "PostToolUse"},
		"gemini":      {"SessionStart", "BeforeAgent", "AfterTool"},
		"opencode":    {"chat.message", "tool.execute.after"},
	}
	for _, a := range modeltest.Agents() {
		t.Run(a.ID, func(t *testing.T) {
			home := t.TempDir()
			work := filepath.Join(home, "work")
			fstest.Must(t, os.Mkdir(work, 0o755))
			model := modeltest.Start(t, prompt, "It is "+output+".", modeltest.Step{Until: output, Calls: modeltest.Shell(command)})
			a.Configure(t, home, model)
			cmd := a.Command(t, model, "HOME="+home, "PATH="+os.Getenv("PATH"))
			m := Machine{
				Home: home, OS: "linux", Program: filepath.Join(home, "my bin", "ctxfs"), Mount: filepath.Join(home, ".agentctx"),
				LookupEnv: func(string) (string, bool) { return "", false },
			}
			write(t, m.Program, []byte(program))
			fstest.Must(t, os.Chmod(m.Program, 0o755))
			fstest.Must(t, os.Mkdir(m.Mount, 0o755))
			changes, _ := find(t, a.ID).Changes(m, Options{})
			for _, c := range changes {
				after, _, err := edit.Apply(read(t, c.Path), c.Edits)
				if err != nil {
					t.Fatalf("%s: %v", c.Path, err)
				}
				write(t, c.Path, after)
			}
			if a.ID == "codex" {
				i := slices.Index(cmd.Args, "exec")
				cmd.Args = slices.Insert(cmd.Args, i+1, "--dangerously-bypass-hook-trust")
			}
			cmd.Dir = work
			said, err := cmd.CombinedOutput()
			requests := model.Requests()
			if err != nil || len(requests) < 2 {
				t.Errorf("it ended with %v after %d requests:\n%s\nit asked for %q", err, len(requests), said, model.Asked())
			}
			all := strings.Join(requests, "\n")
			for _, want := range []string{"see AGENTS.md there. Look there first", output} {
				fstest.Contains(t, all, want)
			}
			if bytes.Contains(read(t, m.Program+".events"), []byte("PreCompress")) {
				t.Error("a compression was announced, and there was none")
			}
			for _, event := range told[a.ID] {
				if !strings.Contains(all, "told at "+event) {
					t.Errorf("what was told at %s is in no request", event)
				}
			}
			t.Logf("events:\n%s", read(t, m.Program+".events"))
			if t.Failed() {
				t.Logf("it said:\n%s", said)
			}
		})
	}
}

// TestRealRules: Codex itself takes the file of rules, and allows by it what only reads.
func TestRealRules(t *testing.T) {
	fstest.OptIn(t, "agents")
	program := filepath.Join(os.Getenv(modeltest.Variable), "node_modules", ".bin", "codex")
	if _, err := os.Stat(program); err != nil {
		t.Skip(modeltest.Variable + " does not name a folder in which Codex is installed")
	}
	rules := filepath.Join(t.TempDir(), "ctxfs.rules")
	write(t, rules, []byte(codexRules()))
	check := func(words ...string) string {
		t.Helper()
		cmd := exec.Command(program, append([]string{"execpolicy", "check", "--rules", rules}, words...)...)
		cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		return string(out)
	}
	for _, words := range Reading() {
		if got := check(append([]string{"ctxfs"}, strings.Fields(words+" x")...)...); !strings.Contains(got, `"decision":"allow"`) {
			t.Errorf("ctxfs %s: %s", words, got)
		}
	}
	for _, words := range []string{"run -- ls", "call github create_issue", "trust .", "memory accept x", "memory", "findx", "--version"} {
		if got := check(append([]string{"ctxfs"}, strings.Fields(words)...)...); strings.Contains(got, "allow") {
			t.Errorf("ctxfs %s: %s", words, got)
		}
	}
}
