package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/catalogue"
)

const (
	oneID = "11111111-2222-4333-8444-555555555555"
	twoID = "aaaaaaaa-2222-4333-8444-555555555555"
)

func TestTheFolderOfASession(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("Mend the flaky test, please")
	s.assistant("I look at it.")
	s.call("call-1", "bash", long(1000), map[string]any{"command": "cat log.txt"})
	s.call("call-2", "bash", "short", map[string]any{"command": "true"})
	f := start(t, home, offline)

	const folder = "pi/work/2026-05-12_Mend-the-flaky-test-please_11111111"
	if got, want := f.names(folder), []string{"digest.md", "files.tsv", "messages.jsonl", "meta.json", "results", "transcript.md"}; !slices.Equal(got, want) {
		t.Errorf("the folder has %q", got)
	}
	results := f.names(folder + "/results")
	if len(results) != 1 {
		t.Fatalf("results %q", results)
	}
	if got := f.read(folder + "/results/" + results[0]); got != long(1000) {
		t.Errorf("the long result has %d bytes, not %d", len(got), len(long(1000)))
	}
	text := f.read(folder + "/transcript.md")
	for _, want := range []string{
		"\n### [11111111/00002] 2026-05-12T01:03:01Z user\nMend the flaky test, please\n", "\nI look at it.\n",
		"results/" + results[0], "line 0 of", "line 999 of", "\nshort\n",
	} {
		fstest.Contains(t, text, want)
	}
	fstest.ContainsNot(t, text, "line 500 of")
	fstest.Equal(t, f.read(catalogue.ByID+"/"+oneID+"/transcript.md"), text, "by its id the session is another")
	if f.exists(catalogue.ByID + "/" + twoID) {
		t.Error("there is a session that is not")
	}
	if got := count(f.read(folder+"/messages.jsonl"), "\n"); got != count(text, "\n### ")+1 { // and the record of the session
		t.Errorf("%d messages", got)
	}
	if meta := f.read(folder + "/meta.json"); !strings.Contains(meta, `"id": "`+oneID+`"`) || !strings.Contains(meta, s.path) {
		t.Errorf("meta.json is %s", meta)
	}
	for _, index := range []string{"INDEX.tsv", "pi/INDEX.tsv"} {
		if text := f.read(index); !strings.HasPrefix(text, "path\tagent\tid\tstart\tlast\tcwd\ttitle\tbytes\tevents\n") || !strings.Contains(text, "\n"+folder+"\tpi\t"+oneID+"\t2026-05-12T01:02:27Z\t") {
			t.Errorf("%s is %s", index, text)
		}
	}
	fstest.Check(t, f.tree, fstest.Expect("INDEX.tsv", folder+"/transcript.md", folder+"/results/"+results[0]))
}

func TestATranscriptGrowsWithItsLog(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("first words")
	f := start(t, home)
	before := f.transcript(oneID)
	for i := range 20 {
		s.assistant(fmt.Sprintf("answer number %d.", i))
		f.await("the answer can be read", func() bool { return strings.Contains(f.transcript(oneID), fmt.Sprintf("answer number %d.", i)) })
		after := f.transcript(oneID)
		if !strings.HasPrefix(after, before) {
			t.Fatalf("what was written has changed: %q is no longer %q", after, before)
		}
		before = after
	}
	// What is not a whole line waits.
	line := s.line("user", textBlock("torn in two"))
	s.raw(line[:40])
	s.raw(line[40 : len(line)-10])
	fstest.ContainsNot(t, f.transcript(oneID), "torn in two")
	s.raw(line[len(line)-10:])
	f.await("the line is whole", func() bool { return strings.Contains(f.transcript(oneID), "torn in two") })
	if got := f.transcript(oneID); !strings.HasPrefix(got, before) || count(got, "torn in two") != 1 {
		t.Errorf("the transcript is %s", got)
	}
	// Made in one go it is the same.
	other := start(t, home, offline, func(o *Options) { o.Cache = filepath.Join(home, "other") })
	fstest.Equal(t, other.transcript(oneID), f.transcript(oneID), "in one go the transcript is another")
}

func TestARestartReadsOnlyWhatIsNew(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("before the end")
	f := start(t, home)
	before := f.transcript(oneID)
	messages := f.read(catalogue.ByID + "/" + oneID + "/messages.jsonl")
	fstest.Must(t, f.Close())

	s.user("while nobody looked")
	// Were the beginning read again, this would be seen.
	text, err := os.ReadFile(s.path)
	fstest.Must(t, err)
	changed := strings.Replace(string(text), "before the end", "BEFORE THE END", 1)
	file, err := os.OpenFile(s.path, os.O_WRONLY, 0)
	fstest.Must(t, err)
	_, err = file.WriteAt([]byte(changed)[:100], 0)
	fstest.Must(t, err)
	fstest.Must(t, file.Close())

	again := start(t, home, offline)
	after := again.transcript(oneID)
	if !strings.HasPrefix(after, before) || count(after, "while nobody looked") != 1 {
		t.Errorf("after the restart: %s", after)
	}
	if got := again.read(catalogue.ByID + "/" + oneID + "/messages.jsonl"); !strings.HasPrefix(got, messages) || count(got, "while nobody looked") != 1 {
		t.Errorf("messages after the restart: %s", got)
	}
}

