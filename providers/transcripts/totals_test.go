package transcripts

import (
	"maps"
	"testing"
)

// checkTotals counts anew what Status tells.
func (f *fixture) checkTotals() {
	f.t.Helper()
	want := summary{agents: make(map[string]int)}
	f.catalogue.each(func(s *session, v *view) {
		if v.parent == nil {
			want.sessions++
			want.agents[s.agent]++
		}
		p := &v.published
		if size, ok := v.log(); ok {
			want.size += size
			if p.Generation > 0 || p.Fault != "" {
				want.done += min(max(p.Offset, 0), size)
			}
		}
		if v.behind && !p.Evicted && (!v.live || p.Generation == 0) {
			want.left++
		}
	})
	var faulty, unreadable int
	f.catalogue.each(func(_ *session, v *view) {
		if v.published.Fault != "" || v.published.Strange {
			faulty++
		}
	})
	for _, path := range f.catalogue.unseen("", nil) {
		if file := f.catalogue.file(path); file.fault != "" && len(file.sessions) == 0 {
			unreadable++
		}
	}
	got := f.catalogue.summarize(1 << 20)
	if got.sessions != want.sessions || got.size != want.size || got.done != want.done || got.left != want.left ||
		!maps.Equal(got.agents, want.agents) || len(got.faulty) != faulty || len(got.unreadable) != unreadable {
		f.t.Errorf("the totals are %+v, not %+v with %d faulty sessions and %d files", got, want, faulty, unreadable)
	}
}

// manySessions makes n sessions of Pi in one folder.
func manySessions(t testing.TB, home string, n int) {
	t.Helper()
	for i := range n {
		s := piSession(t, home, id(i))
		s.raw(s.line("user", textBlock("do this and that")) + s.line("assistant", textBlock("it is done")))
		s.touched(i % 1000)
	}
}
