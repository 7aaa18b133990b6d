package terminals

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/terminals/record"
)

// matches returns the matches for words below a path; the path of each exists.
func (f *fixture) matches(words, in string) []facts.Match {
	f.t.Helper()
	found, err := f.Search(context.Background(), words, in, 10)
	fstest.Must(f.t, err)
	for _, m := range found.Matches {
		if _, err := f.tree.Resolve(context.Background(), m.Path); err != nil {
			f.t.Errorf("%s: %s: %v", words, m.Path, err)
		}
	}
	return found.Matches
}

// best returns the path and the reason of the best match for words.
func (f *fixture) best(words string) string {
	f.t.Helper()
	if all := f.matches(words, ""); len(all) > 0 {
		return all[0].Path + " " + all[0].Why
	}
	return ""
}

func (f *fixture) finds(words, want string) {
	f.t.Helper()
	fstest.Equal(f.t, f.best(words), want, words)
}

func TestLinesAreFoundWithTheirCommands(t *testing.T) {
	dir := stateDir(t)
	p := newTape(t, dir)
	p.put("Welcome to zebra OS\r\n")
	p.put(begin("make") + "cc x.c\r\nx.c:7: error: no stripes\r\nx.c: 1 fault\r\n" + end("2"))
	p.wait(time.Minute)
	p.put(begin("pytest -q") + "41 passed\r\n" + end("0") + begin("true") + end("0"))
	p.put("\x1b]133;A;ctx=" + nonce + ";cwd=/home/u\a$ \r\n[1]+  Done   lioness\r\n$ \r\n")
	p.put(begin("false") + end("1"))
	p.put(begin("serve --port 8080") + "listening on savanna\r\n")
	p.wait(time.Minute)
	for _, watched := range []bool{true, false} {
		f := start(t, dir, func(o *Options) { o.Watch = watched })
		f.finds("stripes", "1/commands/1.txt 2026-11-20 04:00 $ make (exit 2): x.c:7: error: no stripes")
		f.finds("x.c stripes fault", "1/commands/1.txt 2026-11-20 04:00 $ make (exit 2): x.c:7: error: no stripes … x.c: 1 fault")
		f.finds("make failed", "1/commands/1.txt 2026-11-20 04:00 $ make (exit 2): x.c: 1 fault")
		f.finds("pytest", "1/commands/2.txt 2026-11-20 04:01 $ pytest -q (exit 0): 41 passed")
		f.finds("listening savanna", "1.txt 2026-11-20 04:01 $ serve --port 8080 (running): listening on savanna")
		f.finds("serve", "1.txt 2026-11-20 04:01 $ serve --port 8080 (running)")
		if got := f.best("zebra"); !strings.HasSuffix(got, ": Welcome to zebra OS") || !strings.HasPrefix(got, "1.txt ") {
			t.Error(got)
		}
		if got := f.best("lioness"); !strings.HasSuffix(got, ": [1]+ Done lioness") || !strings.HasPrefix(got, "1.txt ") {
			t.Errorf("of no command: %s", got)
		}
		f.finds("4711 pid cwd", "") // headers are no text
		m := f.matches("stripes", "")[0]
		if m.Kind != "terminal" || m.Title != "terminal 1: make" || m.Evidence.Place != "/home/u" || m.Evidence.Part != "1" ||
			!m.Evidence.Time.Equal(epoch) || m.Evidence.Words["stripe"] != 1 {
			t.Errorf("%+v", m)
		}
	}
}