func TestALogThatIsWrittenAnew(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("one")
	s.user("two")
	f := start(t, home)
	if got := f.transcript(oneID); count(got, "\none\n") != 1 || count(got, "\ntwo\n") != 1 {
		t.Fatal(got)
	}
	was, err := f.tree.Stat(t.Context(), f.node(catalogue.ByID+"/"+oneID+"/transcript.md"))
	fstest.Must(t, err)

	text, err := os.ReadFile(s.path)
	fstest.Must(t, err)
	for name, change := range map[string]func(){
		"truncated": func() {
			fstest.Must(t, os.Truncate(s.path, 0))
			s.raw(strings.Replace(string(text), `"two"`, `"three"`, 1))
		},
		"replaced": func() {
			fstest.Must(t, os.WriteFile(s.path+".new", []byte(strings.Replace(string(text), `"two"`, `"four"`, 1)), 0o644))
			fstest.Must(t, os.Rename(s.path+".new", s.path))
		},
	} {
		change()
		word := map[string]string{"truncated": "three", "replaced": "four"}[name]
		f.await(name, func() bool { return strings.Contains(f.transcript(oneID), "\n"+word+"\n") })
		if got := f.transcript(oneID); count(got, "\none\n") != 1 || count(got, "two") != 0 {
			t.Errorf("%s: %s", name, got)
		}
		now, err := f.tree.Stat(t.Context(), f.node(catalogue.ByID+"/"+oneID+"/transcript.md"))
		fstest.Must(t, err)
		if now.Version == was.Version {
			t.Errorf("%s: other bytes have the same version", name)
		}
		was = now
	}
	// The same bytes in another file are the same transcript.
	text, err = os.ReadFile(s.path)
	fstest.Must(t, err)
	fstest.Must(t, os.WriteFile(s.path+".new", text, 0o644))
	fstest.Must(t, os.Rename(s.path+".new", s.path))
	s.user("goes on")
	f.await("it goes on", func() bool { return strings.Contains(f.transcript(oneID), "goes on") })
	if now, err := f.tree.Stat(t.Context(), f.node(catalogue.ByID+"/"+oneID+"/transcript.md")); err != nil || now.Version != was.Version {
		t.Error("a copy of the log is another transcript")
	}
}

func TestASessionThatGoesAway(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("gone tomorrow")
	piSession(t, home, twoID).user("stays")
	f := start(t, home)
	f.transcript(oneID)
	f.transcript(twoID)
	book := f.cache.EntryDir("pi", oneID)
	if _, err := os.Stat(book); err != nil {
		t.Fatal(err)
	}
	fstest.Must(t, os.Remove(s.path))
	f.await("the session is gone", func() bool { return !f.exists(catalogue.ByID + "/" + oneID) })
	if _, err := os.Stat(book); err != nil {
		t.Error("its text is gone at once: a log that is moved would be read again")
	}
	f.await("its text is gone", func() bool { f.cache.RemoveLost(f.clock.now()); _, err := os.Stat(book); return os.IsNotExist(err) })
	if got := f.names("pi/work"); len(got) != 1 || !strings.HasSuffix(got[0], "_aaaaaaaa") {
		t.Errorf("left are %q", got)
	}
}

func TestAnArchiveOutlivesTheLog(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("keep this")
	s.call("call-1", "bash", long(1000), map[string]any{"command": "cat log.txt"})
	old := time.Now().Add(-time.Hour)
	fstest.Must(t, os.Chtimes(s.path, old, old))
	fstest.Must(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte("[transcripts]\narchive = true\n"), 0o600))
	f := start(t, home)
	before := f.transcript(oneID)
	f.keepArchive(t.Context())
	fstest.Must(t, os.Remove(s.path))
	f.await("the archive stands in", func() bool {
		all := f.catalogue.Find(oneID)
		if len(all) == 0 {
			return false
		}
		v, _ := f.catalogue.View(all[0])
		return strings.HasSuffix(v.Source.Path, ".jsonl.zst")
	})
	fstest.Equal(t, f.transcript(oneID), before, "from the archive")
	folder := f.catalogue.Path(f.catalogue.Find(oneID)[0])
	if names := f.names(folder + "/results"); len(names) != 1 || f.read(folder+"/results/"+names[0]) != long(1000) {
		t.Errorf("results %q", names)
	}
	fstest.Must(t, f.Close())
	again := start(t, home, offline)
	fstest.Equal(t, again.transcript(oneID), before, "after a restart")
	again.pruneArchive(0)
	if again.exists(catalogue.ByID + "/" + oneID) {
		t.Error("beyond the limit it is still there")
	}
}

