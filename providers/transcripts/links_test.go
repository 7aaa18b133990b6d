package transcripts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/catalogue"
)

// TestLinkedFolders: the folder of a project may be a link, which users leave behind who
// move or rename a project.
func TestLinkedFolders(t *testing.T) {
	home := tempHome(t)
	away := filepath.Join(tempHome(t), "away")
	sessions := filepath.Join(home, ".pi", "agent", "sessions")
	inside, outside := piSession(t, home, oneID), piSession(t, away, twoID)
	inside.user("in the folder")
	outside.user("in the linked folder")
	linked := filepath.Dir(outside.path)
	link := filepath.Join(sessions, "--linked--")
	fstest.Must(t, os.Symlink(linked, link))
	fstest.Must(t, os.Symlink("--work--", filepath.Join(sessions, "--renamed--")))
	fstest.Must(t, os.Symlink("/", filepath.Join(sessions, "--all--")))
	fstest.Must(t, os.Symlink("/proc/none", filepath.Join(sessions, "--nowhere--")))
	f := start(t, home)
	for id, text := range map[string]string{oneID: "in the folder", twoID: "in the linked folder"} {
		if got := f.transcript(id); count(got, "\n"+text+"\n") != 1 {
			t.Errorf("%s: %s", id, got)
		}
	}
	fstest.Equal(t, count(f.read("pi/INDEX.tsv"), "\n"), 3, "lines of two sessions")

	outside.user("said later")
	f.await("what is written there is told", func() bool { return strings.Contains(f.transcript(twoID), "\nsaid later\n") })
	fstest.Must(t, os.Remove(link))
	f.await("without the link it is gone", func() bool { return !f.exists(catalogue.ByID + "/" + twoID) })
	fstest.Must(t, os.Symlink(linked, link))
	f.await("with the link it is back", func() bool { return f.exists(catalogue.ByID + "/" + twoID) })
	if got := f.transcript(twoID); count(got, "\nin the linked folder\n") != 1 {
		t.Errorf("it is back with %s", got)
	}
}
