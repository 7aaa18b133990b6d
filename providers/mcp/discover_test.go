package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/providers/internal/syntax"
)

// names of the folders, without the index.
func (w *world) folders() string {
	return strings.TrimSpace(strings.Replace(" "+w.ls("")+" ", " INDEX.md ", " ", 1))
}

func TestNothingConfigured(t *testing.T) {
	w := newWorld(t)
	w.settings("")
	w.open().start()
	contains(t, w.cat("INDEX.md"), "no server is configured", "- ~/.config/ctxfs/config.toml\n", "- ~/.claude.json\n", "- ~/.cursor/mcp.json\n", "[mcp.servers.NAME]")
	if s := w.p.Status(); s.State != "empty" || s.Since.IsZero() {
		t.Errorf("status: %+v", s)
	}
	for _, file := range []string{".config/ctxfs/config.toml", ".claude.json", ".codex/config.toml", ".config/goose/config.yaml"} {
		if !slices.Contains(w.p.ConfigFiles(), filepath.Join(w.home, file)) {
			t.Errorf("%s is not watched", file)
		}
	}
}

func TestBadNames(t *testing.T) {
	w := newWorld(t)
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
	contains(t, w.cat("new_line/SERVER_METADATA.json"), `"name": "new\nline"`)
	contains(t, w.cat("github~2/STATUS.md"), `- GitHub is another server of this name, "GitHub" in `)
	if err := w.p.Restart("x"); err == nil {
		t.Error("restarted before the start")
	}
}

func TestTwoServersOfOneName(t *testing.T) {
	w := newWorld(t)
	w.claude(map[string]any{"x": map[string]any{"command": "one"}, "both": map[string]any{"command": "b", "args": []string{"1"}}})
	w.cursor(map[string]any{"x": map[string]any{"command": "two"}, "same": map[string]any{"command": "b", "args": []string{"1"}}})
	w.open()
	if got := w.folders(); got != "both x x~2" {
		t.Fatalf("folders: %s", got)
	}
	contains(t, w.cat("x/SERVER_METADATA.json"), `"command": "one"`, `"client": "claude-code"`)
	contains(t, w.cat("x/STATUS.md"), `- x~2 is another server of this name, "x" in `, ".cursor/mcp.json")
	contains(t, w.cat("x~2/STATUS.md"), `- x is another server of this name, "x" in `, ".claude.json")
	contains(t, w.cat("both/SERVER_METADATA.json"), ".claude.json", ".cursor/mcp.json", `"name": "same"`)
}

func TestOwnEntries(t *testing.T) {
	w := newWorld(t)
	w.claude(map[string]any{"off": map[string]any{"command": "one"}, "mine": map[string]any{"command": "theirs"}})
	w.cursor(map[string]any{"off": map[string]any{"command": "two"}, "other": map[string]any{"command": "three"}})
	w.settings("[mcp.servers.off]\ndisabled = true\n[mcp.servers.mine]\ncommand = \"${PROGRAM:-ours}\"\nstart_timeout = 2.5\n")
	w.open()
	if got := w.folders(); got != "mine off other" {
		t.Fatalf("folders: %s", got)
	}
	contains(t, w.cat("off/STATUS.md"), "state: disabled\n", "take `disabled` out of the entry \"off\" in ")
	contains(t, w.cat("mine/SERVER_METADATA.json"), `"command": "ours"`, `"client": "ctxfs"`)

}

func TestFaultsInOwnEntries(t *testing.T) {
	w := newWorld(t)
	w.settings("[mcp]\nretries = 3\n[mcp.servers.x]\ncomand = \"y\"\n[mcp.servers.y]\nargs = 5\n[mcp.servers.late]\ncommand = \"c\"\nstart_timeout = 1e9\n" +
		"[mcp.servers.fine]\ncommand = \"c\"\n")
	w.open()
	for server, want := range map[string]string{
		"x":    `config.toml:4: unknown key "comand" in [mcp.servers.x]; did you mean "command"?`,
		"y":    `config.toml:6: "args" in [mcp.servers.y] is not an array`,
		"late": `start_timeout is 1e+09; it is a number of seconds up to 3600`,
		"fine": "state: stopped\n",
	} {
		contains(t, w.cat(server+"/STATUS.md"), want)
	}
	contains(t, w.cat("INDEX.md"), `config.toml:2: unknown key "retries" in [mcp]`)
	if s := w.p.Status(); len(s.Problems) != 4 {
		t.Errorf("problems: %+v", s.Problems)
	}
}

func TestOwnFileThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	entry := fmt.Sprintf("[mcp.servers.hello]\ncommand = %q\nenv = {%s = \"ok\"}\n", os.Args[0], stubMode)
	w.settings(entry)
	w.open().start()
	w.untilState("hello", "ready")

	// While running: the servers go on.
	w.settings("[mcp.servers.hello]\ncommand = \n")
	w.p.Reload()
	contains(t, w.cat("hello/STATUS.md"), "state: ready\n")
	if s := w.p.Status(); len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, "config.toml:2: ") {
		t.Errorf("problems: %+v", s.Problems)
	}

	// From the start: they are shown as the cache knows them.
	w.reopen().startAll()
	contains(t, w.cat("hello/STATUS.md"), "state: error\n", "its configuration file cannot be used: ", "config.toml:2: ", "mend: correct ", "catalogue: ")
	contains(t, w.cat("hello/tools/greet.json"), `"name": "greet"`)
	if s := w.p.Status(); len(s.Problems) != 1 || s.Items[0].State != "error" {
		t.Errorf("the problem of the file is told more than once: %+v", s)
	}
	w.settings(entry)
	w.p.Reload()
	w.untilState("hello", "cached")
}

func TestEntriesThatAreWrong(t *testing.T) {
	w := newWorld(t)
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
		"args":  `error: the entry is not valid: line 4, column 39: "args" is not an array of texts`,
		"entry": `error: the entry is not valid: line 5, column 14: the entry is an array, not an object`,
		"none":  `error: the entry has neither a command nor a url`,
		"sse":   "state: stopped\n",
		"unset": "state: unresolved-variable\n",
		"ws":    "the variable ${workspaceFolder} in its configuration has no value",
		"fine":  "state: stopped\n",
	} {
		contains(t, w.cat(server+"/STATUS.md"), want)
	}
	contains(t, w.cat("unset/STATUS.md"), "mend: export NO_SUCH_TOKEN and start ctxfs anew", "the variable ${NO_SUCH_TOKEN} in its configuration has no value")
}

func TestAFileThatIsNotJSON(t *testing.T) {
	w := newWorld(t)
	w.claude(map[string]any{"hello": stub("ok")})
	w.cursor(map[string]any{"other": stub("ok", "A", "b")})
	w.open().start()
	w.untilState("hello", "ready")
	w.untilState("other", "ready")
	w.drain()

	// While running: the servers go on.
	path := w.write(".claude.json", "{\n  \"mcpServers\": {\n")
	w.p.Reload()
	contains(t, w.cat("hello/STATUS.md"), "state: ready\n")
	contains(t, w.cat("INDEX.md"), "## Problems", path+" is not valid: line 3, column 1: ", "correct "+path)
	if s := w.p.Status(); s.State != "degraded" || len(s.Problems) != 1 {
		t.Errorf("status: %+v", s)
	}

	// So they do with a file that a program has emptied before it writes to it.
	w.write(".claude.json", "")
	w.p.Reload()
	contains(t, w.cat("hello/STATUS.md"), "state: ready\n")
	contains(t, w.cat("INDEX.md"), "## Problems", path+" is not valid: ")
	w.write(".claude.json", "{\n  \"mcpServers\": {\n")

	// From the start: they are shown as the cache knows them.
	w.reopen().startAll()
	contains(t, w.cat("hello/STATUS.md"), "state: error\n", "its configuration file cannot be used: ", "line 3, column 1", "catalogue: ")
	contains(t, w.cat("hello/tools/greet.json"), `"name": "greet"`)
	w.untilState("other", "ready")

	w.claude(map[string]any{"hello": stub("ok")})
	w.p.Reload()
	w.untilState("hello", "cached")
	containsNot(t, w.cat("INDEX.md"), "Problems")
}

func TestReload(t *testing.T) {
	w := newWorld(t)
	journal, count := w.journal()
	w.claude(map[string]any{"stays": stub("ok", stubJournal, journal), "goes": stub("ok"), "changes": stub("ok")})
	w.open().start()
	w.untilState("stays", "ready")
	w.untilState("goes", "ready")
	w.untilState("changes", "ready")
	w.drain()

	w.claude(map[string]any{"stays": stub("ok", stubJournal, journal), "comes": stub("ok"), "changes": stub("banner")})
	w.p.Reload()
	if got := w.folders(); got != "changes comes stays" {
		t.Errorf("folders: %s", got)
	}
	w.mu.Lock()
	changes := " " + strings.Join(w.changes, " ") + " "
	w.mu.Unlock()
	contains(t, changes, " goes ", " comes ", " changes ", " INDEX.md ")
	containsNot(t, changes, " stays ")
	w.untilState("comes", "ready")
	contains(t, w.untilState("changes", "ready"), "Welcome")
	if got := count("start"); got != 1 {
		t.Errorf("the server that stays was started %d times", got)
	}
}

