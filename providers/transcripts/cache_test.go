package transcripts

import (
	"bytes"
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/render"
)

// TestACacheThatCannotBeWritten: the status reports it with a fix, and it is not a
// fault of the sessions.
func TestACacheThatCannotBeWritten(t *testing.T) {
	home := tempHome(t)
	piSession(t, home, oneID).user("is kept")
	f := start(t, home)
	f.await("it is rendered", func() bool { return f.Status().State == "ready" })
	dir := filepath.Dir(f.cache.EntryDir("pi", twoID))
	fstest.Must(t, os.RemoveAll(dir))
	fstest.Must(t, os.WriteFile(dir, []byte("a file where a folder should be"), 0o600))
	piSession(t, home, twoID).user("has no room")
	f.await("the state tells", func() bool {
		s := f.Status()
		return s.State == "degraded" && len(s.Problems) == 1 && strings.Contains(s.Problems[0].What, "not stored") && s.Problems[0].Mend != ""
	})
	if _, err := f.tree.ReadAll(t.Context(), f.node(catalogue.ByID+"/"+twoID+"/transcript.md").(fs.File)); err == nil {
		t.Error("it is read all the same")
	}
	if s := f.publishedOf(twoID); s.Fault != "" {
		t.Errorf("the session is blamed: %s", s.Fault)
	}
	fstest.Contains(t, f.transcript(oneID), "\nis kept\n")
	fstest.Must(t, os.Remove(dir))
	f.retryCache()
	f.await("all is well", func() bool { return f.Status().State == "ready" })
	fstest.Contains(t, f.transcript(twoID), "\nhas no room\n")
}

// TestTheCacheIsThrownAway: a cache that is deleted under a reader is made again with
// the same bytes.
func TestTheCacheIsThrownAway(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("one")
	f := start(t, home)
	before, messages := f.transcript(oneID), f.read(catalogue.ByID+"/"+oneID+"/messages.jsonl")
	was, err := f.tree.Stat(t.Context(), f.node(catalogue.ByID+"/"+oneID+"/transcript.md"))
	fstest.Must(t, err)
	for _, damage := range []func(dir string) error{
		os.RemoveAll,
		func(dir string) error { return os.Remove(filepath.Join(dir, "state.json")) },
		func(dir string) error { return os.Truncate(filepath.Join(dir, "1.md"), 10) },
		func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "state.json"), []byte(`{"format":`), 0o600)
		},
		func(dir string) error { return os.Remove(filepath.Join(dir, "1.jsonl")) },
	} {
		fstest.Must(t, damage(f.cache.EntryDir("pi", oneID)))
		fstest.Equal(t, f.transcript(oneID), before, "made again")
		fstest.Equal(t, f.read(catalogue.ByID+"/"+oneID+"/messages.jsonl"), messages, "made again the messages")
		now, err := f.tree.Stat(t.Context(), f.node(catalogue.ByID+"/"+oneID+"/transcript.md"))
		if fstest.Must(t, err); now.Version != was.Version {
			t.Error("the same bytes are another version")
		}
	}
	s.user("two")
	f.await("it goes on", func() bool {
		return strings.HasPrefix(f.transcript(oneID), before) && strings.Contains(f.transcript(oneID), "\ntwo\n")
	})
}

// TestVersionsDoNotComeBack: an entry that was deleted and has other bytes by now has
// another version.
func TestVersionsDoNotComeBack(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("one")
	f := start(t, home)
	seen := make(map[uint64]string)
	for i, text := range []string{"one", "two", "three", "four"} {
		old, err := os.ReadFile(s.path)
		fstest.Must(t, err)
		if i > 0 {
			fstest.Must(t, os.WriteFile(s.path, []byte(strings.Replace(string(old), `"`+[]string{"one", "two", "three"}[i-1]+`"`, `"`+text+`"`, 1)), 0o644))
		}
		f.await("it is told", func() bool { return strings.Contains(f.transcript(oneID), "\n"+text+"\n") })
		node := f.node(catalogue.ByID + "/" + oneID + "/transcript.md")
		a, err := f.tree.Stat(t.Context(), node)
		fstest.Must(t, err)
		if was, ok := seen[a.Version]; ok {
			t.Errorf("%q has the version of %q", text, was)
		}
		seen[a.Version] = text
		f.cache.DropEntry(f.catalogue.Find(oneID)[0])
	}
}

