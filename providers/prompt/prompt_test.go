package prompt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/tokens"
)

// serverNames are those of real servers, as long as names are.
var serverNames = []string{
	"github", "chrome-devtools", "context7", "eslint", "filesystem", "memory", "playwright", "sequential-thinking",
	"slack", "tavily", "linear", "notion", "sentry", "stripe", "postgres", "figma", "cloudflare-docs", "aws-knowledge",
	"google-maps", "brave-search", "datadog", "kubernetes", "mongodb", "huggingface", "desktop-commander",
}

var skillNames = []string{
	"agentctx", "pdf", "docx", "xlsx", "pptx", "skill-creator", "mcp-builder", "webapp-testing", "frontend-design",
	"algorithmic-art", "brand-guidelines", "canvas-design", "doc-coauthoring", "internal-comms", "slack-gif-creator",
	"theme-factory", "web-artifacts-builder", "code-review", "systematic-debugging", "test-driven-development",
	"writing-plans", "executing-plans", "using-git-worktrees", "root-cause-tracing", "release-notes", "sql-tuning",
	"receiving-code-review", "finishing-a-branch", "verification-before-completion", "brainstorming", "subagent-driven-work",
	"terraform-style", "kubernetes-debugging", "api-design", "accessibility-audit", "changelog", "commit-messages",
	"dependency-upgrade", "docker-images", "error-handling", "go-testing", "i18n", "incident-report", "jupyter-notebooks",
	"logging", "performance-profiling", "postgres-migrations", "pull-request", "react-components", "security-review",
}

// many are n items, with names as people give them.
func many(n int, names []string, state string, size int) (items []fs.Item) {
	for i := range n {
		name := names[i%len(names)]
		if i >= len(names) {
			name += fmt.Sprintf("-%d", i/len(names))
		}
		count := -1
		if size >= 0 {
			count = size + i
		}
		items = append(items, fs.Item{Name: name, State: state, Count: count, Unit: "tools", About: "Use it to do " + name + " well. And more."})
	}
	return items
}

// world has servers, skills and terminals.
func world(servers, skills, terminals int) []Folder {
	var open []fs.Item
	for i := range terminals {
		open = append(open, fs.Item{Name: fmt.Sprint(terminals - i), State: "runs make", Count: -1})
	}
	inside := make(map[string][]Thing)
	all := many(servers, serverNames, "ready", 3)
	for i, s := range all {
		for j := range s.Count {
			inside[s.Name] = append(inside[s.Name], Thing{fmt.Sprintf("do_thing_%d", j), fmt.Sprintf("Does thing %d of %d.", j, i)})
		}
	}
	return []Folder{
		{"mcps", fs.Status{State: "ready", Items: all}, inside},
		{"terminals", fs.Status{State: "ready", Items: open}, nil},
		{"skills", fs.Status{State: "ready", Items: many(skills, skillNames, "", -1)}, nil},
		{"transcripts", fs.Status{State: "ready"}, nil},
		{"results", fs.Status{State: "ready"}, nil},
	}
}

func TestPageOfManyThings(t *testing.T) {
	page := Page(world(25, 50, 10))
	n := tokens.Count(page)
	t.Logf("%d tokens:\n%s", n, page)
	if n > Budget {
		t.Errorf("%d tokens", n)
	}
	for _, word := range []string{
		"desktop-commander (27)", "github (3), ", "security-review\n", ": agentctx, ", "Open now: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n",
		"ctxfs history", "ctxfs find", "bin/<tool>", "STATUS.md", "two to five words", "--in transcripts", "digest.md", "ctxfs stale",
	} {
		fstest.Contains(t, page, word)
	}
}

// TestSkillsAreDescribed where there is room, and only after all names.
func TestSkillsAreDescribed(t *testing.T) {
	few := Page(world(3, 4, 1))
	fstest.Contains(t, few, "SKILL.md:\n- agentctx — Use it to do agentctx well.\n- pdf — Use it to do pdf well.\n")
	more := Page(world(15, 35, 1))
	n := strings.Count(more, " — Use it to do ")
	if n == 0 || n == 35 || strings.Contains(more, "more:") || Tokens(more) > Budget {
		t.Errorf("%d of 35 skills are described, in %d tokens:\n%s", n, Tokens(more), more)
	}
	long := world(1, 1, 0)
	at := slices.IndexFunc(long, func(f Folder) bool { return f.Name == "skills" })
	long[at].Items[0].About = strings.Repeat("word ", 100)
	if page := Page(long); !strings.Contains(page, " — word word") || strings.Contains(page, strings.Repeat("word ", 20)) {
		t.Errorf("a long description:\n%s", page)
	}
}

func TestPageOfThousands(t *testing.T) {
	page := Page([]Folder{
		{Name: "mcps", Status: fs.Status{Items: many(3000, serverNames, "ready", 3)}},
		{Name: "skills", Status: fs.Status{Items: many(5000, skillNames, "", -1)}},
		{Name: "terminals", Status: fs.Status{Items: many(20, []string{"1"}, "", -1)}},
	})
	if n := tokens.Count(page); n > Budget || n < Budget-20 {
		t.Errorf("%d tokens", n)
	}
	for _, word := range []string{" more: ls mcps\n", " more: skills/INDEX.md\n", "github (3), ", "Open now: 1, 1-1, "} {
		fstest.Contains(t, page, word)
	}
}

