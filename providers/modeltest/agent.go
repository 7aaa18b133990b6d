package modeltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
)

// Variable names the folder in which the agents were installed (1.1 GB):
//
//	npm install @anthropic-ai/claude-code @openai/codex opencode-ai @google/gemini-cli @github/copilot
const Variable = "CTXFS_TEST_AGENTS"

// Agent is a coding agent that runs once, with a prompt, and asks a [Model].
type Agent struct {
	// ID is its id in package agents.
	ID  string
	bin string
	// settings returns its configuration file below its home, and what stands there for a
	// model at url; "" if it needs none.
	settings func(url string) (path, text string)
	env      func(url string) []string
	args     func(prompt string) []string
}

// Agents returns all agents.
func Agents() []Agent {
	return []Agent{
		{
			ID: "claude-code", bin: "claude",
			env: func(url string) []string {
				return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=stub-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
			},
			args: func(prompt string) []string {
				return []string{"-p", prompt, "--allowedTools", "Bash,Read,Edit,Write"}
			},
		},
		{
			ID: "codex", bin: "codex",
			settings: func(url string) (string, string) {
				return ".codex/config.toml", "model = \"stub-model\"\nmodel_provider = \"stub\"\n[model_providers.stub]\nname = \"stub\"\nbase_url = \"" + url + "/v1\"\nenv_key = \"STUB_KEY\"\nwire_api = \"responses\"\n"
			},
			env: func(string) []string { return []string{"STUB_KEY=stub-key"} },
			args: func(prompt string) []string {
				return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", prompt}
			},
		},
		{
			ID: "opencode", bin: "opencode",
			settings: func(url string) (string, string) {
				return ".config/opencode/opencode.json", `{"autoupdate":false,"share":"disabled","model":"stub/stub-model","small_model":"stub/stub-model","permission":{"bash":"allow"},
					"provider":{"stub":{"npm":"@ai-sdk/openai-compatible","name":"stub","options":{"baseURL":"` + url + `/v1","apiKey":"stub-key"},"models":{"stub-model":{"name":"stub","tool_call":true}}}}}`
			},
			env: func(string) []string {
				return []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1"}
			},
			args: func(prompt string) []string { return []string{"run", prompt} },
		},
		{
			ID: "gemini", bin: "gemini",
			settings: func(string) (string, string) {
				return ".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false}}`
			},
			env: func(url string) []string {
				return []string{"GEMINI_API_KEY=stub-key", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
			},
			args: func(prompt string) []string { return []string{"--yolo", "--model", "gemini-2.5-pro", "-p", prompt} },
		},
	}
}

// Configure writes the file that has the agent ask a model, below a home.
func (a Agent) Configure(t testing.TB, home string, m *Model) {
	t.Helper()
	if a.settings == nil {
		return
	}
	path, text := a.settings(m.URL)
	path = filepath.Join(home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Command returns the command that has the agent answer the prompt of a model. Env is its
// environment beside what the agent needs itself. The test is of the set agents
// ([fstest.OptIn]), and skipped if the agent is not installed.
func (a Agent) Command(t testing.TB, m *Model, env ...string) *exec.Cmd {
	t.Helper()
	fstest.OptIn(t, "agents")
	dir := os.Getenv(Variable)
	if dir == "" {
		t.Skip(Variable + " does not name a folder in which the agents are installed")
	}
	bin := filepath.Join(dir, "node_modules", ".bin", a.bin)
	if _, err := os.Stat(bin); err != nil {
		t.Skipf("%s is not installed: %v", a.ID, err)
	}
	cmd := exec.CommandContext(t.Context(), bin, a.args(m.prompt)...)
	cmd.Env = append(append([]string{"TERM=dumb", "NO_COLOR=1", "CI=1"}, env...), a.env(m.URL)...)
	return cmd
}
