package workspaces

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestOpening: the first session in a folder that nobody knows is told its page, by whatever
// name it has the folder; in a folder that can be none, nothing. An agent that does not wait
// is told the next time.
func TestOpening(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"src/shop/.git", "src/late/.git", "src/shop/inner/.git"} {
		fstest.Must(t, os.MkdirAll(filepath.Join(w.home, name), 0o700))
	}
	fstest.Must(t, os.Symlink(filepath.Join(w.home, "src/shop"), filepath.Join(w.home, "link")))
	opening := func(ctx context.Context, dir string) string {
		news := w.News(ctx, facts.Moment{Kind: facts.SessionStarts, Root: "/mnt", Dir: dir})
		if len(news) == 0 {
			return ""
		}
		return news[0].Text
	}
	for _, at := range []struct{ dir, page string }{
		{"link", "shop"}, {"src/shop", "shop"}, {"src/shop/inner", "inner"},
	} {
		want := "This is /mnt/workspaces/" + at.page + "/HERE.md, from where its relative paths lead:\n# " + at.page + "\n"
		if text := opening(t.Context(), filepath.Join(w.home, at.dir)); !strings.HasPrefix(text, want) || strings.Contains(text, notMade) {
			t.Errorf("%s: %q", at.dir, text)
		}
	}
	for _, dir := range []string{"", "relative", w.home, filepath.Join(w.home, "nowhere"), filepath.Join(w.home, "view/mount")} {
		fstest.Equal(t, opening(t.Context(), dir), "", dir)
	}

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late := filepath.Join(w.home, "src/late")
	opening(gone, late)
	fstest.Contains(t, opening(t.Context(), late), "# late")
}

// TestEachChangeOnce: the change of a file is told once, also where several are told
// together.
func TestEachChangeOnce(t *testing.T) {
	b := newBehind(t)
	b.write("m0", "m1", "m2")
	if news := b.prompt(); len(news) != 3 {
		t.Fatalf("%d of 3 changes are told: %+v", len(news), news)
	}
	b.write("m3")
	if news := b.prompt(); len(news) != 1 || !strings.HasPrefix(news[0].Text, "`m3` changed") || !strings.Contains(news[0].Text, "and not by it") {
		t.Fatalf("the fourth: %+v", news)
	}
	b.write("m4", "m5", "m6", "m7")
	if news := b.prompt(); len(news) != 1 || strings.Contains(news[0].Text, "m3") || !strings.Contains(news[0].Text, "`m7` changed") {
		t.Fatalf("together: %+v", news)
	}
	if news := b.prompt(); len(news) > 0 {
		t.Errorf("again: %+v", news)
	}
}

// TestOwnCommands: what changed while a command of the session ran is not said to be
// somebody else's, and its edit is not refused; what changed before or after it is.
func TestOwnCommands(t *testing.T) {
	b := newBehind(t)
	command := func(id string) *facts.AgentCall {
		return &facts.AgentCall{ID: id, Command: "gofmt -w own.go", Failed: id == "fails"}
	}
	refused := func(name string) bool {
		m := b.moment(facts.BeforeTool, &facts.AgentCall{ID: "edit", Writes: []string{filepath.Join(b.dir, name)}, MayRefuse: true})
		return len(b.News(t.Context(), m)) > 0
	}
	for i, one := range []struct {
		name, call         string
		begins, during, ok bool // during: it changed while the command ran
	}{
		{"own.go", "c1", true, true, true},
		{"fails.go", "fails", true, true, true},
		{"untold.go", "c2", false, true, true}, // no hook told that the command began
		{"other.go", "c3", true, false, false},
	} {
		b.at = b.at.Add(time.Hour)
		if !one.during {
			b.write(one.name)
			b.at = b.at.Add(time.Minute)
		}
		if one.begins {
			b.News(t.Context(), b.moment(facts.BeforeTool, command(one.call)))
		}
		last := b.at
		if one.during {
			b.write(one.name)
			b.at = b.at.Add(time.Minute)
		}
		after := b.moment(facts.AfterTool, command(one.call))
		after.Last = last
		b.News(t.Context(), after)
		b.at = b.at.Add(time.Hour)
		if refused(one.name) == one.ok {
			t.Errorf("%d: %s: refused is %t", i, one.name, !one.ok)
		}
		news := b.prompt()
		if len(news) != 1 {
			t.Fatalf("%s: %+v", one.name, news)
		}
		if got := !strings.Contains(news[0].Text, "not by it"); got != one.ok || got != strings.Contains(news[0].Text, "maybe while a command of this session ran") {
			t.Errorf("%s: %s", one.name, news[0].Text)
		}
	}
	b.write("own.go")
	if !refused("own.go") {
		t.Error("what somebody wrote later is not refused")
	}
	fstest.Must(t, os.Remove(filepath.Join(b.dir, "own.go")))
	if news := b.prompt(); len(news) != 1 || !strings.Contains(news[0].Text, "`own.go` was deleted after this session saw it, maybe while") {
		t.Errorf("deleted, nobody knows when: %+v", news)
	}
}

// behind is a session that has seen files of a workspace.
type behind struct {
	*world
	dir   string
	reads []facts.Read
	told  map[string]bool
	at    time.Time
}

func newBehind(t *testing.T) *behind {
	w := newWorld(t)
	b := &behind{world: w, dir: w.mkdir("src/shop"), told: make(map[string]bool), at: day}
	w.mkdir("src/shop/.git")
	if _, err := w.here(b.dir); err != nil {
		t.Fatal(err)
	}
	w.Provider.opts.Reads = func(context.Context, string, string) ([]facts.Read, error) { return b.reads, nil }
	return b
}

// write has somebody change files that the session has seen before.
func (b *behind) write(names ...string) {
	b.Helper()
	b.at = b.at.Add(time.Minute)
	for _, name := range names {
		path := filepath.Join(b.dir, name)
		b.reads = slices.DeleteFunc(b.reads, func(s facts.Read) bool { return s.File == path })
		b.reads = append(b.reads, facts.Read{File: path, Time: day, Whole: true, Parts: []facts.ReadPart{{Line: 1, Text: "old\n"}}})
		fstest.Must(b, os.WriteFile(path, []byte(b.at.String()), 0o600))
		fstest.Must(b, os.Chtimes(path, b.at, b.at))
	}
}

// moment returns a moment of the session; it is a minute later.
func (b *behind) moment(kind facts.MomentKind, call *facts.AgentCall) facts.Moment {
	last := b.at
	b.at = b.at.Add(time.Minute)
	return facts.Moment{
		Kind: kind, Session: "s", Dir: b.dir, Time: b.at, Last: last, Call: call,
		Told: func(kind facts.NewsKind, key string) bool { return b.told[string(kind)+key] },
	}
}

// prompt returns what the session is told with a message, as the ledger lets it through.
func (b *behind) prompt() []facts.News {
	b.Helper()
	var all []facts.News
	for _, n := range b.News(b.Context(), b.moment(facts.Prompted, nil)) {
		if b.told[string(n.Kind)+n.Key] {
			continue
		}
		all = append(all, n)
		for _, key := range append(n.Covers, n.Key) {
			b.told[string(n.Kind)+key] = true
		}
	}
	return all
}
