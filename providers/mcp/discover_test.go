package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// names of the folders, without the index.
func (w *world) folders() string {
	return strings.TrimSpace(strings.Replace(" "+w.ls("")+" ", " INDEX.md ", " ", 1))
}

func TestNothingConfigured(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.settings("")
		w.open().start()
		fstest.Contains(t, w.cat("INDEX.md"), "no server is configured", "- ~/.config/ctxfs/config.toml\n", "- ~/.claude.json\n", "- ~/.cursor/mcp.json\n", "[mcp.servers.NAME]")
		if s := w.p.Status(); s.State != "empty" || s.Since.IsZero() {
			t.Errorf("status: %+v", s)
		}
		for _, file := range []string{".config/ctxfs/config.toml", ".claude.json", ".codex/config.toml", ".config/goose/config.yaml"} {
			if !slices.Contains(w.p.ConfigFiles(), filepath.Join(w.home, file)) {
				t.Errorf("%s is not watched", file)
			}
		}
	})
}

func TestBadNames(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		long := strings.Repeat("x", 300)
		servers := map[string]any{}
		for _, name := range []string{"a/b", "..", "new\nline", long, "", "GitHub", "github"} {
			servers[name] = map[string]any{"command": "true", "args": []string{name}}
		}
		w.claude(servers)
		w.open()
		got := w.folders()
		for _, want := range []string{"a_b", "__", "new_line", strings.Repeat("x", 91) + "-", "_", "GitHub", "github~2"} {
			if !strings.Contains(" "+got+" ", " "+want) {
				t.Errorf("%q is not in %q", want, got)
			}
		}
		fstest.Contains(t, w.cat("new_line/SERVER_METADATA.json"), `"name": "new\nline"`)
		fstest.Contains(t, w.cat("github~2/STATUS.md"), `- GitHub is another server of this name, "GitHub" in `)
		if err := w.p.Restart("x"); err == nil {
			t.Error("restarted before the start")
		}
	})
}

func TestTwoServersOfOneName(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"x": map[string]any{"command": "one"}, "both": map[string]any{"command": "b", "args": []string{"1"}}})
		w.cursor(map[string]any{"x": map[string]any{"command": "two"}, "same": map[string]any{"command": "b", "args": []string{"1"}}})
		w.open()
		if got := w.folders(); got != "CALLS.tsv both x x~2" {
			t.Fatalf("folders: %s", got)
		}
		fstest.Contains(t, w.cat("x/SERVER_METADATA.json"), `"command": "one"`, `"client": "claude-code"`)
		fstest.Contains(t, w.cat("x/STATUS.md"), `- x~2 is another server of this name, "x" in `, ".cursor/mcp.json")
		fstest.Contains(t, w.cat("x~2/STATUS.md"), `- x is another server of this name, "x" in `, ".claude.json")
		fstest.Contains(t, w.cat("both/SERVER_METADATA.json"), ".claude.json", ".cursor/mcp.json", `"name": "same"`)
	})
}

func TestOwnEntries(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"off": map[string]any{"command": "one"}, "mine": map[string]any{"command": "theirs"}})
		w.cursor(map[string]any{"off": map[string]any{"command": "two"}, "other": map[string]any{"command": "three"}})
		w.settings("[mcp.servers.off]\ndisabled = true\n[mcp.servers.mine]\ncommand = \"${PROGRAM:-ours}\"\nstart_timeout = 2.5\n")
		w.open()
		if got := w.folders(); got != "CALLS.tsv mine off other" {
			t.Fatalf("folders: %s", got)
		}
		fstest.Contains(t, w.cat("off/STATUS.md"), "state: disabled\n", "take `disabled` out of the entry \"off\" in ")
		fstest.Contains(t, w.cat("mine/SERVER_METADATA.json"), `"command": "ours"`, `"client": "ctxfs"`)

	})
}

func TestFaultsInOwnEntries(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.settings("[mcp]\nretries = 3\nidle_timeout = \"soon\"\n[mcp.servers.x]\ncomand = \"y\"\n[mcp.servers.y]\nargs = 5\n[mcp.servers.late]\ncommand = \"c\"\nstart_timeout = 1e9\n" +
			"[mcp.servers.fine]\ncommand = \"c\"\n")
		w.open()
		for server, want := range map[string]string{
			"x":    `config.toml:5: unknown key "comand" in [mcp.servers.x]; did you mean "command"?`,
			"y":    `config.toml:7: "args" in [mcp.servers.y] is not an array`,
			"late": `start_timeout is 1e+09; it is a number of seconds up to 3600`,
			"fine": "state: stopped\n",
		} {
			fstest.Contains(t, w.cat(server+"/STATUS.md"), want)
		}
		fstest.Contains(t, w.cat("INDEX.md"), `config.toml:2: unknown key "retries" in [mcp]`, `idle_timeout is "soon"; it is a time such as "10m", or "0" for ever`)
		if s := w.p.Status(); len(s.Problems) != 5 {
			t.Errorf("problems: %+v", s.Problems)
		}
	})
}

