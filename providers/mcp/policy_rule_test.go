package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/policy"
)

// spelledTools are tools whose names can be written in several ways.
const spelledTools = `[{"name":"delete_all"},{"name":"fs/delete.file"},{"name":"fs_delete_file"},{"name":"Drop-Table"},{"name":"delete_e\u0301"},{"name":"read"}]`

// spelledServers are servers whose names can be written in several ways: those
// of "twin" are two.
var spelledServers = []string{"microsoft/playwright-mcp", "io.github.user/server", "microsoft.playwright_mcp", "a_b", "a/b", "twin"}

// spelledWorld is a world of these, all known. Made returns which calls were made
// since the last time.
func spelledWorld(t *testing.T) (w *world, made func() []string) {
	w = newWorld(t)
	journal, _ := w.journal()
	tools := w.write(filepath.Join(w.dir, "tools.json"), spelledTools)
	servers := make(map[string]any)
	for _, name := range spelledServers {
		servers[name] = stub("calls", stubJournal, journal, stubTools, tools, "WHICH", name)
	}
	w.claude(servers)
	w.cursor(map[string]any{"twin": stub("calls", stubJournal, journal, stubTools, tools, "WHICH", "another")})
	w.settings("")
	w.open()
	for _, s := range w.p.All() { // its tools are known from here on
		if _, err := w.p.Call(context.Background(), calls.Call{Server: s.Summary().File, Tool: "read"}); err != nil {
			t.Fatal(err)
		}
	}
	lines := func() []string {
		text, err := os.ReadFile(journal)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	before := len(lines())
	return w, func() (made []string) {
		all := lines()
		for _, line := range all[before:] {
			if call, ok := strings.CutPrefix(line, "call "); ok {
				made = append(made, call)
			}
		}
		before = len(all)
		return made
	}
}

// quote is a text as TOML writes it.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // texts always encode
	return string(quoted)
}

// TestPolicySpellings matches every pattern with every spelling that a call accepts
// for a tool of a server.
func TestPolicySpellings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, made := spelledWorld(t)
		spelled := map[string][]string{} // by folder: the names of the server
		for _, s := range w.p.All() {
			spelled[s.Summary().File] = s.Names()
		}
		if len(spelled) != 7 || !slices.Contains(spelled["a_b~2"], "a_b") || !slices.Contains(spelled["twin~2"], "twin") {
			t.Fatalf("%v", spelled)
		}
		tools := map[string][]string{"delete_all": {"delete_all"}, "fs/delete.file": {"fs/delete.file", "fs_delete_file"}, "fs_delete_file": {"fs_delete_file~2"},
			"Drop-Table": {"Drop-Table"}, "delete_e\u0301": {"delete_e\u0301", "delete_\u00e9"}, "read": {"read"}}
		for _, c := range []struct {
			pattern string
			servers string // folders, between spaces; "*" is all
			tools   string // own names
		}{
			{"microsoft/playwright-mcp/delete_*", "microsoft_playwright-mcp", "delete_all delete_e\u0301"},
			{"microsoft_playwright-mcp/delete_*", "microsoft_playwright-mcp", "delete_all delete_e\u0301"},
			{"MicroSoft/PlayWright-MCP/DELETE_ALL", "microsoft_playwright-mcp", "delete_all"},
			{"microsoft/*", "microsoft_playwright-mcp", "*"},
			{"micro*mcp/read", "microsoft_playwright-mcp microsoft_playwright_mcp", "read"},
			{"*/delete_all", "*", "delete_all"},
			{"*/delete_\u00e9", "*", "delete_e\u0301"},
			{"*/delete_E\u0301", "*", "delete_e\u0301"},
			{"io.github.*/*", "io_github_user_server", "*"},
			{"io.github.user/server/fs/delete.file", "io_github_user_server", "fs/delete.file"},
			{"io_github_user_server/fs_delete_file", "io_github_user_server", "fs/delete.file fs_delete_file"},
			{"io.github.user/server/fs_delete_file~2", "io_github_user_server", "fs_delete_file"},
			{"*/fs/*", "*", "fs/delete.file"},
			{"*/drop-table", "*", "Drop-Table"},
			{"a/b/read", "a_b", "read"},
			{"a_b/read", "a_b a_b~2", "read"},
			{"a_b~2/read", "a_b~2", "read"},
			{"twin/read", "twin twin~2", "read"},
			{"TWIN~2/read", "twin~2", "read"},
			{"twin?2/read", "twin~2", "read"},
			{"microsoft/delete_all", "", ""},
			{"*/mcp/delete_all", "", ""},
		} {
			w.settings("[mcp.policy]\ndeny = [" + quote(c.pattern) + "]\n")
			w.p.Reload()
			for folder, servers := range spelled {
				for own, files := range tools {
					want := (c.servers == "*" || slices.Contains(strings.Fields(c.servers), folder)) && (c.tools == "*" || slices.Contains(strings.Fields(c.tools), own))
					for _, server := range servers {
						if s, err := w.p.ChooseOne(server); err != nil || s.Summary().File != folder {
							continue // this name means another
						}
						for _, tool := range files {
							_, err := w.p.Call(context.Background(), calls.Call{Server: server, Tool: tool, Confirmed: true})
							if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) != want || !want && err != nil {
								t.Errorf("deny %q: %s %s: %v", c.pattern, server, tool, err)
							}
							if got := made(); len(got) > 0 && (want || got[0] != own) {
								t.Errorf("deny %q: %s %s: called %q", c.pattern, server, tool, got)
							}
						}
					}
				}
			}
		}
	})
}

