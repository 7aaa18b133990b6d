package learned

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

var now = time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)

// use is a use of a tool, days ago.
func use(tool, want string, days int) facts.Use {
	return facts.Use{Used: facts.Used{Kind: "tool", Server: "shop", Name: tool}, Want: want, Time: now.AddDate(0, 0, -days)}
}

// failed is a use that did not work.
func failed(u facts.Use, how facts.UseOutcome) facts.Use {
	u.Outcome = how
	return u
}

func session(name string, uses ...facts.Use) part {
	return part{Name: name, Version: "1", Path: "transcripts/" + name, Facts: uses}
}

type part = facts.Part[facts.Use]

// learn learns from all parts.
func (b *Book) learn(all []part) bool {
	return b.Refresh(context.Background(), func(context.Context, func(string) string) iter.Seq[part] { return slices.Values(all) })
}

func open(t *testing.T, dir string) *Book {
	t.Helper()
	b, err := Open(filepath.Join(dir, "cache"), filepath.Join(dir, "state"))
	fstest.Must(t, err)
	return b
}

// weights returns the wants of the topics with their weights.
func weights(b *Book) (all []string) {
	for _, topic := range b.Topics(now) {
		for _, w := range topic.Wants {
			all = append(all, fmt.Sprintf("%s: %s %.2f", topic.Name, w.Text, w.Weight))
		}
	}
	return all
}

func expect(t *testing.T, b *Book, want ...string) {
	t.Helper()
	fstest.Equal(t, strings.Join(weights(b), "\n"), strings.Join(want, "\n"))
}

// TestVotes: a want counts once in a session, and once whoever repeats it; it fades,
// and failures and denials count against it.
func TestVotes(t *testing.T) {
	const want = "this laptop is too pricey"
	t.Run("repeated in a session", func(t *testing.T) {
		b := open(t, t.TempDir())
		var all []facts.Use
		for range 50 {
			all = append(all, use("search", want, 0))
		}
		b.learn([]part{session("one", all...)})
		expect(t, b, "search: "+want+" 1.00")
	})
	t.Run("repeated in many sessions", func(t *testing.T) {
		b := open(t, t.TempDir())
		b.learn([]part{session("a", use("search", want, 0)), session("b", use("search", want+"!", 0)), session("c", use("search", "laptop too pricey", 0))})
		if topics := b.Topics(now); len(topics[0].Wants) != 1 || topics[0].Wants[0].Sessions != 3 || topics[0].Uses != 3 {
			t.Errorf("%+v", topics)
		}
	})
	t.Run("fading", func(t *testing.T) {
		b := open(t, t.TempDir())
		b.learn([]part{session("a", use("search", "half as old", 120)), session("b", use("search", "ancient history", 3000))})
		expect(t, b, "search: half as old 0.50")
	})
	t.Run("failures", func(t *testing.T) {
		b := open(t, t.TempDir())
		b.learn([]part{
			session("a", failed(use("buy", "cheap phone", 0), facts.Failed)), session("b", failed(use("buy", "cheap laptop offers", 0), facts.Denied)),
			session("c", use("buy", "cheap red phone cover", 0), failed(use("buy", "cheap red phone cover", 0), facts.Failed)),
		})
		expect(t, b, "buy: cheap phone -1.00", "buy: cheap laptop offers -1.00", "buy: cheap red phone cover 0.00")
		if topic := b.Topics(now)[0]; topic.Failed != 3 || topic.Uses != 4 {
			t.Errorf("%+v", topic)
		}
	})
	t.Run("one session's share", func(t *testing.T) {
		b := open(t, t.TempDir())
		var all []facts.Use
		for i := range 40 {
			all = append(all, use("search", fmt.Sprintf("want%d of something%d", i, i), 0))
		}
		b.learn([]part{session("one", all...)})
		fstest.Equal(t, len(weights(b)), mostOfSession)
	})
	t.Run("bounds", func(t *testing.T) {
		b := open(t, t.TempDir())
		var all []part
		for i := range 100 {
			all = append(all, session(fmt.Sprint(i), use("search", fmt.Sprintf("want%d of something%d", i, i), i)))
		}
		b.learn(all)
		if got := weights(b); len(got) != mostWants || !strings.Contains(got[0], "want0 ") {
			t.Errorf("%q", got)
		}
	})
	t.Run("the agent's words", func(t *testing.T) {
		b := open(t, t.TempDir())
		u := use("search", "too pricey", 0)
		u.Said = "Let me look for offers"
		b.learn([]part{session("one", u)})
		expect(t, b, "search: too pricey 1.00", "search: Let me look for offers 0.50")
	})
}

// TestNames: what agents write in different ways can be forgotten by any name.
func TestNames(t *testing.T) {
	b := open(t, t.TempDir())
	b.learn([]part{
		session("a", facts.Use{Used: facts.Used{Kind: "tool", Server: "my-shop", Name: "search"}, Want: "one thing", Time: now}),
		session("b", facts.Use{Used: facts.Used{Kind: "tool", Name: "my_shop_search"}, Want: "another matter", Time: now}),
		session("c", facts.Use{Used: facts.Used{Kind: "skill", Name: "my_shop_search"}, Want: "skilled work", Time: now}),
	})
	if n, err := b.Forget(facts.Used{Kind: "tool", Server: "My Shop", Name: "search"}, now); n != 2 || err != nil {
		t.Error(n, err)
	}
	expect(t, b, "my_shop_search: skilled work 1.00")
}

