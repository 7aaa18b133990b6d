package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunHidesTokens shows a token to who runs the command, and to no file.
func TestRunHidesTokens(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	token := "gh" + "p_" + strings.Repeat("aB3dE6gH9", 4)
	if r := b.run("run", "--name", "job", "--", "echo", "the token", token); r.out != "the token "+token+"\n" {
		t.Errorf("%v", r)
	}
	dir := filepath.Join(b.state, "ctxfs/terminals/job")
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		if strings.Contains(string(text), token) {
			t.Errorf("the token is in %s", e.Name())
		}
	}
	if text := b.logOf("job"); !strings.Contains(text, "the token [REDACTED:github]\n") {
		t.Errorf("log: %q", text)
	}
}