// TestPolicyAllowsBySpelling: a pattern of allow matches no more than it says, and
// deny takes precedence.
func TestPolicyAllowsBySpelling(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, made := spelledWorld(t)
		for _, c := range []struct{ policy, server, tool, want string }{
			{`allow = ["microsoft/playwright-mcp/*"]`, "microsoft_playwright-mcp", "delete_all", ""},
			{`allow = ["microsoft_playwright-mcp/*"]`, "microsoft/playwright-mcp", "delete_all", ""},
			{`allow = ["Microsoft/Playwright-MCP/Read"]`, "microsoft/playwright-mcp", "read", ""},
			{`allow = ["microsoft/*"]`, "microsoft/playwright-mcp", "read", `nothing in "allow"`},
			{`allow = ["a/read"]`, "a/b", "read", `nothing in "allow"`},
			{`allow = ["*/delete.file"]`, "a/b", "fs/delete.file", `nothing in "allow"`},
			{`allow = ["*/fs/delete.file"]`, "a/b", "fs_delete_file", ""},
			{"allow = [\"*/*\"]\ndeny = [\"a/b/*\"]", "a_b", "read", `deny "a/b/*"`},
			{`confirm = ["microsoft/playwright-mcp/read"]`, "microsoft_playwright-mcp", "read", `confirm "microsoft/playwright-mcp/read"`},
			{`confirm = ["microsoft/*"]`, "microsoft_playwright-mcp", "read", `requires confirmation`},
		} {
			w.settings("[mcp.policy]\n" + c.policy + "\n")
			w.p.Reload()
			_, err := w.p.Call(context.Background(), calls.Call{Server: c.server, Tool: c.tool})
			if c.want == "" && err != nil || c.want != "" && (calls.Outcome(nil, err) != "denied" || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %s %s: %v", c.policy, c.server, c.tool, err)
			}
			if calls := made(); (len(calls) == 0) != (c.want != "") {
				t.Errorf("%s: %s %s: calls %q", c.policy, c.server, c.tool, calls)
			}
		}
	})
}

// TestPolicyBeforeTheServerIsKnown judges a call by the name that it gives.
func TestPolicyBeforeTheServerIsKnown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"a/b": stub("calls", stubJournal, journal)})
		w.settings("[mcp.policy]\ndeny = [\"a/b/delete_*\"]\n")
		w.open()
		for _, server := range []string{"a/b", "a_b"} {
			if _, err := w.p.Call(context.Background(), calls.Call{Server: server, Tool: "delete_all"}); calls.Outcome(nil, err) != "denied" {
				t.Errorf("%s: %v", server, err)
			}
		}
		if n := count("start"); n != 0 {
			t.Errorf("%d starts", n)
		}
	})
}

