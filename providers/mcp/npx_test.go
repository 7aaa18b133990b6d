package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// npxServer is a small server that npx fetches.
const npxServer = "@modelcontextprotocol/server-memory"

// TestRealNPX has npx install a server into an empty cache, and ctxfs end
// meanwhile; then the cache is damaged as a killed npx leaves it.
func TestRealNPX(t *testing.T) {
	fstest.OptIn(t, "npm")
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("npx is missing")
	}
	asking, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	if out, err := exec.CommandContext(asking, "npm", "view", npxServer, "version", "--fetch-retries=0").CombinedOutput(); err != nil {
		t.Skipf("the registry of npm cannot be reached: %v\n%s", err, out)
	}
	w := realWorld(t)
	w.opts.timing.Start, w.opts.timing.Install = 30*time.Second, 5*patience
	w.claude(map[string]any{"memory": map[string]any{"command": "sh", "args": []string{"-c", "npx -y " + npxServer}}})
	w.open().start()
	w.await("it installs, or is ready", func() bool {
		text := w.cat("memory/STATUS.md")
		return strings.HasPrefix(text, "state: installing\n") || strings.HasPrefix(text, "state: ready\n")
	})
	// The end of ctxfs leaves it to its end.
	w.reopen().start()
	installs := func() bool { // npm writes this file last; then npx runs twice
		done, _ := filepath.Glob(filepath.Join(w.home, ".npm/_npx/*/node_modules/.package-lock.json"))
		return len(done) > 0
	}
	if !fstest.Becomes(installs) { // a slow registry and a busy machine
		w.await("it is installed", installs)
	}
	w.untilState("memory", "ready")
	installed, err := filepath.Glob(filepath.Join(w.home, ".npm/_npx/*/node_modules"))
	if err != nil || len(installed) != 1 {
		t.Fatal(installed, err)
	}

	if err := os.RemoveAll(filepath.Join(installed[0], "ajv", "dist")); err != nil {
		t.Fatal(err)
	}
	if err := w.p.Restart("memory"); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(installed[0])
	fstest.Contains(t, w.untilState("memory", "error"), "the installation of its package by npx is broken", "Cannot find ",
		"\nfix: rm -rf ~/.npm/_npx/"+filepath.Base(folder)+", then: ctxfs restart memory\n")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := w.p.Restart("memory"); err != nil {
		t.Fatal(err)
	}
	w.untilState("memory", "ready")
}
