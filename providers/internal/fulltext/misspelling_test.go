package fulltext

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestMisspelt: a word that no text has finds the word that was meant, and one that
// a text has only itself.
func TestMisspelt(t *testing.T) {
	f := newFixture(t)
	f.say("a",
		"the permissions of the deployment were checked",      // 1
		"a screenshot of the weather in the morning",          // 2
		"cheks that bounced, and no others",                   // 3: somebody's own word
		"погода была хорошая",                                 // 4
		"check the rest, check it twice, check it once again", // 5
		"the chalk on the board",                              // 6
		"commit abcdef12 of release7",                         // 7
	)
	test := func(where string) {
		t.Helper()
		for _, one := range []struct{ words, want string }{
			{"permision deploymnet", "a/1"},
			{"premissions", "a/1"},
			{"weahter screenshto", "a/2"},
			{"teh weahter", "a/2"},
			{"wheather", "a/2"},
			{"cheks", "a/3"},
			{"chekc", "a/5"}, // the most frequent of the nearest
			{"hcalk", "a/6"},
			{"погоад", "a/4"},
			{"weather", "a/2"},
			{"weathermen", ""},
			{"zzzzzzzzzz", ""},
			{"wthr", ""},
			{"abcdef13", ""}, // another one
			{"release8", ""},
			{"releaes", ""},
		} {
			if got, _, _ := strings.Cut(f.found(one.words), " "); got != one.want {
				t.Errorf("%s: %q finds %q, not %q", where, one.words, got, one.want)
			}
		}
	}
	test("as it is")
	f.say("b", padding("filler")...)
	f.index()
	if f.covered("a") == 0 {
		t.Fatal("it is not indexed")
	}
	test("indexed")
	f.say("a", "wheather of our own") // 8: from now on somebody used it
	fstest.Equal(t, f.found("wheather"), "a/8")
}
