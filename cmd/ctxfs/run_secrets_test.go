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
	b := realBox(t)
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

// TestRunHidesEverydaySecrets has the value of a secret variable, an argument and
// what a program prints of either in no file.
func TestRunHidesEverydaySecrets(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.env = append(b.env, "MY_DB_PASSWORD=ev3ryday-env")
	script := "printf '%s\\n' \"value $MY_DB_PASSWORD\" 'POSTGRES_PASSWORD=ev3ryday-out' \"$0 $1 $2\"; printenv MY_DB_PASSWORD"
	r := b.run("run", "--name", "job", "--", "sh", "-c", script, "x", "--password", "ev3ryday-arg")
	if !strings.Contains(r.out, "value ev3ryday-env\n") || !strings.Contains(r.out, "ev3ryday-arg") {
		t.Errorf("the command's own output: %v", r)
	}
	must(t, filepath.WalkDir(b.state, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "ev3ryday") {
			t.Errorf("a secret is in %s:\n%s", path, text)
		}
		return err
	}))
	if text := b.logOf("job"); !strings.Contains(text, "value [REDACTED:") || !strings.Contains(text, "POSTGRES_PASSWORD=[REDACTED:password]") {
		t.Errorf("log: %q", text)
	}
}
