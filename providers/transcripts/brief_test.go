package transcripts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestBrief: what sessions say of the folder in which they worked.
func TestBrief(t *testing.T) {
	home := tempHome(t)
	one := piSession(t, home, "0b0e2bd1-1111-4000-8000-000000000001")
	one.user("add a cart to the shop")
	one.call("c1", "todo_write", "ok", map[string]any{"todos": []any{
		map[string]any{"content": "write the cart", "status": "completed"},
		map[string]any{"content": "write its tests", "status": "in_progress"},
	}})
	one.call("c2", "bash", "FAIL shop/cart\nundefined: total", map[string]any{"command": "cd " + filepath.Join(home, "work") + " && go test ./... 2>&1 | tail -5"})
	one.call("c3", "bash", "ok", map[string]any{"command": "make lint"})
	f := start(t, home)
	f.clock.at.Store(time.Date(2026, 5, 12, 2, 0, 0, 0, time.UTC).UnixNano()) // an hour after what the log tells
	about := func(topic facts.Topic, dir string) (all []string) {
		for _, r := range f.Brief(dir) {
			if r.Topic == topic {
				all = append(all, r.Text+strings.Join(r.Cells, "|"))
			}
		}
		return all
	}
	has := func(topic facts.Topic, dir string, want ...string) bool {
		got := about(topic, dir)
		return len(got) == len(want) && !slices.ContainsFunc(want, func(w string) bool {
			return !slices.ContainsFunc(got, func(g string) bool { return strings.Contains(g, w) })
		})
	}
	cwd := filepath.Join(home, "work")
	f.await("the session is rendered", func() bool { return has(facts.TopicBuild, cwd, "`make lint` worked") })
	for topic, want := range map[facts.Topic]string{
		facts.TopicFailing: "`go test ./...` failed", facts.TopicSessions: "1 of 2 tasks open", facts.TopicAgents: "0b0e2bd1-1111-4000-8000-000000000001|",
	} {
		if !has(topic, cwd, want) {
			t.Errorf("%s: %q, want one with %q", topic, about(topic, cwd), want)
		}
	}
	for _, r := range f.Brief(cwd) {
		if r.Path != "" && r.Topic != facts.TopicAgents && r.Path != "by-id/0b0e2bd1/digest.md" {
			t.Errorf("the path of a session: %q", r.Path)
		}
		if r.Path != "" && !f.exists(r.Path) {
			t.Errorf("%s is not there", r.Path)
		}
	}
	if f.exists("by-id/0b0e2bd") || f.exists("by-id/0b0e2bd2") {
		t.Error("a session is found by less of its id than names it, or by another")
	}
	if !has(facts.TopicBuild, home, "in work/: `make lint` worked") || !has(facts.TopicFailing, home, "in work/: `go test ./...` failed") {
		t.Errorf("from above: %q, %q", about(facts.TopicBuild, home), about(facts.TopicFailing, home))
	}
	if got := f.Brief(cwd + "2"); len(got) != 0 {
		t.Errorf("another folder: %+v", got)
	}
	one.call("c4", "bash", "ok", map[string]any{"command": "go test ./..."})
	f.await("the tests work", func() bool {
		return has(facts.TopicBuild, cwd, "`make lint` worked", "`go test ./...` worked") && has(facts.TopicFailing, cwd)
	})
	text := about(facts.TopicSessions, cwd)
	one.raw(`{"type":"custom","id":"x","timestamp":"2026-05-12T01:05:59Z"}` + "\n") // it grows, and says nothing
	two := piSession(t, home, "0b0e2bd2-1111-4000-8000-000000000001")
	two.user("another one")
	f.await("both are alive, and read as far as they go", func() bool {
		return len(about(facts.TopicAgents, cwd)) == 2 && strings.Contains(strings.Join(about(facts.TopicSessions, cwd), "\n"), "another one")
	})
	both := about(facts.TopicSessions, cwd)
	if !slices.Contains(both, text[0]) || !strings.HasPrefix(text[0], "pi, now: add a cart to the shop — at work") {
		t.Errorf("%q, before %q", both, text)
	}
	one.raw(`{"type":"custom","id":"y","timestamp":"2026-05-12T01:07:59Z"}` + "\n")
	two.user("go on")
	f.await("the other goes on", func() bool { return slices.Equal(about(facts.TopicSessions, cwd), both) })
	fstest.Must(t, os.Remove(two.path))
	f.await("one is left", func() bool { return len(about(facts.TopicSessions, cwd)) == 1 })
	one.assistant("It works. Shall I commit it? I have not pushed anything.")
	f.await("it asks", func() bool { return has(facts.TopicSessions, cwd, "asked: Shall I commit it?; 1 of 2 tasks open") })
	one.user("yes")
	f.await("it is answered", func() bool {
		return has(facts.TopicSessions, cwd, "1 of 2 tasks open") && !has(facts.TopicSessions, cwd, "asked")
	})
	f.Close()
	clock := f.clock
	f = start(t, home)
	f.clock.at.Store(clock.at.Load())
	f.await("it is alive after a restart", func() bool { return has(facts.TopicSessions, cwd, "pi, now: ") })
	visits := f.Visits(f.clock.now().Add(-time.Hour))
	if len(visits) != 1 || visits[0].Dir != cwd || !visits[0].Certain {
		t.Errorf("visits: %+v", visits)
	}
}
