package transcripts

import (
	"ctxfs/providers/transcripts/event"
	"fmt"
	"testing"
	"time"
)

// TestTheOrderOfForks: whatever sessions say, none repeats one that repeats it,
// and what is repeated by what is repeated is repeated.
func TestTheOrderOfForks(t *testing.T) {
	const n = 5
	for seed := range 2000 {
		c := newCatalogue("")
		var all []*session
		x := uint32(seed)*2654435761 + 12345
		next := func(below int) int {
			x = x*1664525 + 1013904223
			return int(x>>8) % below
		}
		for i := range n {
			s := &session{agent: "pi", id: fmt.Sprint(i), sources: []*source{{birth: time.Unix(0, 0).Add(-1 << uint(30+next(5)))}}}
			if to := next(n + 2); to < n {
				s.info.ForkOf = fmt.Sprint(to)
			}
			if next(3) > 0 {
				s.firstRecord = "pi\x00" + fmt.Sprint(next(2))
			}
			c.byID[sessionKey{"pi", s.id}] = s
			c.index(s, true)
			c.relate(s)
			all = append(all, s)
		}
		var visit func(s *session, above []*session)
		visit = func(s *session, above []*session) {
			for _, o := range above {
				if o == s {
					t.Fatalf("seed %d: session %s repeats itself", seed, s.id)
				}
			}
			e := c.earlier(s)
			before := make(map[*session]bool)
			e.each(func(o *session) {
				for _, first := range append(c.earlier(o).ancestors, o) {
					before[first] = true
				}
				visit(o, append(above[:len(above):len(above)], s))
			})
			if len(before) != e.count() || (e.sum == 0) != (len(before) == 0) {
				t.Fatalf("seed %d: session %s repeats %d sessions, those and what they repeat are %d", seed, s.id, e.count(), len(before))
			}
		}
		for _, s := range all {
			visit(s, nil)
		}
	}
}

// TestNobodyIsWaitedFor: a subagent that is gone no longer waits for the session
// that has started it.
func TestNobodyIsWaitedFor(t *testing.T) {
	c := newCatalogue("")
	now := time.Unix(1_800_000_000, 0)
	c.put(&file{path: "/child", agent: "pi"}, []found{{source: &source{path: "/child"}, info: event.Session{ID: "child", Parent: "parent"}}}, now)
	if len(c.orphans) != 1 {
		t.Fatalf("%d are waited for", len(c.orphans))
	}
	c.drop("/child", now)
	if len(c.orphans) != 0 {
		t.Errorf("%d are waited for", len(c.orphans))
	}
}
