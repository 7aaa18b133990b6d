package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/modeltest"
)

// TestRealAgents has each agent work in a sandbox, which its shell then cannot leave. See
// [modeltest.Variable].
func TestRealAgents(t *testing.T) {
	t.Parallel()
	for _, a := range append(modeltest.Agents(), modeltest.Copilot()) {
		for _, namespaces := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", a.ID, namespaces), func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				r := Rules{Dir: filepath.Join(home, "work"), Write: []string{filepath.Join(home, "scratch")}}
				fstest.Must(t, os.Mkdir(r.Dir, 0o755))
				m, is := agents.Machine{Home: home, LookupEnv: func(string) (string, bool) { return "", false }}, agents.ByID(a.ID)
				r.Write, r.Keep = append(r.Write, m.Paths(is.State...)...), m.Paths(is.Configuration()...)
				const prompt, answer = "what came of it?", "it was refused indeed"
				model := modeltest.Start(t, prompt, answer, modeltest.Step{Until: "cannot-write", Calls: modeltest.Shell("echo x >f || echo cannot-write")})
				a.Configure(t, home, model)
				cmd := a.Command(t, model, "HOME="+home, "PATH="+os.Getenv("PATH"))
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