func TestExpand(t *testing.T) {
	env := map[string]string{"HOME": "/home/me", "TOKEN": "s3cret-value", "EMPTY": ""}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, c := range []struct {
		dialect         dialect
		in, want, unset string
	}{
		{shellDialect, "a ${TOKEN} b ${HOME}", "a s3cret-value b /home/me", ""},
		{shellDialect, "${NONE:-x}${EMPTY:-y}${EMPTY}", "xy", ""},
		{shellDialect, "$TOKEN ${#a} ${TOKEN", "$TOKEN ${#a} ${TOKEN", ""},
		{shellDialect, "${A} ${B}", "${A} ${B}", "${A}"},
		{editorDialect, "${env:TOKEN} ${userHome}${/}x${pathSeparator}", "s3cret-value /home/me/x/", ""},
		{editorDialect, "${TOKEN} $TOKEN", "${TOKEN} $TOKEN", ""},
		{editorDialect, "${env:NONE}", "${env:NONE}", "${env:NONE}"},
	} {
		x := &expander{dialect: c.dialect, surroundings: surroundings{home: "/home/me", lookup: lookup}}
		got, unset := x.expand(c.in), ""
		if len(x.unset) > 0 {
			unset = x.unset[0].variable
		}
		if got != c.want || unset != c.unset {
			t.Errorf("%q: %q, unset %q", c.in, got, unset)
		}
		if strings.Contains(c.want, "s3cret") != (len(x.secrets) > 0 && x.secrets[0] == "s3cret-value") {
			t.Errorf("%q: secrets %q", c.in, x.secrets)
		}
	}
}

func TestEnvFile(t *testing.T) {
	w := newWorld(t)
	vars := w.write("vars", "# comment\nexport A=1\nB=\"two words\" # x\nC=three # x\nbad line\nD='q'\n")
	w.write(".cursor/mcp.json", `{"mcpServers":{"x":{"command":"c","env":{"A":"own"},"envFile":"${userHome}/vars"}}}`)
	w.open()
	got := w.p.all()[0].def.env
	for name, want := range map[string]string{"A": "own", "B": "two words", "C": "three", "D": "q"} {
		if got[name] != want {
			t.Errorf("%s is %q, not %q", name, got[name], want)
		}
	}
	if !slices.Contains(w.p.ConfigFiles(), vars) {
		t.Error("the file of variables is not watched")
	}
}

// FuzzAgentFiles reads a text as the file of one client, and makes servers of it.
func FuzzAgentFiles(f *testing.F) {
	home := f.TempDir() // there is nothing in it
	s := surroundings{home: home, lookup: func(string) (string, bool) { return "", false }}
	places := append(userPlaces(s), projectPlaces(home, nil)...)
	for i, place := range places {
		for _, text := range []string{
			`{"mcpServers":{"a":{"command":"x","args":["${A}"],"env":{"B":1}},"b":{"type":"http","url":"http://u:p@h/?k=v","headers":{"A":"Bearer ${T:-x}"}}}}`,
			`{"mcpServers":[1]}`,
			`{"mcpServers":{"":null,"..":{"url":5},"A/b":{"command":"x"},"a.B":{"command":"y"}}}`,
			`{"projects":{"/":{"mcpServers":{"a":{"command":"x"}},"disabledMcpjsonServers":["a"]}}}`,
			`{"servers":{"a":{"command":"x","env":{"A":"${input:t}"}}},"mcp":{"b":{"type":"local","command":["{env:A}","$B"]},"excluded":["a"]}}`,
			`{"amp.mcpServers":{"a":{"url":"x"}},"context_servers":{"b":{"command":{"path":"x"}}}}`,
			"[mcp_servers.a]\ncommand = 'x'\nenv_vars = ['A', {name = 'B', source = 'remote'}]\nstartup_timeout_sec = 1e300\n",
			"extensions:\n  a:\n    type: stdio\n    cmd: x\n    env_keys: [A]\n    timeout: 300\n",
		} {
			if _, err := place.parse([]byte(text)); err == nil {
				f.Add(uint8(i), []byte(text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		place := places[int(which)%len(places)]
		file, err := place.parse(text)
		if err != nil {
			return
		}
		all := new(discovery)
		var found []*entry
		r := &reader{clientPlace: place, surroundings: s}
		if file.Kind == syntax.Object && place.find(r, file) == nil {
			found = newLayers(all).add(place.Client, r.entries)
		}
		all.merge(nil, found)
		seen := map[string]bool{}
		for i, file := range folderNames(all.servers) {
			d := all.servers[i]
			if d.fault == nil && d.transport == stdio && d.command == "" {
				t.Errorf("%q has no command and no fault", d.name)
			}
			if d.fault == nil && d.transport != stdio && d.url == "" {
				t.Errorf("%q has no address and no fault", d.name)
			}
			if seen[strings.ToLower(file)] || strings.ContainsAny(file, "/\x00\n.") {
				t.Errorf("the folder %q", file)
			}
			seen[strings.ToLower(file)] = true
		}
	})
}