// TestFoundInPlaces: a path limits a search to a terminal, a part of its log, or its
// commands.
func TestFoundInPlaces(t *testing.T) {
	dir := stateDir(t)
	one := newTape(t, dir, func(o *record.Options) { o.Name, o.MaxPart = "api", 4096 })
	one.put(begin("serve") + "the first zebra\r\n")
	for i := range 300 {
		one.put(fmt.Sprintf("request %d is answered\r\n", i))
	}
	one.put("the last zebra\r\n")
	one.wait(time.Second)
	two := newTape(t, dir)
	two.put(begin("ls") + "zebra.txt\r\n" + end("0"))
	two.wait(time.Second)
	fstest.Must(t, two.Close(0, ""))
	f := start(t, dir)
	for in, want := range map[string]string{
		"":             "1/commands/1.txt api.1.txt api.txt",
		"api":          "api.1.txt api.txt",
		"api.txt":      "api.txt",
		"api.1.txt":    "api.1.txt",
		"1":            "1/commands/1.txt",
		"1.txt":        "1/commands/1.txt",
		"1/commands":   "1/commands/1.txt",
		"api/commands": "",
		"2":            "",
	} {
		got := make(map[string]bool)
		for _, m := range f.matches("zebra", in) {
			got[m.Path] = true
		}
		for _, path := range strings.Fields(want) {
			if !got[path] {
				t.Errorf("%s: %s is not found in %v", in, path, got)
			}
		}
		fstest.Equal(t, len(got), len(strings.Fields(want)), in, got, want)
	}
}

// TestScreenIsFound: what is still redrawn is found before it is in the log, and once.
func TestScreenIsFound(t *testing.T) {
	dir := stateDir(t)
	p := newTape(t, dir)
	p.put(begin("build") + "one\r\ntwo\r\n\x1b[2A\x1b[2Kzebra 10 %\r\n\x1b[2Klion 20 %\r\nwaiting for")
	p.wait(10 * time.Millisecond)
	p.wait(10 * time.Millisecond)
	f := start(t, dir)
	f.finds("zebra", "1/screen.txt 2026-11-20 04:00 $ build (running): zebra 10 %")
	f.finds("waiting", "1/screen.txt 2026-11-20 04:00 $ build (running): waiting for")
	if got := f.matches("zebra", "1.txt"); len(got) != 0 {
		t.Errorf("%v", got)
	}
	f.finds("build waiting", "1/screen.txt 2026-11-20 04:00 $ build (running): waiting for")
	p.wait(time.Second)
	f.finds("zebra", "1.txt 2026-11-20 04:00 $ build (running): zebra 10 %")
	if got := f.matches("zebra", ""); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// TestFoundWithoutCommands: a terminal whose shell reports nothing, as many panes of
// tmux.
func TestFoundWithoutCommands(t *testing.T) {
	dir := stateDir(t)
	p := newTape(t, dir, func(o *record.Options) { o.Source = record.Tmux })
	p.put("$ top\r\nzebra 42 %\r\n$ ")
	p.wait(time.Second)
	f := start(t, dir)
	if got := f.best("zebra"); !strings.HasPrefix(got, "1.txt ") || !strings.HasSuffix(got, ": zebra 42 %") {
		t.Error(got)
	}
}

// long is output that is indexed at once.
func long(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d %s goes on\r\n", i, strings.Repeat(string(rune('a'+i%26)), 3+i%37))
	}
	return b.String()
}

func indexed(o *Options) { o.Cache = filepath.Join(filepath.Dir(o.State), "cache") }

// TestIndexChangesNothing: the same is found with the index of another process, without
// one, and where it cannot be written, is damaged or deleted.
func TestIndexChangesNothing(t *testing.T) {
	dir := stateDir(t)
	p := newTape(t, dir)
	p.put(begin("make") + "error: no stripes\r\n" + long(3*chunkSize) + "at last a lion\r\n" + end("2"))
	p.put(begin("echo") + "tiger\r\n" + end("0"))
	p.wait(time.Second)
	finds := func(f *fixture) {
		t.Helper()
		f.finds("stripes", "1/commands/1.txt 2026-11-20 04:00 $ make (exit 2): error: no stripes")
		f.finds("make lion", "1/commands/1.txt 2026-11-20 04:00 $ make (exit 2): at last a lion")
		f.finds("tiger", "1/commands/2.txt 2026-11-20 04:00 $ echo (exit 0): tiger")
	}
	f := start(t, dir, indexed)
	finds(f)
	f.Start()
	fstest.Settled(t, f.fulltext)
	finds(f)
	finds(start(t, dir, indexed, offline))
	path := filepath.Join(f.opts.Cache, fulltext.FileName)
	fstest.Must(t, os.WriteFile(path, []byte(strings.Repeat("damaged", 10_000)), 0o600))
	damaged := start(t, dir, indexed)
	finds(damaged)
	fstest.Must(t, os.Remove(path))
	finds(start(t, dir, indexed))
	nowhere := start(t, dir, func(o *Options) { o.Cache = "/proc/self/nowhere" })
	nowhere.Start()
	finds(nowhere)
	if s := nowhere.Status(); s.State != "ready" {
		t.Errorf("%+v", s)
	}
}

