package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/zstd"
	"ctxfs/providers/transcripts/catalogue"
)

// codexLog writes a log of Codex.
func codexLog(t testing.TB, path, id string, texts ...string) {
	t.Helper()
	fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	fstest.Must(t, err)
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		fmt.Fprintf(f, `{"timestamp":"2026-05-12T01:02:27.657Z","type":"session_meta","payload":{"id":%q,"timestamp":"2026-05-12T01:02:27.657Z","cwd":"/w","cli_version":"1"}}`+"\n", id)
	}
	for _, text := range texts {
		fmt.Fprintf(f, `{"timestamp":"2026-05-12T01:02:28Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]}}`+"\n", text)
	}
}

// publishedOf returns what is published of a session.
func (f *fixture) publishedOf(id string) catalogue.Published {
	if all := f.catalogue.Find(id); len(all) > 0 {
		v, _ := f.catalogue.View(all[0])
		return v.Published
	}
	return catalogue.Published{}
}

// TestALogThatIsPutAway: a log that its agent moves to its archive is neither lost nor
// listed twice, and not rendered again.
func TestALogThatIsPutAway(t *testing.T) {
	home := tempHome(t)
	name := "rollout-2026-05-12T01-02-27-" + oneID + ".jsonl"
	path := filepath.Join(home, ".codex", "sessions", "2026", "05", "12", name)
	away := filepath.Join(home, ".codex", "archived_sessions", name)
	codexLog(t, path, oneID, "the question", "a second one")
	fstest.Must(t, os.MkdirAll(filepath.Dir(away), 0o755))
	f := start(t, home)
	before := f.transcript(oneID)
	if count(before, "\nthe question\n") != 1 {
		t.Fatal(before)
	}
	in := func(path string) func() bool {
		return func() bool {
			all := f.catalogue.Find(oneID)
			if len(all) != 1 {
				return false
			}
			v, _ := f.catalogue.View(all[0])
			return slices.Equal(f.catalogue.Unseen("", nil), []string{path}) && v.Source.Path == path && !v.Behind
		}
	}
	same := func(when string) {
		t.Helper()
		fstest.Equal(t, f.transcript(oneID), before, when)
		if s := f.publishedOf(oneID); s.Generation != 1 {
			t.Errorf("%s it was rendered from the beginning: %d", when, s.Generation)
		}
		fstest.Equal(t, count(f.read("INDEX.tsv"), oneID), 1, "listed", when)
	}
	fstest.Must(t, os.Rename(path, away))
	f.await("it is in the archive", in(away))
	same("put away")
	fstest.Must(t, os.Rename(away, path))
	f.await("it is back", in(path))
	same("back")

	// Gone first, and found later.
	f.scanner.Changed([]string{path})
	fstest.Must(t, os.Rename(path, filepath.Join(home, "hidden")))
	f.await("it is gone", func() bool { return len(f.catalogue.Find(oneID)) == 0 })
	fstest.Must(t, os.Rename(filepath.Join(home, "hidden"), away))
	f.await("it is found again", in(away))
	same("found again")

	// Compressed, the log beside it for a moment.
	text, err := os.ReadFile(away)
	fstest.Must(t, err)
	packed, err := os.Create(away + ".zst")
	fstest.Must(t, err)
	z, err := zstd.NewWriter(packed)
	fstest.Must(t, err)
	_, err = z.Write(text)
	fstest.Must(t, err)
	fstest.Must(t, z.Close())
	fstest.Must(t, packed.Close())
	f.await("both are known", func() bool {
		return len(f.catalogue.InFile(away)) == 1 && len(f.catalogue.InFile(away+".zst")) == 1
	})
	same("beside its compressed twin")
	fstest.Must(t, os.Remove(away))
	f.await("the compressed log stands in", in(away+".zst"))
	same("compressed")
	fstest.Must(t, f.Close())

	// Put back and gone on with while nobody looked.
	codexLog(t, path, oneID, "the question", "a second one", "and a third")
	fstest.Must(t, os.Remove(away+".zst"))
	again := start(t, home, offline)
	if got := again.transcript(oneID); !strings.HasPrefix(got, before) || count(got, "\nand a third\n") != 1 {
		t.Errorf("after a restart: %s", got)
	}
}

// TestARootThatIsALink: an agent's folder that is a link is followed, also after it was
// changed.
func TestARootThatIsALink(t *testing.T) {
	home := tempHome(t)
	first, second := filepath.Join(home, "first"), filepath.Join(home, "second")
	piSession(t, first, oneID).user("in the first")
	two := piSession(t, second, twoID)
	two.user("in the second")
	fstest.Must(t, os.Symlink(filepath.Join(first, ".pi"), filepath.Join(home, ".pi")))
	f := start(t, home)
	if got := f.transcript(oneID); !strings.Contains(got, "in the first") || f.exists(catalogue.ByID+"/"+twoID) {
		t.Fatal(got)
	}
	fstest.Must(t, os.Symlink(filepath.Join(second, ".pi"), filepath.Join(home, "new")))
	fstest.Must(t, os.Rename(filepath.Join(home, "new"), filepath.Join(home, ".pi")))
	f.await("it leads elsewhere", func() bool { return f.exists(catalogue.ByID+"/"+twoID) && !f.exists(catalogue.ByID+"/"+oneID) })
	two.user("later")
	f.await("what is written there is told", func() bool { return strings.Contains(f.transcript(twoID), "\nlater\n") })
	fstest.Must(t, os.Remove(filepath.Join(home, ".pi")))
	f.await("all is gone", func() bool { return !f.exists(catalogue.ByID + "/" + twoID) })
	fstest.Must(t, os.Rename(filepath.Join(first, ".pi"), filepath.Join(home, ".pi")))
	f.await("a folder stands in its place", func() bool { return f.exists(catalogue.ByID + "/" + oneID) })
}

// TestWhatCannotBeWatchedIsLookedAt: changes are found without a watch.
func TestWhatCannotBeWatchedIsLookedAt(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("one")
	f := start(t, home, offline) // there is no watch
	f.transcript(oneID)
	s.user("two")
	piSession(t, home, twoID).user("three")
	f.scanner.RescanUnwatched(t.Context())
	fstest.Contains(t, f.transcript(twoID), "\nthree\n")
	fstest.Contains(t, f.transcript(oneID), "\ntwo\n")
	fstest.Must(t, os.Remove(s.path))
	f.scanner.RescanUnwatched(t.Context())
	if f.exists(catalogue.ByID + "/" + oneID) {
		t.Error("what is gone is there")
	}
}
