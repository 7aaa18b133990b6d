package names

import (
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestFile(t *testing.T) {
	for in, want := range map[string]string{
		"create_issue": "create_issue", "a/b": "a_b", "..": "__", "": "_", "a.b": "a_b",
		"x\ny": "x_y", "größe": "größe", "gro\u0308ße": "größe", "検索": "検索", "a b-c": "a_b-c", "\xff": "_",
	} {
		fstest.Equal(t, File(in), want, "File", in)
	}
	long, other := File(strings.Repeat("ä", 150)), File(strings.Repeat("ä", 151))
	if len(long) > maxLen || long == other {
		t.Errorf("long names: %q %q", long, other)
	}
}

func TestAssign(t *testing.T) {
	got := Assign([]string{"Read", "read", "a/b", "a.b", "A_B"})
	if want := []string{"Read", "read~2", "a_b", "a_b~2", "A_B~3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
