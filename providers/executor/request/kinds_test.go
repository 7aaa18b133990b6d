package request

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// read reads settings from the text of a configuration, in which only the agent claude is
// known.
func read(t *testing.T, text string) (s Settings, problems string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	s, all := ReadSettings(path, func(agent string) error {
		if agent != "claude" {
			return errors.New("nobody knows it")
		}
		return nil
	})
	for _, p := range all {
		if !strings.Contains(p.Mend, path) {
			t.Errorf("%+v", p)
		}
		problems += strings.TrimPrefix(p.What, path) + "\n"
	}
	return s, problems
}

func TestKinds(t *testing.T) {
	s, problems := read(t, `[agents]
limit = 3
gateway = true
[agents.explore]
agent = "claude"
args = ["--model", "haiku"]
read_only = true
worktree = true
prompt = "Be short."
timeout = "90s"
[agents.mine]
command = ["my-agent", "{prompt}"]
state = ["~/.my-agent", "/var/my"]
`)
	want := Settings{Limit: 3, Gateway: true, wrong: map[string]error{}, Kinds: map[string]Kind{
		"explore": {Agent: "claude", Args: []string{"--model", "haiku"}, ReadOnly: true, Worktree: true, Prompt: "Be short.", Timeout: 90 * time.Second},
		"mine":    {Command: []string{"my-agent", "{prompt}"}, State: []string{"~/.my-agent", "/var/my"}},
	}}
	if problems != "" || !reflect.DeepEqual(s, want) {
		t.Errorf("%+v\n%s", s, problems)
	}
	r, k, err := s.Resolve(Request{Agent: "explore", Prompt: "where?", TimeoutMS: 5})
	if err != nil || r.Prompt != "Be short.\n\nwhere?" || !r.ReadOnly || !r.Worktree || r.TimeoutMS != 5 || k.Agent != "claude" {
		t.Errorf("%+v, %+v, %v", r, k, err)
	}
	if r, k, err := s.Resolve(Request{Agent: "codex", Prompt: "x"}); err != nil || r.Prompt != "x" || k.Agent != "codex" {
		t.Errorf("%+v, %+v, %v", r, k, err)
	}
	if _, _, err := s.Resolve(Request{Prompt: "x"}); err == nil || !strings.Contains(err.Error(), "explore, mine") {
		t.Errorf("%v", err)
	}
}

// TestKindsWithFaults: a fault is told with its line, and costs the setting that has it.
func TestKindsWithFaults(t *testing.T) {
	for text, want := range map[string]string{
		"[agents]\nlimit = 0\n":                                        `:2: [agents] has limit = 0; limit is a number of at least 1`,
		"[agents]\nlimt = 3\n":                                         `:2: [agents] has no setting "limt"; did you mean "limit"?`,
		"[agents]\ngateway = 1\n":                                      `:2: [agents] has gateway = 1; `,
		"[agents]\nzebra = \"x\"\n":                                    `:2: [agents] has no setting "zebra"; limit is`,
		"[agents.a]\nread_only = true\n":                               `:1: [agents.a] needs either agent`,
		"[agents.a]\nagent = \"claude\"\ncommand = [\"x\"]\n":          `:1: [agents.a] needs either agent`,
		"[agents.a]\nagent = \"clade\"\n":                              `:1: [agents.a] has the agent "clade": nobody knows it`,
		"[agents.a]\nagent = \"claude\"\nstate = [\"~/x\"]\n":          `:1: [agents.a] has state, which is for a command`,
		"[agents.a]\ncommand = [\"x\"]\nstate = [\"x\"]\n":             `:1: [agents.a] has "x" in state`,
		"[agents.a]\ncommand = [\"x\"]\ntimeout = \"soon\"\n":          `:1: [agents.a] has the timeout "soon"`,
		"[agents.a]\nagent = \"claude\"\nreadonly = true\n":            `read_only`,
		"[agents.a]\nagent = \"claude\"\n[agents.b]\ntimeout = \"1s\"": `:3: [agents.b] needs`,
	} {
		s, problems := read(t, text)
		if !strings.Contains(problems, want) || strings.Count(problems, "\n") != 1 {
			t.Errorf("%s\n%s", text, problems)
		}
		if _, ok := s.Kinds["b"]; ok || s.Limit != DefaultLimit || s.Gateway || strings.Contains(want, "agents.a") && len(s.Kinds) > 0 {
			t.Errorf("%s\n%+v", text, s)
		}
	}
	_, problems := read(t, "[agents.a]\ncommand = [\"x\"]\nstate = [\"x\", \"y/\"]\ntimeout = \"soon\"\n")
	for _, want := range []string{`"x" in state`, `"y/" in state`, `timeout "soon"`} {
		fstest.Contains(t, problems, want)
	}
}

// TestFaultsStartNothing: what has a fault in its table, or whose file has one, is not
// replaced by the agent of that name, which might be allowed more.
func TestFaultsStartNothing(t *testing.T) {
	for _, text := range []string{"[agents.claude]\nagent = \"claude\"\nread_only = true\ntiemout = \"5m\"\n", "[agents.claude]\nread_only =\n", "agents = 5\n"} {
		s, _ := read(t, text)
		s.Alias("claude", "claude-code")
		for _, name := range []string{"claude", "claude-code"} {
			_, _, err := s.Resolve(Request{Agent: name, Prompt: "x"})
			if wrong := (*WrongError)(nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "config.toml") {
				t.Errorf("%s: %s: %v", text, name, err)
			}
		}
	}
	s, _ := read(t, "[agents.claude]\nagent = \"claude\"\nread_only = true\n")
	s.Alias("claude", "claude-code")
	if r, _, err := s.Resolve(Request{Agent: "claude-code", Prompt: "x"}); err != nil || !r.ReadOnly {
		t.Errorf("%+v, %v", r, err)
	}
}
