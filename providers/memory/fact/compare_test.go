package fact

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func memory(text string) *Memory {
	return Parse([]byte(text), Origin{Name: "m", Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), ModTime: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)})
}

func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b   string
		differ bool
	}{
		{"Always use tabs.", "Never use tabs", true},
		{"Use tabs for indentation", "Use spaces for indentation", true},
		{"We use npm", "Use pnpm for everything in the monorepo", true},
		{"The user prefers tabs over spaces", "The user prefers spaces over tabs", true},
		{"Use tabs, not spaces", "Use spaces, not tabs", true},
		{"The staging port is 8080", "The staging port is 9090", true},
		{"The default branch is main", "The default branch is master", true},
		{"The shop is written in Go", "The shop is written in Rust", true},
		{"Deploy on Fridays", "Do not deploy on Fridays", true},
		{"Never push to main", "Push to main after review", true},
		{"Immer Tabs verwenden", "Niemals Tabs verwenden", true},
		{"Siempre usar tabs", "Nunca usar tabs", true},
		{"总是用制表符缩进", "不要用制表符缩进", true},
		{"Node 22 is required", "Node 20 is required", false}, // two facts might hold; the number names the thing
		{"The API runs on Node 22", "The API runs on Node 20", true},

		{"The retry limit is 5 seconds", "The retry limit is 3 seconds", true},
		{"The service runs on python2", "The service runs on python3", true},

		{"Durable thing number 1 zeta", "Durable thing number 2 zeta", false},
		{"A fact about topic1 and thing2", "A fact about topic3 and thing4", false},
		{"Remember topic12 of the list", "Remember topic13 of the list", false},
		{"The docs page is for topic1", "The docs page is for topic2", false},
		{"The limit of queue 3 is 100", "The limit of queue 4 is 200", false},
		{"Never touch file 12 of the importer", "Touch file 13 of the importer first", false},
		{"The lesson learned is in ticket 4711", "The lesson learned is in ticket 4712", false},
		{"The release was on 2026-03-01", "The release was on 2026-03-02", false},
		{"Use tabs", "use tabs!", false},
		{"The backend uses npm", "The frontend uses pnpm", false},
		{"Issue 12 is fixed", "Issue 13 is fixed", false},
		{"Always run make lint", "Always run make test", false},
		{"Never commit generated files", "Never commit secrets", false},
		{"The tests are slow", "The tests need a database", false},
		{"Amounts are integer cents", "Paths are plural", false},
		{"Don't use npm", "Use pnpm", false},
		{"Tests live in tests/", "Tests live in tests/ and fixtures in testdata/", false},
	} {
		a, b := memory(c.a), memory(c.b)
		if got := Differ(a, b); got != c.differ || Differ(b, a) != got {
			t.Errorf("%q and %q: %v (%+v, %+v)", c.a, c.b, got, a.claim, b.claim)
		}
		comparer := NewComparer()
		if got, _ := comparer.Differences([]*Memory{a, b}); (len(got) == 2) != c.differ {
			t.Errorf("%q and %q: together %v", c.a, c.b, got)
		}
		if got, _ := comparer.Differences([]*Memory{a}); len(got) != 0 {
			t.Errorf("%q differs from what is gone: %v", c.a, got)
		}
		if got, _ := comparer.Differences([]*Memory{b, a}); (len(got) == 2) != c.differ {
			t.Errorf("%q and %q: later %v", c.a, c.b, got)
		}
	}
	same := func(a, b string) bool { return Same(memory(a), memory(b)) }
	if !same("Use **tabs**.\n", "use tabs") || same("use tabs", "use spaces") || same("不要", "要") {
		t.Error("equal texts are not the same, or others are")
	}
	a := memory("---\ndescription: how amounts are stored\n---\nAs cents.")
	b := memory("---\ndescription: How amounts are stored.\n---\nAs floats.")
	if !Differ(a, b) {
		t.Error("one description with two texts is no contradiction")
	}
	if more := memory("---\ndescription: how amounts are stored\n---\nAs cents. And in tests, too."); Differ(a, more) {
		t.Error("to say more is a contradiction")
	}
	other := memory("Never use tabs")
	mine := memory("Always use tabs")
	other.Scope, mine.Scope = "/a", "/b"
	if Differ(other, mine) {
		t.Error("two projects contradict each other")
	}
}

// TestDifferencesFew: what contradicts many others is not shown with all of them, and not
// more pairs are shown than anybody reads.
func TestDifferencesFew(t *testing.T) {
	const many = 12
	var all []*Memory
	for i := range many {
		m := memory(fmt.Sprintf("The staging port is 80%02d", i))
		m.Path = fmt.Sprintf("%02d", i)
		all = append(all, m)
	}
	strong := memory("The staging port is not 8000")
	all = append(all, strong)
	shown, more := NewComparer().Differences(all)
	pairs := 0
	for m, others := range shown {
		pairs += len(others)
		if len(others) > mostOthers {
			t.Errorf("%q differs from %d others", m.Description, len(others))
		}
		for _, o := range others {
			if !slices.Contains(shown[o], m) {
				t.Errorf("%q differs from %q, which does not differ from it", m.Description, o.Description)
			}
		}
	}
	if !slices.Contains(shown[strong], all[0]) || pairs/2+more != many*(many-1)/2+1 {
		t.Errorf("%d pairs are shown, %d are not: %v", pairs/2, more, shown[strong])
	}

	all = nil
	for i := range 3 * mostPairs {
		word := string([]rune{'a' + rune(i%26), 'a' + rune(i/26%26), 'q'})
		all = append(all, memory("Always use "+word), memory("Never use "+word))
	}
	shown, more = NewComparer().Differences(all)
	if len(shown) != 2*mostPairs || more != 2*mostPairs {
		t.Errorf("%d are shown, %d pairs are not", len(shown), more)
	}
}
