package providers

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// open makes the providers over a home folder with that config.toml.
func open(t *testing.T, config string) *List {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, "config.toml")
	fstest.Must(t, os.WriteFile(path, []byte(config), 0o600))
	s := New(optionsIn(home))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// optionsIn are those of providers that read all they need below a home folder.
func optionsIn(home string) Options {
	log := slog.New(slog.DiscardHandler)
	return Options{
		Home: home, Config: filepath.Join(home, "config.toml"), Cache: filepath.Join(home, "cache"), State: filepath.Join(home, "state"),
		Environ:       func() []string { return nil },
		LookupEnv:     func(string) (string, bool) { return "", false },
		Env:           func(string) fs.Env { return fs.Env{Changed: func(string) {}, Log: log, Now: time.Now} },
		ResultsFolder: func() string { return filepath.Join(home, "state", "results") },
		Offline:       true,
		Changed:       func() {},
		Log:           log,
	}
}

func TestFaultsInTheConfigurationAreToldOnce(t *testing.T) {
	for config, want := range map[string]string{
		"[mpc.servers.x]\ncommand = \"x\"\n": "unknown table [mpc]; did you mean [mcp]?",
		"[mcp]\nserver = 1\n":                `config.toml:2: unknown key "server" in [mcp]`,
		"[mcp.servers.x]\ncmd = \"x\"\n":     `config.toml:2: unknown key "cmd" in [mcp.servers.x]`,
		"[mcp\n":                             "config.toml:1: ",
		"[result]\nmax_age = \"1d\"\n":       "unknown table [result]; did you mean [results]?",
		"[results]\nmax_sise = 1\n":          `config.toml:2: unknown key "max_sise" in [results]; did you mean "max_size"?`,
	} {
		s := open(t, config)
		told := s.Problems()
		for _, p := range s.All() {
			told = append(told, p.Status().Problems...)
		}
		if len(told) != 1 || !strings.Contains(told[0].What, want) || told[0].Mend == "" {
			t.Errorf("%q: %+v", config, told)
		}
	}
}

// TestAllKnowTheProjects that a configuration names: a search, which weighs what is of
// its caller's project, as well as calls.
func TestAllKnowTheProjects(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	work := filepath.Join(home, "work")
	inside := filepath.Join(work, "deep", "inside")
	fstest.Must(t, os.MkdirAll(inside, 0o700))
	config := fmt.Sprintf(`{"projects":{%q:{"mcpServers":{"one":{"command":"true"}}}}}`, work)
	fstest.Must(t, os.WriteFile(filepath.Join(home, ".claude.json"), []byte(config), 0o600))
	var all shared
	s := newList(optionsIn(home), func(o Options, s shared) []Named {
		all = s
		return list(o, s)
	})
	defer s.Close()
	if got, why := all.projects.Of(fs.Standpoint{Dir: inside}); got != work {
		t.Errorf("the project of %s is %q (%s)", inside, got, why)
	}
}
