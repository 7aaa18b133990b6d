package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/fleet"
	"ctxfs/providers/rules"
)

// project makes a folder whose file configures a stub.
func (b *box) project(name, mode string) string {
	b.Helper()
	b.write(name+"/.mcp.json", asJSON(map[string]any{"mcpServers": map[string]any{"shop": stubEntry(mode, map[string]string{"STUB_N": "7"})}}))
	return filepath.Join(b.home, name)
}

func TestTrust(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	dir := b.project("src/my shop", "")
	b.write(".claude.json", asJSON(map[string]any{"projects": map[string]any{dir: map[string]any{"enabledMcpjsonServers": []string{"shop"}}}}))
	b.mount()
	b.shows("mcps/shop/STATUS.md", "state: untrusted\n", ".mcp.json, which is not trusted", "ctxfs trust '"+dir+"'")
	b.shows("mcps/INDEX.md", "- shop: untrusted: ")
	b.refused(exitFailed, []string{"is untrusted"}, "restart", "shop")
	fstest.Contains(t, b.ok("trust", "--list"), "~/src/my shop: not trusted", "shop", "untrusted")

	// It takes effect at once, and in the files of the state folder.
	fstest.Contains(t, b.ok("trust", dir), "trusted as they are now, in ~/src/my shop", "shop", "~/src/my shop/.mcp.json")
	b.ready("shop")
	kept := filepath.Join(b.state, "ctxfs", "mcp", "trusted.json")
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", kept, info, err)
	}

	// A comment, another order of lines: still the same servers.
	text, err := os.ReadFile(filepath.Join(dir, ".mcp.json"))
	must(t, err)
	b.write("src/my shop/.mcp.json", "// mine\n"+string(text))
	b.ready("shop")

	// Another program is another matter.
	b.project("src/my shop", "dies")
	b.shows("mcps/shop/STATUS.md", "state: untrusted\n", "have changed since it was trusted", "catalogue: ")
	b.ok("trust", dir)
	b.server("shop", "error")
	b.project("src/my shop", "")
	b.shows("mcps/shop/STATUS.md", "state: untrusted\n")
	b.ok("trust", dir)
	b.shows("mcps/shop/STATUS.md", "state: cached\n") // its catalogue is known
	b.ok("restart", "shop")
	b.ready("shop")

	// A project that nothing knew is followed from then on.
	other := b.project("elsewhere", "")
	b.ok("trust", other)
	b.write("elsewhere/.mcp.json", asJSON(map[string]any{"mcpServers": map[string]any{"till": stubEntry("", nil)}}))
	b.shows("mcps/till/STATUS.md", "state: untrusted\n", "have changed")
	b.write("elsewhere/.cursor/mcp.json", asJSON(map[string]any{"mcpServers": map[string]any{"scale": stubEntry("", map[string]string{"STUB_N": "8"})}}))
	b.shows("mcps/scale/STATUS.md", "state: untrusted\n", "which is not trusted")
	b.ok("trust", other)
	b.ready("till", "scale")

	fstest.Contains(t, b.ok("trust", "--revoke", dir), "no longer trusted")
	b.shows("mcps/shop/STATUS.md", "state: untrusted\n")
	b.refused(exitFailed, []string{"is not trusted", "ctxfs trust --list"}, "trust", "--revoke", dir)
	b.refused(exitFailed, []string{"configures a server"}, "trust", b.dir)
}

func TestTrustWithoutProcess(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	dir := b.project("shop", "")
	var p fleet.Project
	if err := json.Unmarshal([]byte(b.ok("trust", "--json", dir)), &p); err != nil || p.Folder != dir || len(p.Servers) != 1 || p.Servers[0].State != "trusted" {
		t.Errorf("trust --json: %+v, %v", p, err)
	}
	if got := b.ok("cat", "mcps/shop/STATUS.md"); !strings.HasPrefix(got, "state: stopped\n") {
		t.Errorf("status: %s", got)
	}
	b.mount()
	b.ready("shop")
	b.ok("unmount")
	b.ok("trust", "--revoke", dir)
	fstest.ContainsNot(t, b.ok("ls", "mcps"), "shop")
	fstest.Contains(t, b.ok("trust", "--list"), "no project")
}

