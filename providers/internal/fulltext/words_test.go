package fulltext

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestWords(t *testing.T) {
	f := newFixture(t)
	f.say("a",
		"renamed createIssue in tracker/create_issue.go",     // 1
		"the migrations were rolled back",                    // 2
		"天気予報を確認する",                                          // 3
		"Café au lait",                                       // 4
		"commit 4f2a9c01d7e6b5a4938271605f4e3d2c1b0a9f8e",    // 5
		"HTTPServer listens on port 8080",                    // 6
		"an issue, and later something else to create",       // 7
		"we will create an issue for it",                     // 8
		"<<<<<<< "+strings.Repeat("QUJD", 100)+" >>>>>>>",    // 9: data
		"### not a heading, and the number of it is 10 then", // 10
	)
	table := []struct{ words, want string }{
		{"createIssue", "a/1"}, // has it joined: before those with its parts
		{"migration rollback", "a/2"},
		{"Rolled BACK migrating", "a/2"},
		{"予報", "a/3"},
		{"天気", "a/3"},
		{"天", "a/3"}, // the first character, one within, the last
		{"予", "a/3"},
		{"る", "a/3"},
		{"報 cafe", "a/3"},
		{"雨", ""},
		{"cafe", "a/4"},
		{"4f2a9c01d7e6b5a4938271605f4e3d2c1b0a9f8e", "a/5"},
		{"http server", "a/6"},
		{"httpserver", "a/6"},
		{"8080", "a/6"},
		{"could you please tell me where the migrations are", "a/2"},
		{"heading number", "a/10"},
		{"QUJD", ""},
		{"the of and", ""},
		{"", ""},
		{"\x00/\xff", ""},
		{"typed", "a/9"}, // in every heading: the shortest block
	}
	test := func(where string) {
		t.Helper()
		for _, one := range table {
			if got, _, _ := strings.Cut(f.found(one.words), " "); got != one.want {
				t.Errorf("%s: %q finds %q, not %q", where, one.words, got, one.want)
			}
		}
		// All words before most, side by side before apart.
		if got := f.found("create issue"); got != "a/1 a/8 a/7" && got != "a/8 a/1 a/7" {
			t.Errorf("%s: %s", where, got)
		}
	}
	test("as it is")
	f.say("b", padding("filler")...)
	f.index()
	if f.covered("a") == 0 {
		t.Fatal("it is not indexed")
	}
	test("indexed")
}

func TestHit(t *testing.T) {
	f := newFixture(t)
	f.say("a", "hello", "first line\n"+strings.Repeat("many words stand before it ", 20)+"the zebra crosses the road "+strings.Repeat("and go on ", 50)+"\nlast")
	h := f.hits("zebra crosses", 1)[0]
	if h.Number != 2 || h.Kind != "user" || h.Name != "typed" || h.Time.Second() != 2 {
		t.Errorf("%+v", h)
	}
	if len(h.Line) > lineLength || !strings.Contains(h.Line, "the zebra crosses the road") || !strings.HasPrefix(h.Line, "…") || !strings.HasSuffix(h.Line, "…") {
		t.Errorf("%d bytes: %q", len(h.Line), h.Line)
	}
	if body := f.texts["a"].body; !strings.HasPrefix(string(body[h.Offset:]), "### [a/00002] ") {
		t.Errorf("offset %d", h.Offset)
	}
}

// TestLongBlock: a block of many pieces is one hit, with its own number.
func TestLongBlock(t *testing.T) {
	f := newFixture(t)
	f.say("a", "hello", strings.Repeat("a zebra among others\n", 3000), "bye")
	fstest.Equal(t, f.found("zebra"), "a/2")
	f.say("a", strings.Repeat("line without it\n", 60_000)+"a lion at the end\n", "bye")
	f.index()
	if f.covered("a") == 0 {
		t.Fatal("it is not indexed")
	}
	fstest.Equal(t, f.found("zebra"), "a/2")
	fstest.Equal(t, f.found("lion"), "a/4")
}

// TestOneSession: one session does not fill a list that others are part of, and a
// text is not found twice.
func TestOneSession(t *testing.T) {
	f := newFixture(t)
	for i := range 20 {
		f.say("a", "zebra zebra "+strings.Repeat("x", i+2))
	}
	for _, s := range []string{"b", "c", "d", "e", "f", "g", "h", "i"} {
		f.say(s, "once there was a zebra in the land of "+s+s)
	}
	f.say("j", "once there was a zebra in the land of ii") // the newest of two
	hits := f.hits("zebra", 10)
	counts := make(map[string]int)
	for _, h := range hits {
		counts[h.Text.Session]++
	}
	if len(hits) != 10 || counts["a"] != 2 || counts["i"] != 0 || counts["j"] != 1 {
		t.Errorf("%v", counts)
	}
}

// TestRecent: of equally good hits the newest comes first.
func TestRecent(t *testing.T) {
	f := newFixture(t)
	for _, s := range []string{"a", "b", "c"} { // each newer than the last
		f.say(s, "zebra "+s+s)
	}
	fstest.Equal(t, f.found("zebra"), "c/1 b/1 a/1")
}
