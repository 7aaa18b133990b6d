package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type table struct {
	Limit   int               `toml:"limit"`
	Servers map[string]server `toml:"servers"`
}

type server struct {
	Command string   `toml:"command"`
	Args    []string `toml:"args"`
}

func load(t *testing.T, text string) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDecode(t *testing.T) {
	f := load(t, "[skills]\nwhatever = 1\n[mcp]\nlimit = 3\n[mcp.servers.\"a b\"]\ncommand = \"x\"\nargs = [\"1\"]\n")
	if got := f.Tables(); !slices.Equal(got, []string{"mcp", "skills"}) {
		t.Errorf("tables %q", got)
	}
	got := table{Limit: 7}
	if err := f.Decode("mcp", &got); err != nil || got.Limit != 3 || got.Servers["a b"].Command != "x" {
		t.Errorf("%+v, %v", got, err)
	}
	got = table{Limit: 7}
	if err := f.Decode("absent", &got); err != nil || got.Limit != 7 {
		t.Errorf("an absent table: %+v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[mcp]\nlimt = 3\n":                             `:2: unknown key "limt" in [mcp]; did you mean "limit"?`,
		"[mcp.servers.x]\n\ncomand = \"x\"\n":           `:3: unknown key "comand" in [mcp.servers.x]; did you mean "command"?`,
		"[mcp]\nservers.x.zzzzzzzzz = 1\n":              `:2: unknown key "zzzzzzzzz" in [mcp.servers.x]; known are command, args`,
		"[other]\nbad = 1\n[mcp]\nlimit = \"three\"\n":  `:4: mcp.limit: `,
		"[mcp.srvers.x]\ncommand = \"x\"\nargs = []\n":  `unknown key "srvers" in [mcp]; did you mean "servers"?`,
		"[mcp.servers.x]\ncommand = \"x\"\nargs = \"\"": `:3: mcp.servers.x.args: `,
	} {
		f := load(t, text)
		if err := f.Decode("mcp", new(table)); err == nil || !strings.Contains(err.Error(), f.Path()) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	f, err := Load(filepath.Join(t.TempDir(), "none.toml"))
	if err != nil || len(f.Tables()) != 0 {
		t.Errorf("a missing file: %v, %v", f, err)
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[mcp]\nlimit = \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+":2: ") {
		t.Errorf("bad syntax: %v", err)
	}
}
