package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestLastShown: of a log is told what says why, without its header.
func TestLastShown(t *testing.T) {
	const header = "---\npid: 7\nlast_exit_code: 41\n----\n"
	path := filepath.Join(t.TempDir(), "log")
	for text, want := range map[string]string{
		header:                               "",
		header + "Please log in\n\n":         "Please log in",
		header + "one\nError: no key\ntwo\n": "Error: no key",
		header + strings.Repeat("x\n", shownEnd) + "the end\n": "the end",
		"no header\n":                          "no header",
		header + strings.Repeat("x", shownEnd): strings.Repeat("x", shownCause-len("…")) + "…",
	} {
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		fstest.Equal(t, lastShown(path), want, text)
	}
	fstest.Equal(t, lastShown(path+"x"), "")
}

// TestLoggedOut: what agents have said that nobody was logged in to.
func TestLoggedOut(t *testing.T) {
	for _, said := range []string{
		"Not logged in · Please run /login", "Invalid API key", "No API key found. Starting login flow…", "Please set an Auth method in your settings",
		"unexpected status 401 Unauthorized", "Error: No authentication information found.",
	} {
		if !loggedOut().MatchString(said) {
			t.Errorf("%q", said)
		}
	}
	for _, said := range []string{"the author has a blog in it", "FAIL", "authored by x"} {
		if loggedOut().MatchString(said) {
			t.Errorf("%q", said)
		}
	}
}
