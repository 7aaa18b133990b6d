package transcripts

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// madeBy is an agent that is run to make a session.
type madeBy struct {
	name, bin string
	// prepare writes what it is meant to find, for a stub model at url.
	prepare func(t *testing.T, home, url string)
	env     func(url string) []string
	args    []string
}

const madePrompt = "Run the command that tells the number, please."

func madeAgents() []madeBy {
	write := func(t *testing.T, path, text string) {
		t.Helper()
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return []madeBy{
		{
			name: "claude-code", bin: "claude",
			env: func(url string) []string {
				return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=stub-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
			},
			args: []string{"-p", madePrompt, "--allowedTools", "Bash"},
		},
		{
			name: "codex", bin: "codex",
			prepare: func(t *testing.T, home, url string) {
				write(t, filepath.Join(home, ".codex", "config.toml"), "model = \"stub-model\"\nmodel_provider = \"stub\"\n[model_providers.stub]\nname = \"stub\"\nbase_url = \""+url+"/v1\"\nenv_key = \"STUB_KEY\"\nwire_api = \"responses\"\n")
			},
			env:  func(string) []string { return []string{"STUB_KEY=stub-key"} },
			args: []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", madePrompt},
		},
		{
			name: "opencode", bin: "opencode",
			prepare: func(t *testing.T, home, url string) {
				write(t, filepath.Join(home, ".config", "opencode", "opencode.json"), `{"autoupdate":false,"share":"disabled","model":"stub/stub-model","small_model":"stub/stub-model","permission":{"bash":"allow"},
					"provider":{"stub":{"npm":"@ai-sdk/openai-compatible","name":"stub","options":{"baseURL":"`+url+`/v1","apiKey":"stub-key"},"models":{"stub-model":{"name":"stub","tool_call":true}}}}}`)
			},
			env: func(string) []string {
				return []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1"}
			},
			args: []string{"run", madePrompt},
		},
		{
			name: "gemini", bin: "gemini",
			prepare: func(t *testing.T, home, _ string) {
				write(t, filepath.Join(home, ".gemini", "settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false}}`)
			},
			env: func(url string) []string {
				return []string{"GEMINI_API_KEY=stub-key", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
			},
			args: []string{"--yolo", "-p", madePrompt},
		},
	}
}

// TestSessionsMadeByAgents runs the agents themselves, offline, with a stub model
// on this machine, and reads the sessions that they have made. CTXFS_TEST_AGENTS
// is the folder in which they were installed (1.1 GB):
//
//	npm install @anthropic-ai/claude-code @openai/codex opencode-ai @google/gemini-cli
func TestSessionsMadeByAgents(t *testing.T) {
	dir := os.Getenv("CTXFS_TEST_AGENTS")
	if dir == "" {
		t.Skip("CTXFS_TEST_AGENTS does not name a folder in which the agents are installed")
	}
	for _, a := range madeAgents() {
		t.Run(a.name, func(t *testing.T) {
			bin := filepath.Join(dir, "node_modules", ".bin", a.bin)
			if _, err := os.Stat(bin); err != nil {
				t.Skipf("%s is not installed: %v", a.name, err)
			}
			home := tempHome(t)
			work := filepath.Join(home, "work")
			check(t, os.Mkdir(work, 0o755))
			model := startStubModel(t)
			if a.prepare != nil {
				a.prepare(t, home, model.url)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, bin, a.args...)
			cmd.Dir = work
			cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "NO_COLOR=1", "CI=1"}, a.env(model.url)...)
			began := time.Now().Add(-time.Second)
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Logf("%s ended with %v:\n%s\nit asked for %q", a.name, err, said, model.asked())
			}
			ended := time.Now().Add(time.Second)

			f := start(t, home, offline)
			f.scanner.First()
			var found *catalogue.Session
			for _, s := range f.catalogue.All() {
				if v, _ := f.catalogue.View(s); s.Agent == a.name && v.Parent == nil {
					found = s
				}
			}
			if found == nil {
				t.Fatalf("it has made no session; it said:\n%s\nit asked for %q", said, model.asked())
			}
			path := f.catalogue.Path(found)
			text := f.read(path + "/transcript.md")
			asked, answered, called, resulted, unknown := 0, 0, "", 0, 0
			for line := range strings.Lines(f.read(path + "/messages.jsonl")) {
				e, err := render.ParseMessage([]byte(strings.TrimSuffix(line, "\n")))
				check(t, err)
				switch {
				case e.Kind == event.Unknown:
					unknown++
					t.Logf("unknown: %.300s", e.Record)
				case e.Kind == event.User && e.Origin != event.Injected && strings.Contains(e.Text, madePrompt) && len(e.Text) < len(madePrompt)+3: // opencode quotes it
					asked++
				case e.Kind == event.Assistant && strings.TrimSpace(e.Text) == stubAnswer:
					answered++
				case e.Call != nil && strings.Contains(e.Call.Input, stubCommand):
					called = e.Call.ID
				case e.Result != nil && strings.Contains(e.Result.Text, stubOutput) && e.Result.CallID == called:
					resulted++
				}
			}
			if asked != 1 || answered != 1 || called == "" || resulted != 1 || unknown > 0 {
				t.Errorf("asked %d, answered %d, called %q, %d results, %d unknown:\n%s", asked, answered, called, resulted, unknown, text)
			}
			v, _ := f.catalogue.View(found)
			info := v.Info
			if info.CWD != work || info.Start.Before(began) || info.Last.After(ended) || info.Last.Before(info.Start) {
				t.Errorf("in %s from %v to %v; it was in %s from %v to %v", info.CWD, info.Start, info.Last, work, began, ended)
			}
			digest := f.read(path + "/digest.md")
			if _, ending, _ := strings.Cut(digest, "\n## Last words\n"); !strings.Contains(ending, stubAnswer) {
				t.Errorf("the digest: %s", digest)
			}
			if s := f.Status(); s.State != "ready" {
				t.Errorf("status %+v", s)
			}
			t.Logf("%s %s: %d events", a.name, info.Program, v.Published.Events)
		})
	}
}
