package git

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyPaths: all are counted, a few are kept.
func TestManyPaths(t *testing.T) {
	w := newWorld(t)
	for i := range 500 {
		w.write(fmt.Sprintf("file-%03d", i), "")
	}
	s := w.read(w.dir)
	if s.Uncommitted.Untracked != 500 || len(s.Uncommitted.Paths) != maxPaths || !strings.Contains(s.Page(), "… and 470 more\n") {
		t.Errorf("got %+v\n%s", s.Uncommitted, s.Page())
	}
}