// TestPageChangesWithFactsOnly: what comes and goes by itself is not in the text.
func TestPageChangesWithFactsOnly(t *testing.T) {
	server := func(state string, count int) []Folder {
		return []Folder{
			{Name: "mcps", Status: fs.Status{State: state, Since: time.Now(), Summary: state, Items: []fs.Item{{Name: "tickets", State: state, Count: count, Since: time.Now()}}}},
			{Name: "terminals", Status: fs.Status{State: "ready", Items: []fs.Item{{Name: "1", State: "runs " + state, Count: -1, About: state}}}},
			{Name: "results", Status: fs.Status{State: state, Summary: state}},
			{Name: "transcripts", Status: fs.Status{State: "ready", Summary: state, Items: []fs.Item{{Name: state}}}},
		}
	}
	for _, c := range []struct {
		count  int
		states []string
		want   string
	}{
		{4, []string{"ready", "cached", "starting", "stopped", "error"}, "tickets (4)\n"},
		{0, []string{"starting", "error", "stopped"}, "tickets (not ready)\n"},
		{0, []string{"ready"}, "tickets (0)\n"},
		{0, []string{"needs-auth"}, "tickets (needs-auth)\n"},
		{4, []string{"needs-auth"}, "tickets (4, needs-auth)\n"},
		{4, []string{"untrusted"}, "tickets (4, untrusted)\n"},
		{0, []string{"unresolved-variable"}, "tickets (unresolved-variable)\n"},
		{2, []string{"disabled"}, "tickets (2, disabled)\n"},
	} {
		first := Page(server(c.states[0], c.count))
		if !strings.Contains(first, c.want) {
			t.Errorf("%v: %q is missing in\n%s", c.states, c.want, first)
		}
		for _, state := range c.states[1:] {
			fstest.Equal(t, Page(server(state, c.count)), first, "state", state, c.states[0])
		}
	}
}

// TestFilled: more tokens show more, up to everything, and no budget is exceeded.
func TestFilled(t *testing.T) {
	folders := world(25, 50, 10)
	var small *BudgetError
	if _, err := Filled(folders, 100); !errors.As(err, &small) || small.Least < 150 || small.Least > 400 {
		t.Fatalf("100 tokens: %v", err)
	}
	fstest.Contains(t, small.Error(), "100 tokens is too small: the shortest page has ")
	least, err := Filled(folders, small.Least)
	if err != nil || !strings.Contains(least, "25 more: ls mcps") || !strings.Contains(least, "50 more: skills/INDEX.md") {
		t.Errorf("the least: %v\n%s", err, least)
	}
	if _, err := Filled(folders, small.Least-1); err == nil {
		t.Error("less than the least is possible")
	}
	before := 0
	for budget := small.Least; budget < 12000; budget += budget / 3 {
		page, err := Filled(folders, budget)
		n := tokens.Count(page)
		if err != nil || n > budget || n < before || budget < 7000 && n < budget-30 {
			t.Errorf("with a budget of %d: %d tokens, before %d, %v", budget, n, before, err)
		}
		before = n
	}
	if names, _ := Filled(folders, Budget); names != Page(folders) {
		t.Errorf("the page of %d tokens tells more than names:\n%s", Budget, names)
	}
	whole, err := Filled(folders, 1<<20)
	for _, want := range []string{
		"\n- github (3) — Use it to do github well.\n  - do_thing_0 — Does thing 0 of 0.\n", "  - do_thing_26 — Does thing 26 of 24.\n",
		"\n- pdf — Use it to do pdf well.\n",
	} {
		if !strings.Contains(whole, want) || err != nil {
			t.Errorf("%q is missing, %v, in\n%s", want, err, whole)
		}
	}
	if strings.Contains(whole, " more: ") || strings.Contains(whole, "And more.") {
		t.Errorf("something is left out:\n%s", whole)
	}
	some, _ := Filled(folders, 1200)
	if !strings.Contains(some, "\n- github (3): do_thing_0, do_thing_1, do_thing_2\n") || !strings.Contains(some, ", huggingface (26), desktop-commander (27)\n") {
		t.Errorf("the smallest servers come first:\n%s", some)
	}
}

func TestPageOfNothing(t *testing.T) {
	page := Page([]Folder{
		{Name: "mcps", Status: fs.Status{State: "empty"}}, {Name: "skills", Status: fs.Status{State: "empty"}},
		{Name: "terminals", Status: fs.Status{State: "empty"}}, {Name: "rules", Status: fs.Status{State: "empty"}},
		{Name: "transcripts", Status: fs.Status{State: "empty"}}, {Name: "results", Status: fs.Status{State: "empty"}},
	})
	for _, want := range []string{
		"## mcps/: none yet\n", "## skills/: none yet\n", "## terminals/: none recorded yet\n", "## rules/: of the user",
		"## transcripts/: none yet\n", "## results/: long results",
	} {
		fstest.Contains(t, page, want)
	}
}

// TestPageOfOthers: a folder that the page has no words for names its items.
func TestPageOfOthers(t *testing.T) {
	page := Page([]Folder{{Name: "deploys", Status: fs.Status{State: "ready", Items: []fs.Item{
		{Name: "web\n## forged", Count: 3}, {Name: "api", Count: -1},
	}}}})
	fstest.Contains(t, page, "\n## deploys/\n\napi, web ## forged\n")
}

// TestFilledAsFarAsCanBe: if not everything is shown, there is no room for one more
// sentence, also where a long list of names begins to have sentences.
func TestFilledAsFarAsCanBe(t *testing.T) {
	for name, folders := range map[string][]Folder{"typical": world(25, 50, 10), "skills": world(2, 400, 0)} {
		all := Tokens(Unlimited(folders))
		whole, err := Filled(folders, 1<<20)
		fstest.Must(t, err)
		for budget := all; budget < Tokens(whole); budget += (Tokens(whole) - all) / 12 {
			page, err := Filled(folders, budget)
			if n := Tokens(page); err != nil || n > budget || n < budget-40 {
				t.Errorf("%s: with a budget of %d: %d tokens, %v", name, budget, n, err)
			}
		}
	}
}