func TestOwnFileThatCannotBeRead(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		entry := fmt.Sprintf("[mcp.servers.hello]\ncommand = %q\nenv = {%s = \"ok\"}\n", os.Args[0], stubMode)
		w.settings(entry)
		w.open().start()
		w.untilState("hello", "ready")

		// While running: the servers go on.
		w.settings("[mcp.servers.hello]\ncommand = \n")
		w.p.Reload()
		fstest.Contains(t, w.cat("hello/STATUS.md"), "state: ready\n")
		if s := w.p.Status(); len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, "config.toml:2: ") {
			t.Errorf("problems: %+v", s.Problems)
		}

		// From the start: they are shown as the cache knows them.
		w.reopen().startAll()
		fstest.Contains(t, w.cat("hello/STATUS.md"), "state: error\n", "its configuration file cannot be used: ", "config.toml:2: ", "fix: correct ", "catalogue: ")
		fstest.Contains(t, w.cat("hello/tools/greet.json"), `"name":"greet"`)
		if s := w.p.Status(); len(s.Problems) != 1 || s.Items[0].State != "error" {
			t.Errorf("the problem of the file is told more than once: %+v", s)
		}
		w.settings(entry)
		w.p.Reload()
		w.untilState("hello", "cached")
	})
}

func TestEntriesThatAreWrong(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.write(".claude.json", `{
  // my servers
  "mcpServers": {
    "args":  {"command": "x", "args": "not a list"},
    "entry": ["x"],
    "none":  {},
    "sse":   {"type": "sse", "url": "https://example.com/sse"},
    "unset": {"type": "http", "url": "https://example.com", "headers": {"Authorization": "Bearer ${NO_SUCH_TOKEN}"}},
    "fine":  {"command": "x", "env": {"PORT": 8080}},
  },
}`)
		w.cursor(map[string]any{"ws": map[string]any{"command": "x", "args": []string{"${workspaceFolder}"}}})
		w.open()
		for server, want := range map[string]string{
			"args":  `error: the entry is not valid: line 4, column 39: "args" is not an array of strings`,
			"entry": `error: the entry is not valid: line 5, column 14: the entry is an array, not an object`,
			"none":  `error: the entry has neither a command nor a url`,
			"sse":   "state: stopped\n",
			"unset": "state: unresolved-variable\n",
			"ws":    "its configuration names the folder of the workspace (${workspaceFolder}): it starts when it is called from within a project",
			"fine":  "state: stopped\n",
		} {
			fstest.Contains(t, w.cat(server+"/STATUS.md"), want)
		}
		fstest.Contains(t, w.cat("unset/STATUS.md"), "fix: export NO_SUCH_TOKEN and restart ctxfs", "the variable ${NO_SUCH_TOKEN} in its configuration has no value")
	})
}

func TestAFileThatIsNotJSON(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"hello": stub("ok")})
		w.cursor(map[string]any{"other": stub("ok", "A", "b")})
		w.open().start()
		w.untilState("hello", "ready")
		w.untilState("other", "ready")
		w.drain()

		// While running: the servers go on.
		path := w.write(".claude.json", "{\n  \"mcpServers\": {\n")
		w.p.Reload()
		fstest.Contains(t, w.cat("hello/STATUS.md"), "state: ready\n")
		fstest.Contains(t, w.cat("INDEX.md"), "## Problems", path+" is not valid: line 3, column 1: ", "correct "+path)
		if s := w.p.Status(); s.State != "degraded" || len(s.Problems) != 1 {
			t.Errorf("status: %+v", s)
		}

		// So they do with a file that a program has emptied before it writes to it.
		w.write(".claude.json", "")
		w.p.Reload()
		fstest.Contains(t, w.cat("hello/STATUS.md"), "state: ready\n")
		fstest.Contains(t, w.cat("INDEX.md"), "## Problems", path+" is not valid: ")
		w.write(".claude.json", "{\n  \"mcpServers\": {\n")

		// From the start: they are shown as the cache knows them.
		w.reopen().startAll()
		fstest.Contains(t, w.cat("hello/STATUS.md"), "state: error\n", "its configuration file cannot be used: ", "line 3, column 1", "catalogue: ")
		fstest.Contains(t, w.cat("hello/tools/greet.json"), `"name":"greet"`)
		w.untilState("other", "ready")

		w.claude(map[string]any{"hello": stub("ok")})
		w.p.Reload()
		w.untilState("hello", "cached")
		fstest.ContainsNot(t, w.cat("INDEX.md"), "Problems")
	})
}

func TestReload(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"stays": stub("ok", stubJournal, journal), "goes": stub("ok"), "changes": stub("ok")})
		w.open().start()
		w.untilState("stays", "ready")
		w.untilState("goes", "ready")
		w.untilState("changes", "ready")
		w.drain()

		w.claude(map[string]any{"stays": stub("ok", stubJournal, journal), "comes": stub("ok"), "changes": stub("banner")})
		w.p.Reload()
		if got := w.folders(); got != "CALLS.tsv changes comes stays" {
			t.Errorf("folders: %s", got)
		}
		w.mu.Lock()
		changes := " " + strings.Join(w.changes, " ") + " "
		w.mu.Unlock()
		fstest.Contains(t, changes, " goes ", " comes ", " changes ", " INDEX.md ")
		fstest.ContainsNot(t, changes, " stays ")
		w.untilState("comes", "ready")
		fstest.Contains(t, w.untilState("changes", "ready"), "Welcome")
		if got := count("start"); got != 1 {
			t.Errorf("the server that stays was started %d times", got)
		}
	})
}
