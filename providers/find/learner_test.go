package find

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// shop is a provider of tools, and of what was used.
type shop struct {
	fs.Provider
	mu    sync.Mutex
	docs  []fs.Document
	parts []facts.Part[facts.Use]
}

func (s *shop) Documents(string) iter.Seq[fs.Document] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Values(slices.Clone(s.docs))
}

func (s *shop) Uses(_ context.Context, known func(string) string) iter.Seq[facts.Part[facts.Use]] {
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := slices.Clone(s.parts)
	for i := range parts {
		if known(parts[i].Name) == parts[i].Version {
			parts[i].Keep(parts[i].Version)
		}
	}
	return slices.Values(parts)
}

// used adds a session in which something was used after each of some wants.
func (s *shop) used(used facts.Used, outcome facts.UseOutcome, wants ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := facts.Part[facts.Use]{Name: fmt.Sprint("session", len(s.parts)), Version: "1", Path: "mcps/sessions/" + fmt.Sprint(len(s.parts))}
	for _, want := range wants {
		p.Facts = append(p.Facts, facts.Use{Used: used, Want: want, Outcome: outcome, Time: time.Now()})
	}
	s.parts = append(s.parts, p)
}

func toolUse(server, name string) facts.Used {
	return facts.Used{Kind: "tool", Server: server, Name: name}
}

func toolDoc(server, name, description string) fs.Document {
	d := toolDocument(server, "", name, description, nil)
	d.Path, d.Kind = strings.TrimPrefix(d.Path, "mcps/"), "tool"
	return d
}

// newShop has a few tools of servers.
func newShop() *shop {
	return &shop{docs: []fs.Document{
		toolDoc("amazon", "ProductSearch", "Compare items of a catalogue"), toolDoc("github", "create_issue", "Open an issue in a repository"),
		toolDoc("github", "list_issues", "List the issues of a repository"), toolDoc("mail", "send_message", "Send a message to somebody"),
		toolDoc("calendar", "create_event", "Put an event into a calendar"), toolDoc("weather", "forecast", "The weather of the next days"),
		{Path: "pdf/SKILL.md", Title: "pdf", Kind: "skill", Fields: map[string]string{"name": "pdf", "description": "Fill in forms"}},
	}}
}

// learning is a Finder that learns in a folder.
func learning(t *testing.T, dir string, s *shop, change ...func(*Learning)) *Finder {
	t.Helper()
	f := NewFinder(time.Now, nil)
	f.SetSources([]Source{{"mcps", s}})
	how := Learning{
		Cache: filepath.Join(dir, "cache"), State: filepath.Join(dir, "state"), Settings: filepath.Join(dir, "config.toml"),
		Uses: s.Uses, Pause: time.Millisecond, Log: slog.New(slog.DiscardHandler),
	}
	for _, c := range change {
		c(&how)
	}
	f.Learn(how)
	f.Start()
	t.Cleanup(func() { f.Close() })
	return f
}

// first returns the title of the best match among the tools; "" if there is none.
func first(t *testing.T, f *Finder, query string) string {
	t.Helper()
	found, err := f.Find(t.Context(), query, Options{In: "mcps", Limit: 5})
	fstest.Must(t, err)
	if len(found) == 0 {
		return ""
	}
	return found[0].Title
}

func becomes(t *testing.T, f *Finder, query, want string) {
	t.Helper()
	got := ""
	fstest.Settled(t, f)
	if got = first(t, f, query); got != want {
		t.Fatalf("%s: %q, want %q\n%s", query, got, want, pageOf(f))
	}
}

// teachPrices uses ProductSearch in some sessions.
func (s *shop) teachPrices() {
	for _, want := range []string{"this laptop is too pricey", "these shoes are far too pricey for me", "my phone plan got pricey", "is there a laptop that is less pricey"} {
		s.used(toolUse("amazon", "ProductSearch"), facts.Worked, want)
	}
}

