package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// policyTools have names of every kind.
const policyTools = `[{"name":"delete_all","inputSchema":{"type":"object"}},{"name":"fs/delete.file","inputSchema":{"type":"object"}},
	{"name":"fs_delete_file","inputSchema":{"type":"object"}},{"name":"read","inputSchema":{"type":"object"}}]`

// policyBox is a box with a server whose own name holds slashes and dots.
func policyBox(t *testing.T) *box {
	t.Helper()
	b := newBox(t)
	b.write("tools.json", policyTools)
	b.stub("io.github.Microsoft/playwright-mcp", "", map[string]string{
		stubTools: filepath.Join(b.home, "tools.json"), stubJournal: filepath.Join(b.dir, "journal"),
	})
	return b
}

// TestPolicyByEveryWay denies and confirms a tool by each of its spellings, and
// calls it in every way by each of them.
func TestPolicyByEveryWay(t *testing.T) {
	t.Parallel()
	b := policyBox(t)
	const folder = "io_github_Microsoft_playwright-mcp"
	b.write(".config/ctxfs/config.toml", "[mcp]\nfile_calls = true\n")
	b.mount()
	b.ready(folder)
	a := b.agent()
	calls := func() int {
		text, err := os.ReadFile(filepath.Join(b.dir, "journal"))
		must(t, err)
		return strings.Count(string(text), "tools/call")
	}
	n := 0
	ways := []struct {
		name string
		call func(server, tool, file string) string // what is said
	}{
		{"call", func(server, tool, _ string) string { return b.run("call", server, tool).String() }},
		{"call as one word", func(server, tool, _ string) string { return b.run("call", server+"/"+tool).String() }},
		{"bin", func(_, _, file string) string { return b.do(b.mnt("mcps", folder, "bin", file)).String() }},
		{"a file", func(_, _, file string) string {
			n++
			name := fmt.Sprintf("%s.%d", file, n)
			return b.shell(fmt.Sprintf("cd .agentctx/mcps/%s/calls; echo '{}' > %s.json; cat %s.result", folder, name, name)).String()
		}},
		{"the gateway", func(server, tool, _ string) string {
			text, _ := a.ask("call", callOf(server, tool, nil))
			return text
		}},
	}
	for _, c := range []struct {
		key, pattern string
		tools        string // that are concerned, by their own names
	}{
		{"deny", "io.github.Microsoft/playwright-mcp/delete_*", "delete_all"},
		{"deny", folder + "/fs_delete_file", "fs/delete.file fs_delete_file"},
		{"deny", "io.github.microsoft/playwright-mcp/FS/Delete.File", "fs/delete.file"},
		{"deny", "io.github.*/*", "delete_all fs/delete.file fs_delete_file read"},
		{"deny", "*/fs_delete_file~2", "fs_delete_file"},
		{"confirm", "io.github.Microsoft/*", "delete_all fs/delete.file fs_delete_file read"},
		{"confirm", "*/*delete*", "delete_all fs/delete.file fs_delete_file"},
	} {
		b.write(".config/ctxfs/config.toml", fmt.Sprintf("[mcp]\nfile_calls = true\n\n[mcp.policy]\n%s = [%q]\n", c.key, c.pattern))
		// The process reads it again by itself: the first word of it is waited for.
		first := strings.Fields(c.tools)[0]
		b.settles(c.pattern+" holds", func() bool { return strings.Contains(b.run("call", folder, fileOf(first)).err, c.pattern) })
		for _, own := range []string{"delete_all", "fs/delete.file", "fs_delete_file", "read"} {
			concerned := strings.Contains(" "+c.tools+" ", " "+own+" ")
			for _, w := range ways {
				for _, server := range []string{"io.github.Microsoft/playwright-mcp", folder} {
					for _, tool := range []string{own, fileOf(own)} {
						if own == "fs_delete_file" && tool == own {
							continue // the file of another
						}
						before := calls()
						said := w.call(server, tool, fileOf(own))
						if made := calls() > before; made == concerned || strings.Contains(said, c.pattern) != concerned {
							t.Errorf("%s %q: %s: %s %s: called: %t, says: %s", c.key, c.pattern, w.name, server, tool, made, said)
						}
						if w.name == "bin" || w.name == "a file" {
							break
						}
					}
				}
			}
		}
	}
}

// fileOf is the name of the file of one of policyTools.
func fileOf(own string) string {
	return map[string]string{"fs/delete.file": "fs_delete_file", "fs_delete_file": "fs_delete_file~2"}[own] +
		map[bool]string{true: own}[own == "delete_all" || own == "read"]
}

// TestIdleRuleIsTold: a rule that protects nobody is said by doctor, status and
// the log.
func TestIdleRuleIsTold(t *testing.T) {
	t.Parallel()
	b := policyBox(t)
	b.write(".config/ctxfs/config.toml", "[mcp.policy]\ndeny = [\"io.github.microsoft/playwrite-mcp/*\"]\nconfirm = [\"*microsoft*/delte_all\"]\n")
	unknown := `deny "io.github.microsoft/playwrite-mcp/*" in ` + b.config + `:2 has no effect: no known server is called that; did you mean "io.github.Microsoft/playwright-mcp"?`
	if r := b.run("doctor"); r.code != exitProblems || !strings.Contains(r.out, unknown) || strings.Contains(r.out, "delte_all") {
		t.Errorf("doctor before anything runs: exit %d, %v", r.code, r)
	}
	b.mount()
	b.ready("io_github_Microsoft_playwright-mcp")
	misspelt := `confirm "*microsoft*/delte_all" in ` + b.config + `:3 has no effect: server io_github_Microsoft_playwright-mcp has no such tool; did you mean "delete_all"?`
	b.settles("doctor says it", func() bool {
		r := b.run("doctor")
		return r.code == exitProblems && containsAll(r.out, []string{unknown, misspelt, "correct it in [mcp.policy]"})
	})
	b.shows("STATUS.md", unknown)
	b.shows("STATUS.md", misspelt)
	fstest.Contains(t, b.ok("status"), unknown, misspelt)
	for _, word := range []string{"playwrite-mcp", "delte_all"} {
		if got := strings.Count(b.log(), word); got != 1 {
			t.Errorf("the log says %q %d times:\n%s", word, got, b.log())
		}
	}
}
