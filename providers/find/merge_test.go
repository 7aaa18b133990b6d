package find

import (
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs"
)

func TestMatchesInTextsMakeRoom(t *testing.T) {
	list := func(name string, scores ...float64) (all []fs.Match) {
		for i, score := range scores {
			all = append(all, fs.Match{Path: fmt.Sprint(name, i), Score: score})
		}
		return all
	}
	show := func(all []fs.Match) string {
		var names []string
		for i, m := range all {
			names = append(names, m.Path)
			if i > 0 && m.Score > all[i-1].Score {
				t.Errorf("scores are not in order: %+v", all)
			}
		}
		return strings.Join(names, " ")
	}
	for _, test := range []struct{ got, want string }{
		{show(textsLast(list("t", 5, 4, 3), list("s", 9, 8), 4)), "t0 t1 t2 s0"},
		{show(textsLast(list("t", 5, 4, 3), list("s", 9, 8), 3)), "t0 t1 t2"},
		{show(textsLast(list("t", 5, 4, 1, 1), list("s", 9, 8), 4)), "t0 t1 s0 s1"},
		{show(textsLast(list("t", 5, 1, 1, 1), list("s", 9), 4)), "t0 t1 t2 s0"},
		{show(textsLast(nil, list("s", 9, 8), 4)), "s0 s1"},
		{show(textsLast(list("t", 5), nil, 4)), "t0"},
		{show(titlesLast(list("s", 9, 8, 7, 6), list("t", 1, 1), 3, 4)), "s0 s1 s2 t0"},
		{show(titlesLast(list("s", 9, 8, 7, 6), nil, 3, 4)), "s0 s1 s2 s3"},
		{show(titlesLast(list("s", 9), list("t", 12, 1, 1, 1), 3, 4)), "s0 t0 t1 t2"},
		{show(titlesLast(nil, list("t", 12, 1), 3, 4)), "t0 t1"},
	} {
		if test.got != test.want {
			t.Errorf("%q, not %q", test.got, test.want)
		}
	}
}