// TestItLearns: a tool is found by what was wanted before it was used, in whatever
// form an agent writes its name, and so is a skill.
func TestItLearns(t *testing.T) {
	s := newShop()
	f := learning(t, t.TempDir(), s)
	if got := first(t, f, "laptop too pricey"); got != "" {
		t.Fatalf("found %q by itself", got)
	}
	s.teachPrices()
	s.used(facts.Used{Kind: "skill", Name: "pdf"}, facts.Worked, "my taxes are due on monday", "do my taxes")
	s.used(facts.Used{Kind: "skill", Name: "pdf"}, facts.Worked, "taxes of last year")
	s.used(facts.Used{Kind: "tool", Name: "weather_forecast"}, facts.Worked, "do I need an umbrella")
	s.used(facts.Used{Kind: "tool", Name: "weather_forecast"}, facts.Worked, "should I pack my umbrella for Rome")
	s.used(toolUse("gone", "tool"), facts.Worked, "laptop too pricey", "pricey laptop")
	f.Used()
	becomes(t, f, "laptop too pricey", "amazon/ProductSearch")
	becomes(t, f, "taxes", "pdf")
	becomes(t, f, "is an umbrella needed", "weather/forecast")
	if found, err := f.Find(t.Context(), "laptop too pricey", Options{}); err != nil || len(found) == 0 || found[0].Title != "amazon/ProductSearch" {
		t.Errorf("everywhere: %+v, %v", found, err)
	}
	page := pageOf(f)
	for _, want := range []string{"## amazon/ProductSearch (tool)\n4 used", "- this laptop is too pricey 2", " mcps/sessions/0\n", "## pdf (skill)", "## gone/tool (tool, not there now)"} {
		fstest.Contains(t, page, want)
	}
}

// TestLiteralWordsWin: a tool whose name, or description, has what is asked for stays
// before one that was used after such words.
func TestLiteralWordsWin(t *testing.T) {
	s := newShop()
	f := learning(t, t.TempDir(), s)
	for i := range 40 {
		s.used(toolUse("weather", "forecast"), facts.Worked, fmt.Sprintf("create issue %d", i), fmt.Sprintf("send message to Tom%d", i), fmt.Sprintf("list issues of repository nr%d", i))
	}
	f.Used()
	fstest.Settles(t, f, "all is learned", func() bool { topics, _ := f.Learned(); return len(topics) == 1 && topics[0].Uses == 120 })
	for query, want := range map[string]string{
		"create issue": "github/create_issue", "create_issue": "github/create_issue", "send message": "mail/send_message",
		"list the issues of a repository": "github/list_issues", "ProductSearch": "amazon/ProductSearch",
	} {
		fstest.Equal(t, first(t, f, query), want, query)
	}
}

