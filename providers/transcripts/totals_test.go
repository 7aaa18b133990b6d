package transcripts

import (
	"maps"
	"testing"

	"ctxfs/providers/transcripts/catalogue"
)

// checkTotals compares what Status shows with a new count.
func (f *fixture) checkTotals() {
	f.t.Helper()
	want := catalogue.Summary{Agents: make(map[string]int)}
	f.catalogue.Each(func(s *catalogue.Session, v *catalogue.View) {
		if v.Parent == nil {
			want.Sessions++
			want.Agents[s.Agent]++
		}
		p := &v.Published
		if size, ok := v.Log(); ok {
			want.Size += size
			if p.Generation > 0 || p.Fault != "" {
				want.Done += min(max(p.Offset, 0), size)
			}
		}
		if v.Behind && !p.Evicted && (!v.Live || p.Generation == 0) {
			want.Left++
		}
	})
	var faulty, unreadable int
	f.catalogue.Each(func(_ *catalogue.Session, v *catalogue.View) {
		if v.Published.Fault != "" || v.Published.Strange {
			faulty++
		}
	})
	for _, path := range f.catalogue.Unseen("", nil) {
		if file := f.catalogue.File(path); file.Fault != "" && len(file.Sessions) == 0 {
			unreadable++
		}
	}
	got := f.catalogue.Summarize(1 << 20)
	if got.Sessions != want.Sessions || got.Size != want.Size || got.Done != want.Done || got.Left != want.Left ||
		!maps.Equal(got.Agents, want.Agents) || len(got.Faulty) != faulty || len(got.Unreadable) != unreadable {
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
