package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
)

// TestKeepConfiguration: what an agent makes of its configuration is moved away, what it
// changes is told, and what it may have is left alone.
func TestKeepConfiguration(t *testing.T) {
	home := t.TempDir()
	j, lock, err := job.In(t.TempDir()).Create("x", request.Request{}, job.Status{})
	fstest.Must(t, err)
	defer lock.Close()
	path := func(name string) string { return filepath.Join(home, name) }
	write := func(name, text string) {
		t.Helper()
		fstest.Must(t, os.MkdirAll(filepath.Dir(path(name)), 0o700))
		fstest.Must(t, os.WriteFile(path(name), []byte(text), 0o600))
	}
	write("there", "1")
	write("same", "1")
	write("folder/one", "1")
	names := []string{"there", "same", "folder", "made", "commands", "skills", "link", "never"}
	var paths []string
	for _, name := range names {
		paths = append(paths, path(name))
	}
	r := &run{job: j, configuration: noted(paths)}
	write("there", "12")
	write("folder/two", "1")
	write("made", "1")
	write("commands/x.md", "1")
	write("skills/.system/x", "1")
	fstest.Must(t, os.Symlink("nowhere", path("link")))
	r.noteConfiguration()
	notes := keepConfiguration(j, r.configuration)
	text := strings.Join(notes, "\n")
	for name, want := range map[string]string{
		"there": " has changed since", "folder": " has changed since", "made": " was made since", "commands": " was made since", "link": " was made since",
	} {
		if !strings.Contains(text, path(name)+want) {
			t.Errorf("%s: %s", name, text)
		}
	}
	fstest.Equal(t, len(notes), 5, text)
	for name, there := range map[string]bool{"there": true, "same": true, "folder/two": true, "made": false, "commands": false, "link": false, "skills/.system/x": true} {
		if _, err := os.Lstat(path(name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := filepath.Glob(j.Path("left/*")); err != nil || len(left) != 3 {
		t.Errorf("%q, %v", left, err)
	}
	// As much is known of it if the runner is killed here, or was before.
	fstest.Equal(t, strings.Join(keepLostConfiguration(j), "\n"), text)
	// But after a restart it may be anybody's.
	write("made", "mine")
	body, err := os.ReadFile(j.Path(configurationFile))
	if err == nil {
		err = os.WriteFile(j.Path(configurationFile), bytes.Replace(body, []byte(`"boot":"`), []byte(`"boot":"x`), 1), 0o600)
	}
	if _, is := os.Stat(path("made")); err != nil || is != nil || runtime.GOOS == "linux" && len(keepLostConfiguration(j)) > 0 {
		t.Errorf("after a restart: %v, %v, %q", err, is, keepLostConfiguration(j))
	}
	other, lock, err := job.In(t.TempDir()).Create("x", request.Request{}, job.Status{})
	fstest.Must(t, err)
	defer lock.Close()
	if none := append(keepConfiguration(other, noted(paths)), keepLostConfiguration(other)...); len(none) > 0 {
		t.Errorf("%q", none)
	}
}
