package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/modeltest"
	"ctxfs/providers/setup/edit"
)

// TestRealPermissions: the agents themselves, asked nothing by anybody, run the commands of
// ctxfs that only read, and refuse the others; those that have a sandbox run them outside
// it. See [modeltest.Variable].
func TestRealPermissions(t *testing.T) {
	const prompt = "Run the command that tells the number, please."
	// What shows in a request that the call was made, or refused.
	answered := map[string]string{"claude-code": `"tool_result"`, "gemini": `"functionResponse"`, "codex": `"function_call_output"`}
	// Without these the agent asks before it runs anything.
	trusting := map[string][]string{
		"claude-code": {"--allowedTools", "Bash,Read,Edit,Write"}, "gemini": {"--yolo"}, "codex": {"--dangerously-bypass-approvals-and-sandbox"},
	}
	for _, a := range modeltest.Agents() {
		if answered[a.ID] == "" {
			continue // opencode runs all commands by default
		}
		for _, words := range []string{"find number", "cat AGENTS.md", "memory show x", "call tool x", "run -- true"} {
			t.Run(a.ID+" "+words, func(t *testing.T) {
				home := t.TempDir()
				work := filepath.Join(home, "work")
				ran := filepath.Join(home, "ran") // no sandbox lets it be written
				write(t, filepath.Join(home, "bin", "ctxfs"), []byte("#!/bin/sh\necho \"$@\" >'"+ran+"' && echo number-$((7390 + 1))\n"))
				write(t, filepath.Join(home, ".bash_profile"), []byte("PATH='"+filepath.Join(home, "bin")+"':$PATH\n")) // Codex has a login shell
				write(t, filepath.Join(work, "README.md"), []byte("# Work\n"))
				fstest.Must(t, os.Chmod(filepath.Join(home, "bin", "ctxfs"), 0o755))
				model := modeltest.Start(t, prompt, "Done.", modeltest.Step{Until: answered[a.ID], Calls: modeltest.Shell("ctxfs " + words)})
				a.Configure(t, home, model)
				cmd := a.Command(t, model, "HOME="+home, "PATH="+filepath.Join(home, "bin")+":"+os.Getenv("PATH"))
				for _, word := range trusting[a.ID] {
					cmd.Args = slices.DeleteFunc(cmd.Args, func(arg string) bool { return arg == word })
				}
				if a.ID == "codex" {
					cmd.Args = slices.Insert(cmd.Args, slices.Index(cmd.Args, "exec")+1, "--sandbox", "read-only")
				}
				cmd.Dir = work
				m := Machine{
					Home: home, OS: "linux", Program: filepath.Join(home, "nothing"), Mount: filepath.Join(home, ".agentctx"),
					LookupEnv: func(string) (string, bool) { return "", false },
				}
				changes, _ := find(t, a.ID).Changes(m, Options{})
				for _, c := range changes {
					after, _, err := edit.Apply(read(t, c.Path), c.Edits)
					if err != nil {
						t.Fatalf("%s: %v", c.Path, err)
					}
					write(t, c.Path, after)
				}
				said, err := cmd.CombinedOutput()
				if err != nil {
					t.Logf("it ended with %v", err)
				}
				reads := slices.ContainsFunc(Reading(), func(r string) bool { return strings.HasPrefix(words, r) })
				if got := string(read(t, ran)); (got != "") != reads {
					all := model.Requests()
					last := ""
					if len(all) > 0 {
						last = all[len(all)-1]
					}
					t.Errorf("it ran %q:\n%s\n%.3000s", got, said, last[max(0, len(last)-3000):])
				}
			})
		}
	}
}
