package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/modeltest"
)

// TestRealAgents has each agent work in a sandbox, which its shell then cannot leave. See
// [modeltest.Variable].
func TestRealAgents(t *testing.T) {
	t.Parallel()
	state := map[string][]string{
		"claude-code": {".claude", ".claude.json", ".cache/claude", ".cache/claude-cli-nodejs"},
		"codex":       {".codex"},
		"gemini":      {".gemini"},
		"opencode":    {".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"},
	}
	for _, a := range modeltest.Agents() {
		for _, namespaces := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", a.ID, namespaces), func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				r := Rules{Dir: filepath.Join(home, "work"), Write: []string{filepath.Join(home, "scratch")}}
				if err := os.Mkdir(r.Dir, 0o755); err != nil {
					t.Fatal(err)
				}
				for _, path := range state[a.ID] {
					r.Write = append(r.Write, filepath.Join(home, path))
				}
				const prompt, answer = "what came of it?", "it was refused indeed"
				m := modeltest.Start(t, prompt, answer, modeltest.Step{Until: "cannot-write", Calls: modeltest.Shell("echo x >f || echo cannot-write")})
				a.Configure(t, home, m)
				cmd := a.Command(t, m, "HOME="+home, "PATH="+os.Getenv("PATH"))
				cmd.Env = Environ(cmd.Env, r.Write[0])
				text, report := become(t, r, namespaces, append([]string{cmd.Path}, cmd.Args[1:]...), cmd.Env)
				if !report.Enforced || !strings.Contains(text, answer) {
					t.Errorf("%+v\n%s", report, text)
				}
				if entries, err := os.ReadDir(r.Dir); err != nil || len(entries) > 0 {
					t.Errorf("it has written %v, %v", entries, err)
				}
			})
		}
	}
}