func TestConfig(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	const secret = "s3cr3t-t0ken-value"
	b.write(".cursor/mcp.json", `{
  // mine
  "mcpServers": {
    "github": {"url": "https://user:`+secret+`@api.example.com/`+secret+`", "headers": {"Authorization": "Bearer `+secret+`"}},
    "db": {"command": "true", "args": ["--token", "`+secret+`"], "env": {"TOKEN": "`+secret+`"}}
  }
}`)
	b.write(".codex/config.toml", "[mcp_servers.db]\ncommand = \"true\"\nargs = [\"--token\", \""+secret+"\"]\nenv = {TOKEN = \""+secret+"\"}\n\n[mcp_servers.linear]\nurl = \"https://mcp.linear.app/mcp\"\nbearer_token_env_var = \"NO_SUCH_VARIABLE\"\n")
	b.write(".gemini/settings.json", "{\n  \"mcpServers\": [\n")
	b.write(".config/ctxfs/config.toml", "[mcp.servers.db]\nstart_timeout = 5\ndeny_tools = [\"drop_*\"]\n")
	b.write("here/.mcp.json", `{"mcpServers": {"local": {"command": "true"}}}`)
	want := []string{
		"SERVER", "api.example.com", "~/.cursor/mcp.json:4", "~/.codex/config.toml:1", "passed-over",
		"it is the same server as the entry \"db\" in ", "unresolved-variable", "NO_SUCH_VARIABLE", "export NO_SUCH_VARIABLE",
		"local", "untrusted", "~/here/.mcp.json:1", "project ~/here", "~/.config/ctxfs/config.toml", "it changes the servers of that name",
		"settings.json is not valid: line 3", "fix: correct ",
	}
	check := func(when string) {
		t.Helper()
		got := b.sh("cd here && ctxfs config")
		fstest.Contains(t, got, want...)
		all := got + b.ok("config", "--json") + b.ok("config", "db") + b.ok("config", "github")
		if strings.Contains(all, secret) {
			t.Errorf("%s: a secret is told:\n%s", when, all)
		}
		if got := b.ok("config", "db"); !containsAll(got, []string{"start timeout: 5 s", "denied tools:  drop_*", "config.toml changes its start_timeout, deny_tools"}) {
			t.Errorf("%s: config db: %s", when, got)
		}
		var report fleet.Report
		if err := json.Unmarshal([]byte(b.ok("config", "--json", "linear")), &report); err != nil || len(report.Entries) != 1 || report.Entries[0].Line != 6 {
			t.Errorf("%s: config --json linear: %+v, %v", when, report, err)
		}
		b.refused(exitFailed, []string{`no file configures a server "linea"`, "did you mean: ctxfs config linear"}, "config", "linea")
	}
	check("without a process")
	b.mount()
	check("with one")
}

// TestTrustOfRules: a project is trusted as a whole, from any of its folders, with or
// without servers, and until then its rules are marked.
func TestTrustOfRules(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("src/shop/.git/HEAD", "ref: refs/heads/main\n")
	b.write("src/shop/AGENTS.md", "# The shop\n\nAmounts are integer cents.\n")
	b.write("src/shop/api/x.go", "package api\n")
	shop := filepath.Join(b.home, "src/shop")
	for _, mounted := range []bool{false, true} {
		if mounted {
			b.mount()
		}
		fstest.Contains(t, b.ok("rules", filepath.Join(shop, "api/new.go")), "(not trusted: ", "ctxfs trust ~/src/shop", "AGENTS.md", "integer cents")
		fstest.Contains(t, b.ok("trust", filepath.Join(shop, "api")), "trusted: the project ~/src/shop, with its rules, skills and notes")
		var page rules.Page
		if err := json.Unmarshal([]byte(b.ok("rules", "--json", shop)), &page); err != nil || !page.Trusted || page.Project != shop || len(page.Rules) != 1 {
			t.Errorf("rules --json: %+v, %v", page, err)
		}
		fstest.Contains(t, b.ok("trust", "--list"), "~/src/shop: trusted since ")
		b.ok("trust", "--revoke", shop)
		fstest.ContainsNot(t, b.ok("trust", "--list"), "shop")
		b.refused(exitFailed, []string{"is not trusted"}, "trust", "--revoke", shop)
	}
	b.refused(exitFailed, []string{"is no project"}, "trust", b.home)
}

// TestTrustTellsOfTwins: trusting a project names its servers that are still not
// used, since another entry of that name takes precedence.
func TestTrustTellsOfTwins(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	dir := b.project("shop", "")
	b.write(".config/ctxfs/config.toml", "[mcp.servers.shop]\ncommand = \"/bin/other\"\n")
	r := b.run("trust", dir)
	if r.code != exitOK || !strings.Contains(r.err, "shop of ~/shop/.mcp.json") || !strings.Contains(r.err, " is not used: ") {
		t.Errorf("%v", r)
	}
}
