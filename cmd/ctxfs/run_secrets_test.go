package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunHidesSecrets shows a token, the value of a secret variable and an argument, and what
// a program prints of them, to who runs the command, and to no file.
func TestRunHidesSecrets(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	token := "gh" + "p_" + strings.Repeat("aB3dE6gH9", 4)
	b.setenv("MY_DB_PASSWORD", "ev3ryday-env")
	script := "printf '%s\\n' \"value $MY_DB_PASSWORD\" 'POSTGRES_PASSWORD=ev3ryday-out' \"$0 $1 $2\" \"the token $3\"; printenv MY_DB_PASSWORD"
	r := b.run("run", "--name", "job", "--", "sh", "-c", script, "x", "--password", "ev3ryday-arg", token)
	if !containsAll(r.out, []string{"value ev3ryday-env\n", "ev3ryday-arg", "the token " + token + "\n"}) {
		t.Errorf("the command's own output: %v", r)
	}
	b.inNoFile("ev3ryday", token)
	if text := b.logOf("job"); !containsAll(text, []string{"value [REDACTED:", "POSTGRES_PASSWORD=[REDACTED:password]", "the token [REDACTED:github]\n"}) {
		t.Errorf("log: %q", text)
	}
}

// inNoFile checks that some words are in no file of the state folder.
func (b *box) inNoFile(words ...string) {
	b.Helper()
	must(b, filepath.WalkDir(b.state, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, w := range words {
			if strings.Contains(string(text), w) {
				b.Errorf("%q is in %s:\n%s", w, path, text)
			}
		}
		return err
	}))
}