func TestTheCacheHasALimit(t *testing.T) {
	home := tempHome(t)
	for i := range 10 {
		s := piSession(t, home, fmt.Sprintf("%08d-2222-4333-8444-555555555555", i))
		s.user(long(100))
		old := time.Now().Add(time.Duration(i-20) * time.Hour)
		fstest.Must(t, os.Chtimes(s.path, old, old))
	}
	fstest.Must(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte("[transcripts]\nmax_cache = \"15 KB\"\n"), 0o600))
	f := start(t, home)
	var texts []string
	for i := range 10 {
		texts = append(texts, f.transcript(fmt.Sprintf("%08d-2222-4333-8444-555555555555", i)))
	}
	f.cache.Evict(f.settings.Load().maxCache)
	var size int64
	books, err := filepath.Glob(filepath.Join(home, ".cache", "*", "*", "*.md"))
	fstest.Must(t, err)
	for _, b := range books {
		info, err := os.Stat(b)
		fstest.Must(t, err)
		size += info.Size()
	}
	if size > 15_000 || len(books) == 0 {
		t.Errorf("%d books of %d bytes are left", len(books), size)
	}
	for i, want := range texts {
		fstest.Equal(t, f.transcript(fmt.Sprintf("%08d-2222-4333-8444-555555555555", i)), want, "made again")
	}
}

func TestATitleThatComesLater(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	f := start(t, home)
	if got := f.names("pi/work"); !slices.Equal(got, []string{"2026-05-12_11111111"}) {
		t.Fatalf("without a title: %q", got)
	}
	s.user("What is this?")
	f.await("the folder has the title", func() bool { return slices.Equal(f.names("pi/work"), []string{"2026-05-12_What-is-this_11111111"}) })
	f.await("the former path leads to it", func() bool {
		return strings.Contains(f.read("pi/work/2026-05-12_11111111/transcript.md"), "What is this?")
	})
	if f.exists("pi/work/2026-05-12_11111112") {
		t.Error("any path leads to it")
	}
}

func TestWhatMayBeReadAgain(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("What is this?")
	fstest.Must(t, os.Chmod(s.path, 0))
	f := start(t, home)
	f.await("it says why it cannot be read", func() bool {
		return f.exists(catalogue.ByID+"/"+oneID+"/STATUS.md") && strings.Contains(f.read(catalogue.ByID+"/"+oneID+"/STATUS.md"), "permission denied")
	})
	if got := f.read(catalogue.ByID + "/" + oneID + "/digest.md"); !strings.Contains(got, "pi session "+oneID) || !strings.Contains(got, "permission denied") {
		t.Errorf("the digest is %s", got)
	}
	fstest.Must(t, os.Chmod(s.path, 0o600))
	f.await("it is read", func() bool { return f.exists("pi/work/2026-05-12_What-is-this_11111111/transcript.md") })
	if text := f.transcript(oneID); !strings.Contains(text, "What is this?") || f.exists(catalogue.ByID+"/"+oneID+"/STATUS.md") {
		t.Errorf("the transcript is %s", text)
	}
}

// TestWhatNobodyTriedToRead: a session that was not rendered yet says why it cannot be
// read.
func TestWhatNobodyTriedToRead(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	home := tempHome(t)
	s := piSession(t, home, oneID)
	fstest.Must(t, os.Chmod(s.path, 0))
	for _, when := range []string{"at first", "after a restart"} {
		f := start(t, home, offline)
		if got := f.read(catalogue.ByID + "/" + oneID + "/STATUS.md"); !strings.Contains(got, "permission denied") || !strings.Contains(got, "chmod u+r") {
			t.Errorf("%s: %s", when, got)
		}
		fstest.Must(t, f.Close())
	}
}

// TestStatusWithoutAWatch: the status counts the sessions that are there.
func TestStatusWithoutAWatch(t *testing.T) {
	home := tempHome(t)
	piSession(t, home, oneID)
	if s := start(t, home, offline).Status(); !strings.HasPrefix(s.Summary, "1 session of 1 agent") {
		t.Errorf("the status: %+v", s)
	}
}

// TestACacheThatIsThrownAway: everything that was made from a deleted cache is made
// again, also what is made from the state alone.
func TestACacheThatIsThrownAway(t *testing.T) {
	home := tempHome(t)
	s := piSession(t, home, oneID)
	s.user("Mend the flaky test")
	s.call("call-1", "read", long(1000), map[string]any{"path": "a.go"})
	f := start(t, home, offline) // nobody else writes into the cache meanwhile
	folder := catalogue.ByID + "/" + oneID + "/"
	read := func() (all []string) {
		for _, name := range []string{"digest.md", "files.tsv", "transcript.md"} {
			all = append(all, f.read(folder+name))
		}
		return append(all, strings.Join(f.names(folder+"results"), " "))
	}
	before := read()
	for range 2 {
		fstest.Must(t, os.RemoveAll(filepath.Join(home, ".cache")))
		f.forgetTexts()
		fstest.EqualSlices(t, read(), before, "made again")
		fstest.Must(t, os.RemoveAll(filepath.Join(home, ".cache")))
		fstest.Must(t, f.Close())
		f = start(t, home, offline)
	}
}