// TestTwoIndexers: two processes with one index both find all, while the log grows.
func TestTwoIndexers(t *testing.T) {
	dir := stateDir(t)
	p := newTape(t, dir)
	p.put(begin("serve"))
	both := []*fixture{start(t, dir, indexed), start(t, dir, indexed)}
	for _, f := range both {
		f.Start()
	}
	words := strings.Fields("zebra lion tiger gazelle")
	for _, word := range words {
		p.put("here is a " + word + "\r\n" + long(chunkSize))
		p.wait(time.Second)
		for _, f := range both {
			f.finds(word, "1.txt 2026-11-20 04:00 $ serve (running): here is a "+word)
		}
	}
	for _, f := range both {
		fstest.Settled(t, f.fulltext)
		for _, word := range words {
			f.finds(word, "1.txt 2026-11-20 04:00 $ serve (running): here is a "+word)
		}
	}
}

// TestDeletedTerminalsAreNotFound: nor does the index keep them.
func TestDeletedTerminalsAreNotFound(t *testing.T) {
	dir := stateDir(t)
	for _, word := range []string{"zebra", "lion"} {
		p := newTape(t, dir)
		p.put(begin("make") + word + "\r\n" + long(chunkSize) + end("2"))
		fstest.Must(t, p.Close(0, ""))
	}
	f := start(t, dir, indexed)
	f.Start()
	size := func() int64 {
		info, err := os.Stat(filepath.Join(f.opts.Cache, fulltext.FileName))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	fstest.Settles(t, f.fulltext, "all is indexed", func() bool { return size() > 128<<10 })
	fstest.Must(t, os.RemoveAll(filepath.Join(dir, "1")))
	fstest.Must(t, os.RemoveAll(filepath.Join(dir, "2")))
	fstest.Settles(t, f, "they are gone", func() bool { return f.Status().State == "empty" })
	f.finds("zebra", "")
	f.finds("lion", "")
	fstest.Settles(t, f.fulltext, "the index is empty", func() bool { return size() < 64<<10 })
	// Another terminal has the number now.
	p := newTape(t, dir)
	p.put(begin("ls") + "tiger\r\n" + end("0"))
	p.wait(time.Second)
	fstest.Settles(t, f, "the new one is found", func() bool { return f.best("tiger") != "" })
	f.finds("zebra", "")
}

// TestFloodIsBounded: of a command that prints without end, its beginning and its end
// are found, and all of what others print meanwhile.
func TestFloodIsBounded(t *testing.T) {
	dir := stateDir(t)
	p := newTape(t, dir)
	p.put(begin("flood") + "it begins with a zebra\r\n")
	line := strings.Repeat("all work and no play ", 50) + "\r\n"
	flood := func(megabytes int) {
		p.put(strings.Repeat(line, megabytes<<20/len(line)))
	}
	flood(40)
	p.put("half a lion\r\n")
	flood(40)
	p.put("in the end a tiger\r\n")
	p.wait(time.Second)
	other := newTape(t, dir)
	other.put(begin("ls") + "gazelle\r\n" + end("0"))
	other.wait(time.Second)
	f := start(t, dir, indexed)
	f.finds("gazelle", "2/commands/1.txt 2026-11-20 04:00 $ ls (exit 0): gazelle")
	f.finds("tiger", "1.txt 2026-11-20 04:00 $ flood (running): in the end a tiger")
	f.Start()
	fstest.Settled(t, f.fulltext)
	f.finds("tiger", "1.txt 2026-11-20 04:00 $ flood (running): in the end a tiger")
	f.finds("zebra", "1.1.txt 2026-11-20 04:00 $ flood (running): it begins with a zebra")
	fstest.Equal(t, f.Status().Summary, "2 terminals, 2 open", "all is indexed, but the status")
	f.finds("lion", "") // rg has it
	info, err := os.Stat(filepath.Join(f.opts.Cache, fulltext.FileName))
	fstest.Must(t, err)
	if info.Size() > 2<<20 {
		t.Errorf("the index has %d bytes", info.Size())
	}
}

// TestChunksCoverTheLog: however a log grows, it is cut in the same places, at the ends
// of lines.
func TestChunksCoverTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "part-0001.txt")
	state := &record.Terminal{ID: "1", Dir: filepath.Dir(path), Meta: record.Meta{HeaderLen: record.HeaderLen, State: record.Idle}}
	body := strings.Repeat("-", record.HeaderLen) + long(chunkSize+chunkSize/2) + strings.Repeat("é", chunkSize) + "\n" + long(3*chunkSize)
	var grown []*chunk
	for size := 0; size < len(body); size += 300_007 {
		fstest.Must(t, os.WriteFile(path, []byte(body[:size]), 0o600))
		grown = chunksOf(state, []record.Part{{Number: 1, Size: int64(size)}}, grown)
	}
	fstest.Must(t, os.WriteFile(path, []byte(body), 0o600))
	parts := []record.Part{{Number: 1, Size: int64(len(body))}}
	grown = chunksOf(state, parts, grown)
	anew := chunksOf(state, parts, nil)
	if len(grown) != len(anew) || len(anew) < 5 {
		t.Fatalf("%d chunks, and %d", len(grown), len(anew))
	}
	at := int64(record.HeaderLen)
	for i, c := range anew {
		if c.from != at || *c != *grown[i] || c.newer != len(anew)-1-i {
			t.Errorf("%d: %+v, and as it grew %+v", i, *c, *grown[i])
		}
		if at = c.to; body[at-1] != '\n' && body[at-1] != "é"[1] {
			t.Errorf("%d ends with %q", i, body[at-1])
		}
	}
	fstest.Equal(t, at, int64(len(body)), "they end at")
}

