package terminals

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

func TestTree(t *testing.T) {
	dir := stateDir(t)
	one := newTape(t, dir, func(o *record.Options) { o.Replay = true })
	one.put(begin("make") + "cc x.c\r\nx.c:1: error\r\n" + end("2") + begin("echo ok") + "ok\r\n" + end("0"))
	one.wait(time.Second)
	two := newTape(t, dir, func(o *record.Options) { o.Name, o.MaxPart = "api", 4096 })
	two.put(begin("serve") + strings.Repeat("listening on port 8080\r\n", 600))
	two.wait(time.Second)
	fstest.Must(t, one.Close(0, ""))
	for _, watch := range []bool{true, false} {
		f := start(t, dir, func(o *Options) { o.Watch = watch })
		fstest.Check(t, f.tree, fstest.Expect(
			"INDEX.md", "1.txt", "1/screen.txt", "1/last.txt", "1/failed.txt", "1/commands.jsonl", "1/commands/1.txt",
			"1/commands/2.txt", "1/replay.cast", "api.txt", "api.1.txt", "api.2.txt", "api.3.txt", "api/screen.txt"))
		fstest.Equal(t, f.read("1/last.txt"), "---\ncommand: echo ok\ncwd: /home/u\nexit_code: 0\nstarted_at: 2026-11-20T04:00:00Z\nended_at: 2026-11-20T04:00:00Z\n---\nok\n", "last")
		for _, name := range []string{"1/failed.txt", "1/commands/1.txt"} {
			fstest.Equal(t, f.read(name), "---\ncommand: make\ncwd: /home/u\nexit_code: 2\nstarted_at: 2026-11-20T04:00:00Z\nended_at: 2026-11-20T04:00:00Z\n---\ncc x.c\nx.c:1: error\n", name)
		}
		for _, name := range []string{"api/last.txt", "1/commands/3.txt", "1/commands/01.txt", "3.txt", "api.0.txt"} {
			if text, err := f.try(name); err == nil {
				t.Errorf("%s: %q", name, text)
			}
		}
		if newest, before := f.read("api.txt"), f.read("api.1.txt"); !strings.HasSuffix(newest, "8080\n") || newest == before {
			t.Errorf("%q and %q", newest, before)
		}
		index := f.read(indexName)
		for _, want := range []string{
			"- **api.txt**: running, pid 4711, in /home/u; runs: `serve`, since 2026-11-20T04:00:00Z; part 4, before it api.1.txt (3) api.2.txt (2) api.3.txt (1)\n",
			"- 1.txt: ended 2026-11-20T04:00:01Z, exit 0, in /home/u; last: `echo ok`, exit 0\n",
		} {
			fstest.Contains(t, index, want)
		}
		s := f.Status()
		if s.Summary != "2 terminals, 1 open" || s.State != "ready" || len(s.Items) != 1 || s.Items[0].State != "runs serve" {
			t.Errorf("status %+v", s)
		}
		var docs []string
		for d := range f.Documents("") {
			docs = append(docs, d.Path+" "+d.Title)
		}
		// Of two that began at the same moment the one with a name comes first.
		if want := []string{"api.txt terminal api: serve", "1.txt terminal 1: echo ok"}; !slices.Equal(docs, want) {
			t.Errorf("documents %q", docs)
		}
	}
}

func TestNoTerminals(t *testing.T) {
	f := start(t, stateDir(t))
	fstest.Check(t, f.tree, fstest.Expect("INDEX.md"))
	fstest.Contains(t, f.read(indexName), "ctxfs term")
	if s := f.Status(); s.State != "empty" || s.Summary != "no terminals" {
		t.Errorf("%+v", s)
	}
}

// TestLive follows a terminal from its beginning to its end.
func TestLive(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	p := newTape(t, dir)
	f.shows(indexName, "- **1.txt**: idle")
	p.put(begin("build"))
	f.shows("1.txt", "\ncommand: build")
	f.shows(indexName, "runs: `build`")
	p.put("compiling\r\n")
	p.wait(10 * time.Millisecond)
	// What is written can be read without any notification.
	if got := f.read("1.txt"); !strings.HasSuffix(got, "$ build\ncompiling\n") {
		t.Errorf("%q", got)
	}
	fstest.Equal(t, f.read("1/screen.txt"), "$ build\ncompiling\n")
	p.put(end("1"))
	f.shows("1.txt", "\nlast_exit_code: 1")
	f.shows("1/failed.txt", "compiling\n")
	fstest.Settles(t, f, "the documents are told", func() bool { return f.heard(f.found, "1.txt") })
	fstest.Must(t, p.Close(0, ""))
	f.shows(indexName, "- 1.txt: ended", "last: `build`, exit 1")
	fstest.Must(t, os.RemoveAll(filepath.Join(dir, "1")))
	f.shows(indexName, "None yet")
	fstest.EqualSlices(t, f.names(""), []string{indexName})
}

