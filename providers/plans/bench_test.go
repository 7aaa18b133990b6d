package plans

import (
	"fmt"
	"testing"
)

// BenchmarkLook: what a look costs over 10,000 sessions, of which every tenth has a list
// of ten tasks: when nothing has changed, and when one session has.
func BenchmarkLook(b *testing.B) {
	w := newWorld(b, nil)
	for i := range 10_000 {
		if i%10 != 0 {
			w.session("codex", fmt.Sprintf("s%05d", i), "src/shop")
			continue
		}
		var tasks []string
		for j := range 10 {
			tasks = append(tasks, fmt.Sprintf("%s task %d of the list number %d", []string{"completed", "pending"}[j%2], j, i))
		}
		w.session("codex", fmt.Sprintf("s%05d", i), fmt.Sprintf("src/p%d", i%40), list(at(1).AddDate(0, 0, -i/100), tasks...))
	}
	w.start(false)
	w.Look()
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			w.Look()
		}
	})
	b.Run("one session", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			w.session("codex", "s00010", "src/shop", list(at(2), fmt.Sprintf("pending something new %d times", n)))
			w.Look()
		}
	})
}