// TestPoison: neither a server's own words, nor one session, nor repeating, nor a name
// that only looks the same, nor failing, raise a tool.
func TestPoison(t *testing.T) {
	t.Run("a description that repeats words", func(t *testing.T) {
		score := func(description string) float64 {
			s := newShop()
			s.docs = append(s.docs, toolDoc("evil", "grab", description))
			f := learning(t, t.TempDir(), s)
			s.teachPrices()
			f.Used()
			fstest.Settles(t, f, "it is learned", func() bool { topics, _ := f.Learned(); return len(topics) == 1 })
			if got := first(t, f, "what is pricey"); got == "" { // and all documents are indexed
				t.Error("nothing was learned")
			}
			f.documents.mu.RLock()
			got := f.documents.lessons.paths
			f.documents.mu.RUnlock()
			if len(got) != 1 || got[0] != "mcps/amazon/tools/ProductSearch.json" {
				t.Errorf("learned of %q", got)
			}
			for _, m := range f.documents.find("laptop too pricey", Options{}).Matches {
				if m.Title == "evil/grab" {
					return m.Score
				}
			}
			return 0
		}
		once, often := score("Has no use. It is for a laptop too pricey."), score("Has no use. "+strings.Repeat("Wanted before: laptop too pricey. ", 300))
		if once == 0 || often > 2.5*once {
			t.Errorf("saying it 300 times scores %.2f, once %.2f", often, once)
		}
	})
	t.Run("one session", func(t *testing.T) {
		s := newShop()
		f := learning(t, t.TempDir(), s)
		s.teachPrices()
		var flood []string
		for i := range 200 {
			flood = append(flood, fmt.Sprintf("laptop too pricey pricey pricey nr%d of pricey%d laptops", i, i))
		}
		s.used(toolUse("mail", "send_message"), facts.Worked, flood...)
		f.Used()
		becomes(t, f, "laptop too pricey", "amazon/ProductSearch")
	})
	t.Run("names that look the same", func(t *testing.T) {
		s := newShop()
		s.docs = append(s.docs, toolDoc("GitHub", "create_issue", "x"))
		f := learning(t, t.TempDir(), s)
		for _, want := range []string{"the build is broken again", "something is broken in the parser", "login is broken"} {
			s.used(toolUse("github", "create_issue"), facts.Worked, want)
			s.used(facts.Used{Kind: "tool", Name: "Github_create_issue"}, facts.Worked, want)
		}
		f.Used()
		becomes(t, f, "it is broken", "github/create_issue")
		f.documents.mu.RLock()
		got := f.documents.lessons.paths
		f.documents.mu.RUnlock()
		if len(got) != 1 || got[0] != "mcps/github/tools/create_issue.json" {
			t.Errorf("%q", got)
		}
	})
	t.Run("failures and denials", func(t *testing.T) {
		s := newShop()
		f := learning(t, t.TempDir(), s)
		s.teachPrices()
		for i, want := range []string{"a laptop that is less pricey", "phones are pricey", "pricey shoes", "too pricey for me", "pricey laptop again", "not so pricey please"} {
			s.used(toolUse("mail", "send_message"), []facts.UseOutcome{facts.Failed, facts.Denied}[i%2], want)
		}
		f.Used()
		becomes(t, f, "laptop too pricey", "amazon/ProductSearch")
		found := f.documents.find("pricey", Options{}).Matches
		fstest.Equal(t, len(found), 1, found)
	})
}

// TestSwitchedOff: one line in config.toml ends learning and deletes what was learned;
// without the line it is learned again.
func TestSwitchedOff(t *testing.T) {
	dir, s := t.TempDir(), newShop()
	s.teachPrices()
	f := learning(t, dir, s)
	becomes(t, f, "laptop too pricey", "amazon/ProductSearch")
	config := filepath.Join(dir, "config.toml")
	write := func(text string) {
		t.Helper()
		fstest.Must(t, os.WriteFile(config, []byte(text), 0o600))
		f.ReloadSettings()
	}
	fstest.Settles(t, f, "it is saved", func() bool { _, err := os.Stat(filepath.Join(dir, "cache", "learned.jsonl")); return err == nil })
	write("[find]\nlearn = false\n")
	fstest.Equal(t, first(t, f, "laptop too pricey"), "", "found")
	if left, _ := filepath.Glob(filepath.Join(dir, "cache", "*")); len(left) != 0 || !strings.Contains(pageOf(f), "switched off") {
		t.Errorf("%q, %s", left, pageOf(f))
	}
	if topics, on := f.Learned(); len(topics) != 0 || on {
		t.Error(topics, on)
	}
	write("[find]\nlern = true\n")
	if p := f.Problems(); len(p) != 1 || !strings.Contains(p[0].What, `did you mean "learn"`) {
		t.Errorf("%+v", p)
	}
	becomes(t, f, "laptop too pricey", "amazon/ProductSearch")
}