// FuzzSpans: whatever commands.jsonl says, the spans of a range cover it.
func FuzzSpans(f *testing.F) {
	f.Add(`{"n":1,"part":1,"bytes":[230,240]}`+"\n"+`{"n":2,"part":1,"bytes":[250,10],"end_part":2}`, int64(224), int64(300), 1)
	f.Add(`{"n":5,"part":2,"bytes":[230,240]}`+"\n"+`{"n":4,"part":1,"bytes":[0,900]}`, int64(0), int64(100), 2)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, journal string, from, to int64, part int) {
		if from < 0 || to < from || to > 1<<40 {
			return
		}
		path := filepath.Join(dir, "commands.jsonl")
		fstest.Must(t, os.WriteFile(path, []byte(journal+"\n"), 0o600))
		records, _, err := (&record.Records{Path: path}).Next()
		fstest.Must(t, err)
		state := &record.Terminal{Meta: record.Meta{Command: "make", Commands: 3, CommandAt: &record.Place{Part: 1, Byte: 260, Line: 1}}}
		state.Add(records)
		at := from
		for _, s := range spansOf(state, part, from, to) {
			if s.start > at || s.end <= at || s.record == nil && s.number > 0 && s.number != 3 {
				t.Fatalf("%+v at %d", s, at)
			}
			at = min(s.end, to)
		}
		if at != to {
			t.Fatalf("they end at %d of %d", at, to)
		}
	})
}
