package transcripts

import "testing"

// checkTotals counts anew what Status tells.
func (f *fixture) checkTotals() {
	f.t.Helper()
	c := f.list
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := newCatalogue(c.home)
	fresh.byID, fresh.files = c.byID, c.files
	was := make(map[*session]share)
	for _, s := range c.byID {
		was[s], s.counted = s.counted, share{}
		fresh.count(s)
		s.counted = was[s]
	}
	for _, file := range c.files {
		fresh.countFile(file)
	}
	got, want := &c.totals, &fresh.totals
	if got.sessions != want.sessions || got.size != want.size || got.done != want.done || got.left != want.left ||
		len(got.perAgent) != len(want.perAgent) || len(got.faulty) != len(want.faulty) || len(got.unlisted) != len(want.unlisted) {
		f.t.Errorf("the totals are %+v, not %+v", *got, *want)
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
