package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBrokenConfiguration breaks each configuration file, while ctxfs runs and
// before it starts. Nothing is lost, and the fault is reported wherever a user may
// look.
func TestBrokenConfiguration(t *testing.T) {
	t.Parallel()
	const config = ".config/ctxfs/config.toml"
	for name, c := range map[string]struct {
		file, text, words, server string
		entry                     bool // the fault is one of the server's entry alone
	}{
		"cursor":         {file: ".cursor/mcp.json", text: `{"mcpServers": {`, words: ".cursor/mcp.json", server: "zoo"},
		"claude code":    {file: ".claude.json", text: "not JSON", words: ".claude.json", server: "bank"},
		"toml syntax":    {file: config, text: "[mcp.servers\n", words: "config.toml:1", server: "farm"},
		"unreadable":     {file: config, words: "config.toml", server: "farm"},
		"unknown key":    {file: config, text: "[mcp.servers.farm]\ncomand = \"x\"\n", words: `did you mean "command"`, server: "farm", entry: true},
		"a wrong type":   {file: config, text: "[mcp.servers.farm]\ncommand = 1\n", words: "config.toml:2", server: "farm", entry: true},
		"a wrong scope":  {file: config, text: "[mcp.servers.farm]\ncommand = \"x\"\nscope = \"global\"\n", words: `scope is "global"; it is "user"`, server: "farm", entry: true},
		"a wrong number": {file: config, text: "[mcp.servers.farm]\ncommand = \"x\"\nstart_timeout = -1\n", words: "start_timeout", server: "farm", entry: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			b.fromEverywhere()
			good, err := os.ReadFile(filepath.Join(b.home, c.file))
			must(t, err)
			b.mount()
			b.ready("zoo", "bank", "farm")

			spoil := func() {
				if c.text != "" {
					b.write(c.file, c.text)
					return
				}
				path := filepath.Join(b.home, c.file) // becomes a link to itself
				must(t, os.Symlink(path, path+".new"))
				must(t, os.Rename(path+".new", path))
			}
			spoil()
			b.shows("STATUS.md", c.words)
			// What runs goes on.
			for _, server := range []string{"zoo", "bank", "farm"} {
				if got := b.read("mcps/" + server + "/tools/greet.json"); !strings.Contains(got, "xylophone") {
					t.Errorf("the tool of %s: %s", server, got)
				}
				if server != c.server || !c.entry {
					b.ready(server)
				}
			}
			b.told(c.words)

			b.ok("unmount")
			b.mount()
			b.shows("STATUS.md", c.words)
			for _, server := range []string{"zoo", "bank", "farm"} {
				if got := b.read("mcps/" + server + "/tools/greet.json"); !strings.Contains(got, "xylophone") {
					t.Errorf("the tool of %s: %s", server, got)
				}
				if server != c.server {
					b.shows("mcps/"+server+"/STATUS.md", "state: cached\n")
				}
			}
			b.shows("mcps/"+c.server+"/STATUS.md", "state: error\n", "catalogue: ")
			b.told(c.words)

			// Mended, it is as before.
			b.write(c.file, string(good))
			for _, server := range []string{"zoo", "bank", "farm"} {
				b.shows("mcps/"+server+"/STATUS.md", "state: cached\n")
			}
			b.lacks("STATUS.md", c.words)
			if r := b.run("doctor"); r.code != 0 {
				t.Errorf("doctor: exit %d\n%v", r.code, r)
			}
		})
	}
}

// told looks for words in what status and doctor say.
func (b *box) told(words string) {
	b.Helper()
	r := b.run("status")
	if r.code != 0 || !strings.Contains(r.out, words) {
		b.Errorf("status does not say %q: exit %d\n%v", words, r.code, r)
	}
	r = b.run("doctor")
	if r.code != exitProblems || !strings.Contains(r.out, words) || !strings.Contains(r.out, "fix: ") {
		b.Errorf("doctor does not say %q: exit %d\n%v", words, r.code, r)
	}
}

// TestUnknownTable keeps what is good of the file.
func TestUnknownTable(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".config/ctxfs/config.toml", "[mpc]\nx = 1\n\n[mcp.servers.farm]\ncommand = \""+stubPath()+"\"\nenv = { "+stubMode+" = \"\" }\n")
	b.mount()
	b.ready("farm")
	b.shows("STATUS.md", "unknown table [mpc]", "did you mean [mcp]?")
	b.told("unknown table [mpc]")
}
