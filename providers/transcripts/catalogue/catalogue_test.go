package catalogue

import (
	"fmt"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/event"

	"ctxfs/providers/transcripts/source"
)

// TestTheOrderOfForks: whatever sessions say of each other, the order is strict and
// transitive.
func TestTheOrderOfForks(t *testing.T) {
	const n = 5
	for seed := range 2000 {
		c := New("")
		var all []*Session
		x := uint32(seed)*2654435761 + 12345
		next := func(below int) int {
			x = x*1664525 + 1013904223
			return int(x>>8) % below
		}
		for i := range n {
			s := &Session{Agent: "pi", ID: fmt.Sprint(i), sources: []*source.Source{{Birth: time.Unix(0, 0).Add(-1 << uint(30+next(5)))}}}
			if to := next(n + 2); to < n {
				s.info.ForkOf = fmt.Sprint(to)
			}
			if next(3) > 0 {
				s.firstRecord = "pi\x00" + fmt.Sprint(next(2))
			}
			c.known.byID[sessionKey{"pi", s.ID}] = s
			c.known.set(s, true)
			c.known.updateRelations(s)
			all = append(all, s)
		}
		var visit func(s *Session, above []*Session)
		visit = func(s *Session, above []*Session) {
			for _, o := range above {
				if o == s {
					t.Fatalf("seed %d: session %s repeats itself", seed, s.ID)
				}
			}
			e := c.Earlier(s)
			before := make(map[*Session]bool)
			e.each(func(o *Session) {
				for _, first := range append(c.Earlier(o).ancestors, o) {
					before[first] = true
				}
				visit(o, append(above[:len(above):len(above)], s))
			})
			if len(before) != e.Count() || (e.Sum == 0) != (len(before) == 0) {
				t.Fatalf("seed %d: session %s repeats %d sessions, those and what they repeat are %d", seed, s.ID, e.Count(), len(before))
			}
		}
		for _, s := range all {
			visit(s, nil)
		}
	}
}

// TestNobodyIsWaitedFor: a subagent that is gone no longer waits for its parent.
func TestNobodyIsWaitedFor(t *testing.T) {
	c := New("")
	now := time.Unix(1_800_000_000, 0)
	c.Put(&File{Path: "/child", Agent: "pi"}, []Found{{Source: &source.Source{Path: "/child"}, Info: event.Session{ID: "child", Parent: "parent"}}}, now)
	if len(c.tree.orphans) != 1 {
		t.Fatalf("%d are waited for", len(c.tree.orphans))
	}
	c.Drop("/child", now)
	fstest.Equal(t, len(c.tree.orphans), 0, "waited")
}
