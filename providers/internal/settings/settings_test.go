package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
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
	fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := Load(path)
	fstest.Must(t, err)
	return f
}

func TestDecode(t *testing.T) {
	f := load(t, "[skills]\nwhatever = 1\n[mcp]\nlimit = 3\n[mcp.servers.\"a b\"]\ncommand = \"x\"\nargs = [\"1\"]\n")
	fstest.EqualSlices(t, f.Tables(), []string{"mcp", "skills"}, "tables")
	got := table{Limit: 7}
	if err := f.Decode(&got, "mcp"); err != nil || got.Limit != 3 || got.Servers["a b"].Command != "x" {
		t.Errorf("%+v, %v", got, err)
	}
	got = table{Limit: 7}
	if err := f.Decode(&got, "absent"); err != nil || got.Limit != 7 {
		t.Errorf("an absent table: %+v, %v", got, err)
	}
}

func TestDecodeOneOfMany(t *testing.T) {
	f := load(t, "[mcp.servers.bad]\nargs = 5\n[mcp.servers.\"a.b\"]\ncommand = \"x\"\n[mcp.servers]\nodd = 1\n")
	var got server
	if err := f.Decode(&got, "mcp", "servers", "a.b"); err != nil || got.Command != "x" {
		t.Errorf("%+v, %v", got, err)
	}
	for name, want := range map[string]string{
		"bad": `:2: "args" in [mcp.servers.bad] is not an array, or something in it is not a string`,
		"odd": `:6: "odd" in [mcp.servers] is not a table`,
	} {
		if err := f.Decode(&got, "mcp", "servers", name); err == nil || err.Error() != f.Path()+want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[mcp]\nlimt = 3\n":                              `:2: unknown key "limt" in [mcp]; did you mean "limit"?`,
		"[mcp.servers.x]\n\ncomand = \"x\"\n":            `:3: unknown key "comand" in [mcp.servers.x]; did you mean "command"?`,
		"[mcp]\nservers.x.zzzzzzzzz = 1\n":               `:2: unknown key "zzzzzzzzz" in [mcp.servers.x]; known keys are command, args`,
		"[mcp]\nservers = {x = {comand = 1}}\n":          `:2: unknown key "comand" in [mcp.servers.x]; did you mean "command"?`,
		"[other]\nbad = 1\n[mcp]\nlimit = \"three\"\n":   `:4: "limit" in [mcp] is not a number that it can be`,
		"[mcp.srvers.x]\ncommand = \"x\"\nargs = []\n":   `:1: unknown key "srvers" in [mcp]; did you mean "servers"?`,
		"[mcp.servers.x]\ncommand = \"x\"\nargs = \"\"":  `:3: "args" in [mcp.servers.x] is not an array`,
		"[mcp.servers.x]\ncommand = \"x\"\nargs = [\n1]": `:3: "args" in [mcp.servers.x] is not an array, or something in it is not a string`,
		"mcp = 1": `:1: "mcp" is not a table`,
	} {
		f := load(t, text)
		if err := f.Decode(new(table), "mcp"); err == nil || !strings.HasPrefix(err.Error(), f.Path()+want) {
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
	fstest.Must(t, os.WriteFile(path, []byte("[mcp]\nlimit = \n"), 0o600))
	if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+":2: ") {
		t.Errorf("bad syntax: %v", err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("[mcp.servers.x]\ncommand = \"x\"\nargs = [\n1]")
	f.Add("\xef\xbb\xbf[mcp]\nlimit = 1\n[[mcp.servers]]\n[mcp.servers.\"a/b\"]\n")
	f.Add("mcp.servers = {x = {comand = 1}}\n[[a]]\nb = 1979-05-27T07:32:00Z\n")
	f.Fuzz(func(t *testing.T, text string) {
		const path = "config.toml"
		file, err := parse(path, []byte(text))
		if err == nil {
			err = file.Decode(new(table), "mcp")
		}
		if err != nil && !strings.HasPrefix(err.Error(), path+":") {
			t.Errorf("the error does not begin with the file: %v", err)
		}
	})
}