// TestSecrets: no secret is on disk or on the page.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	u := use("search", "look with the token "+secret+"\x1b[31m\u202e", 0)
	u.Said = "I use password=" + "hunter2hunter2xyzzy9" + " now"
	b.learn([]part{session("one", u)})
	fstest.Must(t, b.Save())
	text, err := os.ReadFile(filepath.Join(dir, "cache", bookName))
	fstest.Must(t, err)
	page := string(Page(b.Topics(now), func(facts.Used) string { return "" }))
	for _, all := range []string{string(text), page} {
		if strings.Contains(all, secret) || strings.Contains(all, "hunter2") || strings.ContainsAny(all, "\x1b\u202e") || !strings.Contains(all, "look with the token") {
			t.Errorf("%q", all)
		}
	}
}

// TestForgotten: what was forgotten is not learned again from the same sessions, by
// this process or the next one; what is used later is.
func TestForgotten(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	all := []part{session("one", use("search", "too pricey", 2), use("buy", "take my money", 2))}
	b.learn(all)
	if n, err := b.Forget(facts.Used{Kind: "tool", Name: "shop_search"}, now); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	expect(t, b, "buy: take my money 0.99")
	for _, path := range []string{"cache", "state"} {
		text, _ := os.ReadFile(filepath.Join(dir, path, map[string]string{"cache": bookName, "state": forgottenName}[path]))
		if strings.Contains(string(text), "pricey") {
			t.Errorf("%s: %s", path, text)
		}
	}
	fstest.Must(t, os.RemoveAll(filepath.Join(dir, "cache")))
	next := open(t, dir)
	all[0].Facts = append(all[0].Facts, use("search", "show me cheaper ones", -1))
	next.learn(all)
	expect(t, next, "buy: take my money 0.99", "search: show me cheaper ones 1.00")
	if n, err := next.Forget(facts.Used{}, now.AddDate(0, 0, 2)); n != 3 || err != nil {
		t.Error(n, err)
	}
	expect(t, next)
}

// TestBook: the book is read again as it was; one that is damaged is made again, and
// what was forgotten is never guessed.
func TestBook(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	one, two := session("one", use("search", "too pricey", 0)), session("two", use("buy", "take my money", 0))
	if !b.learn([]part{one, two}) || b.learn([]part{{Name: "one", Version: "1", Unchanged: true, Path: one.Path}, {Name: "two", Version: "1", Unchanged: true, Path: two.Path}}) {
		t.Error("changes are not known")
	}
	fstest.Must(t, b.Save())
	again := open(t, dir)
	expect(t, again, weights(b)...)
	again.Refresh(t.Context(), func(_ context.Context, known func(string) string) iter.Seq[part] {
		if known("one") != "1" || known("three") != "" {
			t.Error("versions")
		}
		return slices.Values([]part{{Name: "one", Version: "1", Path: one.Path, Unchanged: true}, {Name: "two", Version: "1", Path: two.Path, Unchanged: true}})
	})
	again.learn([]part{{Name: "one", Unchanged: true}})
	expect(t, again, "search: too pricey 1.00")
	path := filepath.Join(dir, "cache", bookName)
	text, err := os.ReadFile(path)
	fstest.Must(t, err)
	for i := range text { // killed while writing, or damaged by something else
		fstest.Must(t, os.WriteFile(path, text[:i], 0o600))
		cut := open(t, dir)
		cut.learn([]part{one, two})
		expect(t, cut, weights(b)...)
	}
	fstest.Must(t, os.MkdirAll(filepath.Join(dir, "state"), 0o700))
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "state", forgottenName), []byte("{\n"), 0o600))
	if _, err := Open(filepath.Join(dir, "cache"), filepath.Join(dir, "state")); err == nil {
		t.Error("a damaged list of what was forgotten")
	}
}

// TestUnwritable: without a place to write to, it is learned all the same, and
// forgetting says that it cannot last.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"cache", "state"} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	b, err := Open(filepath.Join(dir, "cache"), filepath.Join(dir, "state"))
	if err == nil {
		t.Error("the list of what was forgotten can be read from a file's inside")
	}
	b.learn([]part{session("one", use("search", "too pricey", 0))})
	expect(t, b, "search: too pricey 1.00")
	if b.Save() == nil {
		t.Error("it was saved")
	}
	if _, err := b.Forget(facts.Used{}, now); err == nil {
		t.Error("it was forgotten")
	}
}

// TestPage: the page is bounded, and says what was learned and where.
func TestPage(t *testing.T) {
	b := open(t, t.TempDir())
	var all []part
	for i := range 300 {
		all = append(all, session(fmt.Sprint("session", i), use(fmt.Sprint("tool", i), fmt.Sprintf("want%d of something%d", i, i), i)))
	}
	all = append(all, session("last", failed(use("buy", "take my money", -1), facts.Denied)))
	b.learn(all)
	page := string(Page(b.Topics(now), func(u facts.Used) string {
		if u.Name == "buy" {
			return "shop/buy"
		}
		return ""
	}))
	if len(page) > mostPage+100 {
		t.Errorf("%d bytes", len(page))
	}
	for _, want := range []string{"\n## shop/buy (tool)\n1 used, 1 failed or denied, last 2026-05-13\n- ✗ take my money 2026-05-13 transcripts/last\n", "## shop/tool0 (tool, not there now)", "more: ctxfs learned\n", "ctxfs learned --forget "} {
		fstest.Contains(t, page, want)
	}
	if page := string(Page(nil, nil)); !strings.HasSuffix(page, nothing) {
		t.Errorf("%s", page)
	}
}
