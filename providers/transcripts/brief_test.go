package transcripts

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
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
	one.call("c2", "bash", "FAIL shop/cart\nundefined: total", map[string]any{"command": "cd " + home + " && go test ./... 2>&1 | tail -5"})
	one.call("c3", "bash", "ok", map[string]any{"command": "make lint"})
	f := start(t, home)
	about := func(topic fs.Topic, dir string) (all []string) {
		for _, r := range f.Brief(dir) {
			if r.Topic == topic {
				all = append(all, r.Text+strings.Join(r.Cells, "|"))
			}
		}
		return all
	}
	has := func(topic fs.Topic, dir string, want ...string) bool {
		got := about(topic, dir)
		return len(got) == len(want) && !slices.ContainsFunc(want, func(w string) bool {
			return !slices.ContainsFunc(got, func(g string) bool { return strings.Contains(g, w) })
		})
	}
	cwd := filepath.Join(home, "work")
	f.await("the session is rendered", func() bool { return has(fs.TopicBuild, cwd, "`make lint` worked") })
	for topic, want := range map[fs.Topic]string{
		fs.TopicFailing: "`go test ./...` failed", fs.TopicTasks: "write its tests (begun, pi", fs.TopicSessions: "1 of 2 tasks open", fs.TopicAgents: "0b0e2bd1-1111-4000-8000-000000000001|",
	} {
		if !has(topic, cwd, want) {
			t.Errorf("%s: %q, want one with %q", topic, about(topic, cwd), want)
		}
	}
	if got := f.Brief(cwd + "2"); len(got) != 0 {
		t.Errorf("another folder: %+v", got)
	}
	one.call("c4", "bash", "ok", map[string]any{"command": "go test ./..."})
	f.await("the tests work", func() bool {
		return has(fs.TopicBuild, cwd, "`make lint` worked", "`go test ./...` worked") && has(fs.TopicFailing, cwd)
	})
	visits := f.Visits(f.clock.now().Add(-time.Hour))
	if len(visits) != 1 || visits[0].Dir != cwd || !visits[0].Settled {
		t.Errorf("visits: %+v", visits)
	}
}
