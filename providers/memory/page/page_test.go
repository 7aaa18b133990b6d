package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/memory/fact"
)

// TestContradictions: of a pair only the newer one names the other, the time says which
// that is on one day, and a summary has no room for them before other memories.
func TestContradictions(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	older := &Entry{Path: "user/a.md", Description: "Use tabs", Type: fact.Preference, Modified: at}
	newer := &Entry{Path: "user/b.md", Description: "Use spaces", Type: fact.Preference, Modified: at.Add(time.Second), Differs: []*Entry{older}}
	older.Differs = []*Entry{newer}
	fstest.Equal(t, older.Line(), "- user/a.md — Use tabs [preference, 2026-05-01 12:00:00]\n", "older one")
	fstest.Equal(t, newer.Line(), "- user/b.md — Use spaces [preference, 2026-05-01 12:00:01]\n  - differs from user/a.md (2026-05-01 12:00:00): Use tabs\n", "newer one")

	all := []*Entry{older, newer}
	for i := range 4 {
		all = append(all, &Entry{Path: fmt.Sprintf("user/%d.md", i), Description: fmt.Sprintf("Other %d", i), Type: fact.Preference, Modified: at})
	}
	project := &Entry{Path: "shop/s.md", Description: "The shop has no tabs", Type: fact.Fact, Modified: at}
	older.Differs = append(older.Differs, project)
	w := NewWriter()
	s := Section{Name: "user", Title: "the user", Entries: all, Pushed: Pushed(all)}
	want := "- Use spaces (2026-05-01 12:00:01)\n  - but Use tabs (2026-05-01 12:00:00)\n- Other 0\n"
	if got := string(w.Summary([]Section{s})); !strings.Contains(got, want) || !strings.Contains(got, "Other 3") {
		t.Errorf("%q is not in the summary:\n%s", want, got)
	}
	newer.Differs = []*Entry{project}
	older.Differs = nil
	full, room := w.section(s, Budget, Budget)
	fstest.Contains(t, full, "  - but shop/s.md: The shop has no tabs (2026-05-01 12:00:00)\n")
	if tight, _ := w.section(s, room-5, room-5); strings.Contains(tight, "but") || !strings.Contains(tight, "Other 3") || !strings.Contains(tight, "Use tabs") {
		t.Errorf("with little room:\n%s", tight)
	}
}
