package workspaces

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestOutdatedEdits: an edit is refused if its file has changed since the session last saw
// it, and a change has one key, by which it is told once.
func TestOutdatedEdits(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	file, link := filepath.Join(home, "it's.go"), filepath.Join(home, "link.go")
	other, gone := filepath.Join(home, "other.go"), filepath.Join(home, "gone.go")
	then := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	write := func(path, text string, at time.Time) {
		t.Helper()
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		fstest.Must(t, os.Chtimes(path, at, at))
	}
	write(file, "package old\n", then.Add(-time.Hour))
	write(other, "package other\n", then.Add(time.Hour))
	fstest.Must(t, os.Symlink(file, link))
	reads := map[string]facts.Read{
		file: {File: file, Time: then, Whole: true, Parts: []facts.ReadPart{{Line: 1, Text: "package old\n"}}},
		gone: {File: gone, Time: then},
	}
	w := newWorld(t)
	w.Provider.opts.Reads = func(_ context.Context, session, dir string) (all []facts.Read, err error) {
		if session != "s" {
			return nil, fs.ErrNotExist
		}
		for path, s := range reads {
			if fs.Within(path, dir) {
				all = append(all, s)
			}
		}
		return all, nil
	}
	at := func(kind facts.MomentKind, session string, files ...string) facts.Moment {
		return facts.Moment{Kind: kind, Session: session, Time: then.Add(2 * time.Hour), Call: &facts.AgentCall{Writes: files, MayRefuse: true}}
	}
	refused := func(m facts.Moment) (text, key string) {
		t.Helper()
		news := w.News(t.Context(), m)
		if len(news) == 0 {
			return "", ""
		}
		if n := news[0]; len(news) != 1 || !n.Refuse || n.Kind != facts.NewsStale || n.Rank != facts.Blocking {
			t.Errorf("%+v", news)
		}
		return news[0].Text, news[0].Key
	}
	if text, _ := refused(at(facts.BeforeTool, "s", file)); text != "" {
		t.Errorf("as it was seen: %s", text)
	}
	write(file, "package new\n", then.Add(time.Hour))
	text, key := refused(at(facts.BeforeTool, "s", file))
	for _, want := range []string{"2026-05-01T13:00:00Z", "2026-05-01T12:00:00Z", "ctxfs stale --diff --session s '", "the same call passes"} {
		fstest.Contains(t, text, want)
	}
	if _, again := refused(at(facts.BeforeTool, "s", file)); again != key || key == "" {
		t.Errorf("the same change has the keys %q and %q", key, again)
	}
	if text, _ := refused(at(facts.BeforeTool, "s", link)); text == "" {
		t.Error("by another name it is not refused")
	}
	write(file, "package newer\n", then.Add(90*time.Minute))
	if _, again := refused(at(facts.BeforeTool, "s", file)); again == key {
		t.Error("another change has the same key")
	}
	if text, _ := refused(at(facts.BeforeTool, "s", other, gone)); !strings.Contains(text, "was deleted") {
		t.Errorf("deleted: %s", text)
	}
	may := at(facts.BeforeTool, "s", file)
	may.Call.MayRefuse = false
	for what, m := range map[string]facts.Moment{
		"a file that it has not seen": at(facts.BeforeTool, "s", other), "another session": at(facts.BeforeTool, "x", file), "no session": at(facts.BeforeTool, "", file),
		"one that cannot be refused": may, "a message": {Kind: facts.Prompted, Session: "s"}, "no call": {Kind: facts.BeforeTool, Session: "s"}, "a file in no folder": at(facts.BeforeTool, "s", home+"/none/x"),
	} {
		if text, _ := refused(m); text != "" {
			t.Errorf("%s: %s", what, text)
		}
	}

	// What the session wrote itself, as its hook tells before its log does.
	refused(at(facts.AfterTool, "s", file))
	if text, _ := refused(at(facts.BeforeTool, "s", file)); text != "" {
		t.Errorf("its own edit: %s", text)
	}
	write(file, "package somebody\n", then.Add(100*time.Minute))
	if text, _ := refused(at(facts.BeforeTool, "s", file)); text == "" {
		t.Error("what somebody wrote after its own edit is not refused")
	}
	failed := at(facts.AfterTool, "s", file)
	failed.Call.Failed = true
	refused(failed)
	if text, _ := refused(at(facts.BeforeTool, "s", file)); text == "" {
		t.Error("an edit that failed counts as one")
	}
}

// TestLongLogs: a hook does not wait for a long log, which is read for the next one.
func TestLongLogs(t *testing.T) { synctest.Test(t, testLongLogs) }

func testLongLogs(t *testing.T) {
	w := newHome(t)
	w.make(true)
	file := filepath.Join(t.TempDir(), "a.go")
	fstest.Must(t, os.WriteFile(file, nil, 0o600))
	read, asked := make(chan bool), make(chan bool)
	var first sync.Once
	var reads atomic.Int32
	w.Provider.opts.Reads = func(ctx context.Context, _, _ string) ([]facts.Read, error) {
		reads.Add(1)
		first.Do(func() { close(asked) })
		<-read
		return []facts.Read{{File: file, Time: time.Unix(1, 0)}}, ctx.Err()
	}
	m := facts.Moment{Kind: facts.BeforeTool, Session: "s", Time: day, Call: &facts.AgentCall{Writes: []string{file}, MayRefuse: true}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if news := w.News(ctx, m); len(news) > 0 {
		t.Errorf("before it is read: %+v", news)
	}
	impatient, giveUp := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer giveUp()
	if news := w.News(impatient, m); len(news) > 0 || reads.Load() != 1 { // it is read once
		t.Errorf("while it is read, %d times: %+v", reads.Load(), news)
	}
	close(read)
	if news := w.News(t.Context(), m); len(news) != 1 {
		t.Errorf("once it is read: %+v", news)
	}
}

// TestManyEditsAtOnce: agents edit several files at once, and each hook is answered, also
// while the session's log is read for another one.
func TestManyEditsAtOnce(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "a.go")
	fstest.Must(t, os.WriteFile(file, nil, 0o600))
	w.Provider.opts.Reads = func(context.Context, string, string) ([]facts.Read, error) {
		return []facts.Read{{File: file, Time: time.Unix(1, 0)}}, nil
	}
	m := facts.Moment{Kind: facts.BeforeTool, Session: "s", Time: day, Call: &facts.AgentCall{Writes: []string{file}, MayRefuse: true}}
	var hooks sync.WaitGroup
	for range 8 {
		hooks.Go(func() {
			for range 100 {
				if news := w.News(t.Context(), m); len(news) != 1 {
					t.Errorf("an edit is told %+v", news)
					return
				}
			}
		})
	}
	hooks.Wait()
}
