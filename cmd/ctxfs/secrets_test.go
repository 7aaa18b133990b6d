package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestSecrets looks for what configurations say in confidence wherever ctxfs
// writes or shows anything.
func TestSecrets(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "who is "+r.Header.Get("Authorization"), http.StatusForbidden)
	}))
	t.Cleanup(web.Close)
	const secret = "hunter2-swordfish"
	env := func(n int) map[string]string { return map[string]string{"TOKEN": fmt.Sprint(secret, n)} }
	b.stub("zoo", "", env(1))
	b.stub("dies", "dies", env(2))
	b.stub("noise", "garbage", env(3))
	b.servers["web"] = map[string]any{"url": web.URL + "/?key=" + secret + "4", "headers": map[string]string{"Authorization": "Bearer " + secret + "5"}}
	b.servers["odd"] = map[string]any{"command": 7, "env": map[string]string{"TOKEN": secret + "6"}}
	b.servers["sh"] = map[string]any{"command": "sh", "args": []string{"-c", "echo the token is $TOKEN >&2; exit 1"}, "env": env(7)}
	b.configure()
	b.write(".config/ctxfs/config.toml", "[mcp.servers.farm]\ncommand = \""+stubPath()+"\"\nenv = { "+stubMode+" = \"\", TOKEN = \""+secret+"8\" }\n")
	b.mount()
	b.ready("zoo", "farm")
	for _, s := range []string{"dies", "web", "odd", "sh"} {
		b.server(s, "error")
	}
	b.shows("mcps/sh/STATUS.md", "the token is ***")

	shown := b.sh("cat $(find .agentctx -type f)") + b.ok("status") + b.ok("status", "--json") + b.run("doctor").out + b.log()
	for _, dir := range []string{b.state, b.cache, b.runtime} {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || path == dir {
				return err
			}
			info, err := e.Info()
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			must(t, err)
			if mode := info.Mode().Perm(); e.IsDir() && mode != 0o700 || e.Type().IsRegular() && mode != 0o600 {
				t.Errorf("%s: mode %o", path, mode)
			}
			if e.Type().IsRegular() {
				f, err := os.Open(path)
				if renamed(e, err) {
					return nil
				}
				must(t, err)
				defer f.Close()
				text, err := io.ReadAll(f)
				must(t, err)
				shown += string(text)
			}
			return nil
		})
		must(t, err)
	}
	b.sh("ctxfs sync --once plain")
	shown += b.sh("cat $(find plain -type f)")
	for line := range strings.Lines(shown) {
		if strings.Contains(line, secret) || strings.Contains(line, "swordfish") {
			t.Errorf("a secret: %s", line)
		}
	}

	// An entry without a good file.
	b.write(".cursor/mcp.json", "{\"mcpServers\": {\"zoo\": {\"env\": {\"TOKEN\": \""+secret+"\" \"x\"")
	b.shows("STATUS.md", "mcp.json is not valid")
	fstest.ContainsNot(t, b.read("STATUS.md")+b.ok("status")+b.log(), secret)
}