// TestAStateThatWasNotWritten: a program that is killed has published more than it has
// recorded. The next one shows all of it.
func TestAStateThatWasNotWritten(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("one")
	f := start(t, home)
	f.transcript(oneID)
	state := filepath.Join(f.cache.EntryDir("pi", oneID), "state.json")
	early, err := os.ReadFile(state)
	fstest.Must(t, err)
	s.user("two")
	s.call("call-1", "bash", long(1000), map[string]any{"command": "cat log.txt"})
	f.await("it is told", func() bool { return strings.Contains(f.transcript(oneID), "line 999 of") })
	fstest.Must(t, atomicfile.Write(state, early)) // as if it had not been written since
	f.catalogue.SaveAgain()
	_, err = f.catalogue.Save(f.listPath(), f.catalogue.All)
	fstest.Must(t, err)
	copied := tempHome(t)
	copyCache(t, filepath.Join(home, ".cache"), filepath.Join(copied, "cache"))
	want := f.transcript(oneID)

	again := start(t, home, offline, func(o *Options) { o.Cache = filepath.Join(copied, "cache") })
	fstest.Equal(t, again.transcript(oneID), want, "after a kill")
	if got := again.names(catalogue.ByID + "/" + oneID + "/results"); len(got) != 1 {
		t.Errorf("results %q", got)
	}
	got := again.read(catalogue.ByID + "/" + oneID + "/digest.md")
	fstest.Equal(t, f.read(catalogue.ByID+"/"+oneID+"/digest.md"), got, "the digest", "the one before was")
}

// TestAStateOfLess: another process that had read less has written its state since, or
// none can be read. What is derived from it shows all that was published all the same.
func TestAStateOfLess(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("one")
	f := start(t, home, func(o *Options) {
		now := o.Env.Now
		o.Env.Now = func() time.Time { return now().Add(time.Hour) } // it is not live: its state is only on disk
	})
	f.transcript(oneID)
	state := filepath.Join(f.cache.EntryDir("pi", oneID), "state.json")
	less, err := os.ReadFile(state)
	fstest.Must(t, err)
	s.user("two")
	s.call("call-1", "read", "package main", map[string]any{"path": filepath.Join(home, "work", "main.go")})
	f.await("it is told", func() bool { return strings.Contains(f.transcript(oneID), "package main") })
	session := f.catalogue.Find(oneID)[0]
	f.await("the watch has nothing more to tell", func() bool {
		log, err := os.Stat(s.path)
		v, _ := f.catalogue.View(session)
		return err == nil && v.Source.Stat.Size == log.Size() && !v.Behind
	})
	all, err := os.ReadFile(state)
	fstest.Must(t, err)
	glance := func() bool {
		clear(f.edits.of)
		clear(f.briefs.of)
		v, _ := f.catalogue.View(session)
		return len(f.Edits(filepath.Join(home, "work"), time.Time{})) == 1 && f.briefs.get(f.cache, session, &v, (*render.Summary).Brief).File != ""
	}
	for what, text := range map[string][]byte{"less": less, "nothing": []byte(`{"format":`)} {
		for _, name := range []string{"digest.md", "files.tsv"} {
			fstest.Must(t, atomicfile.Write(state, text))
			f.forgetTexts()
			if got := f.read(catalogue.ByID + "/" + oneID + "/" + name); !strings.Contains(got, "main.go") {
				t.Errorf("beside a state of %s, %s is %s", what, name, got)
			}
		}
		fstest.Must(t, atomicfile.Write(state, text))
		if seen, err := f.reads(t.Context(), session, false); err != nil || len(seen) != 1 {
			t.Errorf("beside a state of %s the session has seen %v (%v)", what, seen, err)
		}
		f.await("a glance that does not wait for the rendering", func() bool { // one may just be under way
			fstest.Must(t, atomicfile.Write(state, text))
			return !glance()
		})
		if v, _ := f.catalogue.View(session); v.Unready() {
			t.Error("a glance has unpublished the session")
		}
		f.await("what it did is known again", glance)
		if now, err := os.ReadFile(state); err != nil || string(now) != string(all) {
			t.Errorf("the state of %s has become (%v) %s", what, err, now)
		}
	}

	f.read(catalogue.ByID + "/" + oneID + "/messages.jsonl")
	fstest.Must(t, atomicfile.Write(state, less))
	f.cache.DropMessages(session) // of which that state knows nothing
	v, _ := f.catalogue.View(session)
	if _, err := os.Stat(filepath.Join(filepath.Dir(state), "1.jsonl")); !errors.Is(err, iofs.ErrNotExist) || v.Published.Messages >= 0 {
		t.Errorf("messages of %d bytes were to be deleted (%v)", v.Published.Messages, err)
	}

	f.await("nobody can write a state", func() bool {
		fstest.Must(t, os.RemoveAll(state))
		return os.MkdirAll(filepath.Join(state, "in-its-place"), 0o700) == nil
	})
	for _, name := range []string{"digest.md", "files.tsv"} {
		f.forgetTexts()
		if got := f.read(catalogue.ByID + "/" + oneID + "/" + name); !strings.Contains(got, "main.go") {
			t.Errorf("where no state can be written, %s is %s", name, got)
		}
	}
}