// TestForgetting lasts, for this process and others of the same folders.
func TestForgetting(t *testing.T) {
	dir, s := t.TempDir(), newShop()
	s.teachPrices()
	f := learning(t, dir, s)
	becomes(t, f, "laptop too pricey", "amazon/ProductSearch")
	if n, err := f.Forget(toolUse("amazon", "ProductSearch")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	fstest.Equal(t, first(t, f, "laptop too pricey"), "", "found")
	check := func(f *Finder) {
		t.Helper()
		s.used(toolUse("weather", "forecast"), facts.Worked, "do I need an umbrella")
		s.used(toolUse("weather", "forecast"), facts.Worked, "umbrella or not")
		f.Used()
		becomes(t, f, "umbrella", "weather/forecast") // it has learned since
		fstest.Equal(t, first(t, f, "laptop too pricey"), "", "found")
	}
	check(f)
	f.Close()
	next := learning(t, dir, s)
	check(next)
	next.Close()
	fstest.Must(t, os.RemoveAll(filepath.Join(dir, "cache")))
	check(learning(t, dir, s))
}

// TestOffline: a command that runs once uses what the background process has learned,
// and reads no session.
func TestOffline(t *testing.T) {
	dir, s := t.TempDir(), newShop()
	s.teachPrices()
	f := learning(t, dir, s)
	fstest.Settles(t, f, "it is saved", func() bool { _, err := os.Stat(filepath.Join(dir, "cache", "learned.jsonl")); return err == nil })
	fstest.Must(t, f.Close())
	silent := newShop()
	once := learning(t, dir, silent, func(how *Learning) { how.Offline = true })
	fstest.Equal(t, first(t, once, "laptop too pricey"), "amazon/ProductSearch", "found")
}

// TestUnwritableHome: it learns although nothing can be kept.
func TestUnwritableHome(t *testing.T) {
	dir, s := t.TempDir(), newShop()
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "cache"), nil, 0o600))
	s.teachPrices()
	f := learning(t, dir, s)
	becomes(t, f, "laptop too pricey", "amazon/ProductSearch")
}

// TestToolsComeAndGo: what was learned of a tool that does not exist now is there when
// it does again.
func TestToolsComeAndGo(t *testing.T) {
	s := newShop()
	s.teachPrices()
	f := learning(t, t.TempDir(), s)
	becomes(t, f, "laptop too pricey", "amazon/ProductSearch")
	all := s.docs
	set := func(docs []fs.Document) {
		s.mu.Lock()
		s.docs = docs
		s.mu.Unlock()
		f.Changed("mcps", "")
	}
	set(all[1:])
	fstest.Equal(t, first(t, f, "laptop too pricey"), "", "found")
	set(all)
	fstest.Equal(t, first(t, f, "laptop too pricey"), "amazon/ProductSearch", "found")
}

// TestWanted: what a program searched for is remembered for a while, by its number,
// without secrets, and not where nothing is learned.
func TestWanted(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	f := NewFinder(func() time.Time { return now }, nil)
	f.SetSources([]Source{{"mcps", newShop()}})
	defer f.Close()
	config := filepath.Join(dir, "config.toml")
	f.Learn(Learning{Cache: filepath.Join(dir, "cache"), State: filepath.Join(dir, "state"), Settings: config, Log: slog.New(slog.DiscardHandler)})
	find := func(pid int, query string) {
		t.Helper()
		if _, err := f.Find(t.Context(), query, Options{Caller: fs.Standpoint{PID: pid}}); err != nil {
			t.Fatal(err)
		}
	}
	find(7, "file a ticket")
	find(7, "open a ticket with ghp_16C7e42F292c6912E7710c838347Ae178B4a")
	find(8, "umbrella")
	if got := f.Wanted(7); !strings.HasPrefix(got, "open a ticket with [") || f.Wanted(8) != "umbrella" || f.Wanted(9) != "" || f.Wanted(0) != "" {
		t.Errorf("%q, %q", got, f.Wanted(8))
	}
	now = now.Add(wantedFor)
	fstest.Equal(t, f.Wanted(7), "", "later")
	find(7, "file a ticket")
	fstest.Must(t, os.WriteFile(config, []byte("[find]\nlearn = false\n"), 0o600))
	f.ReloadSettings()
	fstest.Equal(t, f.Wanted(7), "", "although nothing is learned")
	find(7, "file a ticket")
	fstest.Equal(t, len(f.learner.searches), 0, "it is remembered although nothing is learned")
}

// pageOf returns the text of LEARNED.md.
func pageOf(f *Finder) string {
	f.learner.mu.Lock()
	defer f.learner.mu.Unlock()
	return string(f.learner.text)
}
