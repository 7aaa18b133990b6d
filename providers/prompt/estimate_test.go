package prompt

import (
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/tokens"
)

// TestApart: the pairs of letters that the estimate takes for a token are one.
func TestApart(t *testing.T) {
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			pair := string(a) + string(b)
			if one := tokens.Count(pair) == 1; one == strings.Contains(apart, pair+" ") {
				t.Errorf("%s is a token: %v", pair, one)
			}
		}
	}
}

// TestFixedTokens: the fixed text costs no more tokens than is noted beside it.
func TestFixedTokens(t *testing.T) {
	if n := tokens.Count(head) + tokens.Count(foot); n > frameTokens {
		t.Errorf("head and foot are %d tokens", n)
	}
	for _, name := range []string{"mcps", "skills", "transcripts", "results", "terminals", "rules", "plans", "workspaces", "memory", "agents", "deploys"} {
		for _, state := range []string{"ready", "empty"} {
			for items := range 3 {
				f := Folder{Name: name, Status: fs.Status{State: state}}
				for i := range items {
					f.Items = append(f.Items, fs.Item{Name: fmt.Sprint("item", i), Count: i})
				}
				for shown := range items + 1 {
					s := newSection(f)
					s.shown = shown
					var b strings.Builder
					s.render(&b)
					if n := tokens.Count(b.String()); n > s.maxTokens() {
						t.Errorf("%d tokens, at most %d are said: %q", n, s.maxTokens(), b.String())
					}
				}
			}
		}
	}
}

// TestEstimated: a page that is made without the vocabulary keeps to the budget,
// and is the page where there is room for all.
func TestEstimated(t *testing.T) {
	for name, folders := range map[string][]Folder{
		"nothing": {{Name: "mcps", Status: fs.Status{State: "empty"}}, {Name: "skills", Status: fs.Status{State: "empty"}}},
		"few":     world(5, 5, 2), "typical": world(25, 50, 10), "many": world(300, 2000, 400), "one kind": world(0, 1000, 0),
	} {
		page := estimatedPage(folders)
		n := Tokens(page)
		if n > Budget {
			t.Errorf("%s: %d tokens:\n%s", name, n, page)
		}
		t.Logf("%s: %d tokens, the counted page %d", name, n, Tokens(Page(folders)))
		if name == "nothing" || name == "few" {
			fstest.Equal(t, page, Page(folders), "estimated page", name)
			continue
		}
		if n < 300 {
			t.Errorf("%s: only %d tokens:\n%s", name, n, page)
		}
	}
}

// FuzzEstimated: whatever the names, the estimate is no less than the count.
func FuzzEstimated(f *testing.F) {
	for _, name := range []string{
		"github", "xqxqxq zvzv", "don'tx'll", "  \t\n", "日本語のサーバー", "\xff\xfe", "A1b2-C3_d4/E5", "<|endoftext|>", strings.Repeat("zq", 60), "'sssss", "naïve résumé",
	} {
		f.Add(name, 3)
	}
	f.Fuzz(func(t *testing.T, name string, copies int) {
		if n := tokens.Count(name); n > maxTokens(name) {
			t.Errorf("%q is %d tokens, at most %d are said", name, n, maxTokens(name))
		}
		one := Folder{Name: "mcps", Status: fs.Status{State: "ready"}}
		two := Folder{Name: "deploys", Status: fs.Status{State: "ready"}}
		for i := range min(max(copies, 0), 50) {
			one.Items = append(one.Items, fs.Item{Name: fmt.Sprint(name, i), Count: i})
			two.Items = append(two.Items, fs.Item{Name: fmt.Sprint(i, name), Count: i})
		}
		if page := estimatedPage([]Folder{one, two}); tokens.Count(page) > Budget {
			t.Errorf("%d tokens:\n%s", tokens.Count(page), page)
		}
	})
}