// copyCache copies a cache that is in use: what is written and renamed meanwhile
// may be gone, and a database cannot be copied without its journal.
func copyCache(t *testing.T, from, to string) {
	t.Helper()
	fstest.Must(t, filepath.WalkDir(from, func(path string, d iofs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(from, path)
		switch {
		case errors.Is(err, iofs.ErrNotExist) || strings.HasPrefix(rel, fulltext.FileName):
			return nil
		case err != nil || relErr != nil:
			return errors.Join(err, relErr)
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, iofs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	}))
}

// TestTwoProcesses: processes share one cache, one that stays and others that read
// once.
func TestTwoProcesses(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("number 0.")
	f := start(t, home)
	var readers sync.WaitGroup
	defer readers.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	readers.Go(func() {
		for ctx.Err() == nil {
			once := start(t, home, offline)
			text := once.transcript(oneID)
			if strings.Contains(text, "\x00") || count(text, "\nnumber 0.\n") != 1 {
				t.Errorf("read beside the other: %s", text)
			}
			once.read(catalogue.ByID + "/" + oneID + "/messages.jsonl")
			once.read(catalogue.ByID + "/" + oneID + "/digest.md")
			fstest.Must(t, once.Close())
		}
	})
	for i := range 60 {
		text := "number " + string(rune('1'+i%9)) + " and more."
		if i%20 == 19 { // everything is rewritten
			old, err := os.ReadFile(s.path)
			fstest.Must(t, err)
			lines := bytes.SplitAfter(old, []byte("\n"))
			fstest.Must(t, os.WriteFile(s.path+".new", bytes.Join(append(lines[:2:2], lines[4:]...), nil), 0o644))
			fstest.Must(t, os.Rename(s.path+".new", s.path))
		}
		s.user(text)
		want := i + 2
		if text := f.transcript(oneID); strings.Contains(text, "\x00") || count(text, "\nnumber 0.\n") != 1 || count(text, "\n### ") > want {
			t.Errorf("%s", text)
		}
	}
	cancel()
	readers.Wait()
	f.await("all is told", func() bool {
		other := start(t, home, offline, func(o *Options) { o.Cache = t.TempDir() })
		defer other.Close()
		return f.transcript(oneID) == strings.ReplaceAll(other.transcript(oneID), "\r", "")
	})
}

// TestCloseWhileItRenders: Close returns at once and leaves nothing incomplete.
func TestCloseWhileItRenders(t *testing.T) {
	home := tempHome(t)
	manySessions(t, home, 300)
	f := start(t, home)
	fstest.Must(t, f.Close())
	again := start(t, home, offline)
	for i := range 300 {
		if got := again.transcript(id(i)); count(got, "\ndo this and that\n") != 1 || count(got, "\nit is done\n") != 1 {
			t.Fatalf("session %d: %s", i, got)
		}
	}
}

// TestADigestWhileItGrows: a digest is made from a state that does not change
// meanwhile.
func TestADigestWhileItGrows(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("begin")
	f := start(t, home)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 100 {
			s.call("call-"+string(rune('a'+i%26)), "bash", "result", map[string]any{"command": "ls", "path": "/w/" + time.Duration(i).String()})
		}
	}()
	for {
		for _, name := range []string{"digest.md", "files.tsv", "meta.json", "messages.jsonl"} {
			if f.read(catalogue.ByID+"/"+oneID+"/"+name) == "" && name != "files.tsv" {
				t.Errorf("%s is empty", name)
			}
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