func TestNewsOfParts(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	p := newTape(t, dir, func(o *record.Options) { o.MaxPart = 8192 })
	f.shows(indexName, "1.txt")
	f.mu.Lock()
	clear(f.told)
	f.mu.Unlock()
	p.put(begin("seq"))
	for range 150 {
		p.put(strings.Repeat("x", 70) + "\r\n")
	}
	p.wait(time.Second)
	f.shows(indexName, "part 2, before it 1.1.txt (1)")
	fstest.Settles(t, f, "news of the part", func() bool { return f.heard(f.told, "1.txt") && f.heard(f.told, "1/screen.txt") })
}

// TestKilled: a terminal whose holder was killed is shown as ended, at once.
func TestKilled(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	p := newTape(t, dir)
	p.put(begin("serve") + "boom\r\n")
	p.wait(10 * time.Millisecond)
	f.shows(indexName, "runs: `serve`")
	kill(t, p.Dir())
	f.shows(indexName, "- 1.txt: ended, its holder was killed", "last: `serve`, exit not known")
	if got := f.shows("1/last.txt", "boom"); !strings.HasPrefix(got, "---\ncommand: serve\ncwd: /home/u\nexit_code: not known\n") || !strings.HasSuffix(got, "Z\n---\nboom\n") {
		t.Errorf("%q", got)
	}
	if s := f.Status(); len(s.Items) != 0 || s.Summary != "1 terminal, 0 open" {
		t.Errorf("%+v", s)
	}
}

func TestFaultsAreTold(t *testing.T) {
	dir := stateDir(t)
	config := filepath.Join(t.TempDir(), "config.toml")
	fstest.Must(t, os.WriteFile(config, []byte("[terminals]\nmax_sise = 1\n"), 0o600))
	p := newTape(t, dir)
	f := start(t, dir, offline, func(o *Options) { o.SettingsPath = config })
	if s := f.Status(); s.State != "degraded" || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, `did you mean "max_size"?`) {
		t.Errorf("%+v", s)
	}
	path := filepath.Join(p.Dir(), record.MetaFile)
	meta, err := os.ReadFile(path)
	fstest.Must(t, err)
	fault := `{"fault": {"what": "no space left on device", "since": "2026-11-20T05:00:00Z"},`
	fstest.Must(t, os.WriteFile(path, []byte(strings.Replace(string(meta), "{", fault, 1)), 0o600))
	fstest.Must(t, os.WriteFile(config, nil, 0o600))
	f = start(t, dir, offline)
	s := f.Status()
	if s.State != "degraded" || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, "terminal 1 is not recorded since 2026-11-20T05:00:00Z: no space left on device") {
		t.Errorf("%+v", s)
	}
	fstest.Contains(t, f.read(indexName), "not recorded since")
}

// TestStrangeFolders: other folders are left alone, and shown as far as they
// are terminals.
func TestStrangeFolders(t *testing.T) {
	dir := stateDir(t)
	newTape(t, dir)
	for _, name := range []string{"half", "a.b", ".hidden", "empty"} {
		fstest.Must(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "half", record.MetaFile), []byte(`{"version":1,"sta`), 0o600))
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "empty", record.MetaFile), []byte(`{}`), 0o600))
	fstest.Must(t, os.Mkdir(filepath.Join(dir, "1", "part-0007.txt"), 0o700))
	f := start(t, dir)
	fstest.Check(t, f.tree)
	fstest.EqualSlices(t, f.names(""), []string{"1", "1.txt", "INDEX.md", "empty"})
}

// TestLimits: the provider enforces them when it starts and when they change;
// one that reads once deletes nothing.
func TestLimits(t *testing.T) {
	dir := stateDir(t)
	config := filepath.Join(t.TempDir(), "config.toml")
	for range 2 {
		p := newTape(t, dir)
		p.put("old\r\n")
		fstest.Must(t, p.Close(0, ""))
	}
	long := time.Now().Add(-10 * 24 * time.Hour)
	found, err := filepath.Glob(filepath.Join(dir, "1", "*"))
	fstest.Must(t, err)
	for _, path := range found {
		fstest.Must(t, os.Chtimes(path, long, long))
	}
	fstest.Must(t, os.WriteFile(config, []byte("[terminals]\nmax_age = '9d'\n"), 0o600))
	configured := func(o *Options) { o.SettingsPath = config }
	if got := start(t, dir, configured, offline).names(""); len(got) != 5 {
		t.Errorf("looking has left %q", got)
	}
	f := start(t, dir, configured)
	fstest.Settles(t, f, "the old one is gone", func() bool { return slices.Equal(f.names(""), []string{"2", "2.txt", indexName}) })
	fstest.Must(t, os.WriteFile(config, []byte("[terminals]\nmax_size = 1\n"), 0o600))
	f.Reload()
	fstest.Settles(t, f, "all are gone", func() bool { return slices.Equal(f.names(""), []string{indexName}) })
}