// TestIdleRules reports rules that match nothing.
func TestIdleRules(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := spelledWorld(t)
		for _, c := range []struct{ policy, want string }{
			{`deny = ["microsoft/playwrite-mcp/delete_*"]`, `deny "microsoft/playwrite-mcp/delete_*" in FILE:2 has no effect: no known server is called that; did you mean "microsoft/playwright-mcp"?`},
			{`deny = ["github/*"]`, `no known server is called that`},
			{`deny = ["microsoft/delete_*"]`, `no known server is called that`},
			{`deny = ["a/b/delte_all"]`, `server a_b has no such tool; did you mean "delete_all"?`},
			{`confirm = ["a_b/nothing_like_it"]`, `none of the 2 servers that it covers has such a tool`},
			{`allow = ["a/b/delte_all", "twin/*"]`, `allow "a/b/delte_all" in FILE:2 has no effect`},
			{`deny = ["*/delte_all"]`, `no known server has such a tool; did you mean "delete_all"?`},
			{`deny = ["*/format_disk*"]`, ``},
			{`deny = ["*/format_the_disk"]`, ``},
			{`deny = ["microsoft/*", "IO.github.*/*", "*/fs/*", "twin~2/read", "off/*"]`, ``},
		} {
			w.settings("[mcp.policy]\n" + c.policy + "\n\n[mcp.servers.off]\ncommand = \"x\"\ndisabled = true\n")
			w.p.Reload()
			got := ""
			for _, problem := range w.p.Status().Problems {
				got += problem.What + "; fix: " + problem.Mend + "\n"
			}
			if c.want == "" && strings.Contains(got, "without effect") {
				t.Errorf("%s: %s", c.policy, got)
			}
			if want := strings.ReplaceAll(c.want, "FILE", w.opts.SettingsPath); c.want != "" {
				fstest.Contains(t, got, want, "correct it in [mcp.policy]")
				fstest.Contains(t, w.cat("INDEX.md"), want)
			}
		}
	})
}

// TestOwnTableBySpelling: a table of ctxfs's own is about a server by any of its
// names.
func TestOwnTableBySpelling(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _ := spelledWorld(t)
		tools := func(folder string) string { return strings.ReplaceAll(w.ls(folder+"/tools"), ".json", "") }
		for _, c := range []struct{ table, key, folders, gone string }{
			{"microsoft/playwright-mcp", `deny_tools = ["delete_*"]`, "microsoft_playwright-mcp", "delete_all"},
			{"microsoft_playwright-mcp", `deny_tools = ["delete_*"]`, "microsoft_playwright-mcp", "delete_all"},
			{"Microsoft/Playwright-MCP", `allow_tools = ["read"]`, "microsoft_playwright-mcp", "delete_all"},
			{"a/b", `deny_tools = ["fs_delete_file"]`, "a_b", "fs_delete_file fs_delete_file~2"},
			{"a/b", `deny_tools = ["FS/delete.file"]`, "a_b", "fs_delete_file"},
			{"a_b", `deny_tools = ["read"]`, "a_b a_b~2", "read"},
			{"a_b~2", `deny_tools = ["read"]`, "a_b~2", "read"},
			{"twin", `deny_tools = ["read"]`, "twin twin~2", "read"},
			{"twin~2", `deny_tools = ["read"]`, "twin~2", "read"},
		} {
			w.settings("[mcp.servers." + quote(c.table) + "]\n" + c.key + "\n")
			w.p.Reload()
			for _, s := range w.p.All() {
				folder := s.Summary().File
				for _, tool := range strings.Fields(c.gone) {
					shown := slices.Contains(strings.Fields(tools(folder)), tool)
					if want := !slices.Contains(strings.Fields(c.folders), folder); shown != want {
						t.Errorf("[mcp.servers.%q] %s: %s/%s is shown: %t", c.table, c.key, folder, tool, shown)
					}
					if info, err := w.p.Tool(folder, tool); (err == nil && info.File == tool) != shown { // else it is the own name of another
						t.Errorf("[mcp.servers.%q] %s: %s/%s: %v", c.table, c.key, folder, tool, err)
					}
				}
			}
		}
		w.settings("[mcp.servers.microsoft_playwright-mcp]\ndisabled = true\n")
		w.p.Reload()
		fstest.Contains(t, w.cat("microsoft_playwright-mcp/STATUS.md"), "state: disabled")
		w.settings("[mcp.servers.\"a/b\"]\ndeny_tools = [\"delte_all\"]\n")
		w.p.Reload()
		fstest.Contains(t, w.cat("a_b/STATUS.md"), `"delte_all", which is the name of no tool of this server`)
	})
}

// TestLimitsOfATwin: what limits one of two entries that configure the same
// server limits the server.
func TestLimitsOfATwin(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"one": stub("calls")})
		w.cursor(map[string]any{"two": stub("calls")})
		w.settings("[mcp.servers.two]\ndeny_tools = [\"echo\"]\n")
		w.open().start()
		w.untilState("one", "ready")
		fstest.ContainsNot(t, w.ls("one/tools"), "echo")
		if _, err := w.p.Tool("two", "echo"); err == nil {
			t.Error("a tool that is denied is there")
		}
	})
}
