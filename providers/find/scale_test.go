package find

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/project"
)

// tools is a provider with documents.
type tools struct {
	fs.Provider
	docs []fs.Document
}

func (p tools) Documents(string) iter.Seq[fs.Document] { return slices.Values(p.docs) }

// said is a provider that searches texts: lines by their paths.
type said struct {
	fs.Provider
	lines map[string]string
}

// Search finds the lines that have one of the words as they are.
func (p said) Search(_ context.Context, query, _ string, limit int) (facts.Findings, error) {
	found := facts.Findings{Shares: make(map[string]float64)}
	asked := newLexicon()
	stems := asked.asked(query)
	for _, path := range sortedKeys(p.lines) {
		has := make(map[string]float64)
		for w := range asked.asked(p.lines[path]) {
			if stems[w] > 0 {
				has[w] = 1
				found.Shares[w] += 1 / float64(len(p.lines))
			}
		}
		if len(has) > 0 {
			part, _, _ := strings.Cut(path, "/")
			found.Matches = append(found.Matches, facts.Match{Path: path, Why: p.lines[path], Kind: "session", Evidence: facts.Evidence{Words: has, Part: part}})
		}
	}
	found.Matches = found.Matches[:min(limit, len(found.Matches))]
	return found, nil
}

func sortedKeys(all map[string]string) (keys []string) {
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// everything is a Finder over someTools, relative to the folder mcps, and what was
// said in three sessions.
func everything(t testing.TB) *Finder {
	t.Helper()
	var docs []fs.Document
	for _, d := range someTools() {
		if path, ok := strings.CutPrefix(d.Path, "mcps/"); ok {
			d.Path = path
			docs = append(docs, d)
		}
	}
	lines := map[string]string{
		"a/1": "the wishlist page shows an issue twice",
		"a/2": "we decided to keep the wishlist for ninety days",
		"a/3": "the wishlist is empty after a login",
		"b/1": "create a test for the parser",
		"c/1": "the release needs a screenshot of the new page",
	}
	for i := range 40 {
		lines[fmt.Sprintf("d/%02d", i)] = fmt.Sprintf("chatter number %d", i)
	}
	f := NewFinder(time.Now, nil)
	f.SetSources([]Source{{"mcps", tools{docs: docs}}, {"transcripts", said{lines: lines}}})
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func found(t testing.TB, f *Finder, query string, limit int) []facts.Match {
	t.Helper()
	all, err := f.Find(t.Context(), query, Options{Limit: limit})
	fstest.Must(t, err)
	return all
}

// TestOneScale: whatever has most of what is asked for comes first, tool or text.
func TestOneScale(t *testing.T) {
	f := everything(t)
	for query, first := range map[string]string{
		"create an issue":                 "mcps/github/tools/create_issue.json",
		"take a screenshot":               "mcps/browser/tools/take_screenshot.json",
		"how long is the wishlist kept":   "transcripts/a/2",
		"release needs screenshot":        "transcripts/c/1",
		"wishlist":                        "transcripts/a/1", // not a list, though nobody else knows the word
		"what did we decide about ninety": "transcripts/a/2",
	} {
		all := found(t, f, query, 5)
		if len(all) == 0 || all[0].Path != first && !(query == "how long is the wishlist kept" && strings.HasPrefix(all[0].Path, "transcripts/a/")) {
			t.Errorf("%q finds %+v, not %s first", query, all, first)
		}
		for i, m := range all {
			if m.Score <= 0 || m.Score > 2 || i > 0 && m.Score > all[i-1].Score {
				t.Errorf("%q: score %v at %d", query, m.Score, i)
			}
		}
		if again := found(t, f, query, 5); !reflect.DeepEqual(all, again) {
			t.Errorf("%q finds one thing and then another", query)
		}
	}
}

// TestPoorMatchesAreBelowTheFloor, and good ones above it.
func TestPoorMatchesAreBelowTheFloor(t *testing.T) {
	f := everything(t)
	for query, good := range map[string]bool{
		"create issue": true, "merge a pull request": true, "we decided to keep the wishlist": true,
		"xylophone orchestra rehearsal of the page": false,
	} {
		all := found(t, f, query, 5)
		if len(all) == 0 || (all[0].Score >= GoodScore) != good {
			t.Errorf("%q: %+v", query, all)
		}
	}
}

// TestTheProjectOfTheCaller counts between matches that are equal otherwise.
func TestTheProjectOfTheCaller(t *testing.T) {
	home := t.TempDir()
	var docs []fs.Document
	for _, name := range []string{"one", "two"} {
		dir := filepath.Join(home, name)
		fstest.Must(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
		fstest.Must(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
		docs = append(docs, fs.Document{Path: name + ".txt", Title: name, Place: filepath.Join(dir, "src"), Fields: map[string]string{"body": "the same words"}})
	}
	f := NewFinder(time.Now, project.New(project.Options{Home: home}))
	f.SetSources([]Source{{"terminals", tools{docs: docs}}})
	defer f.Close()
	for dir, first := range map[string]string{"one": "terminals/one.txt", "two": "terminals/two.txt", ".": "terminals/one.txt"} {
		at := fs.StandpointAt(filepath.Join(home, dir))
		if all, err := f.Find(t.Context(), "same words", Options{Caller: at}); err != nil || len(all) != 2 || all[0].Path != first {
			t.Errorf("in %s: %+v, %v", dir, all, err)
		}
	}
}

// TestFold: a few matches of each part come before the rest, which is counted.
func TestFold(t *testing.T) {
	match := func(path, part string, score float64) facts.Match {
		return facts.Match{Path: path, Score: score, Evidence: facts.Evidence{Part: part}}
	}
	many := []facts.Match{
		match("mcps/a/1", "", 9), match("t/s/1", "t/s", 8.5), match("mcps/a/2", "", 8), match("t/s/2", "t/s", 7.5),
		match("mcps/a/3", "", 7), match("mcps/a/4", "", 6), match("mcps/a/5", "", 5), match("mcps/b/1", "", 4),
	}
	show := func(all []facts.Match) string {
		var b strings.Builder
		for _, m := range all {
			b.WriteString(m.Path + " ")
			if m.More > 0 {
				fmt.Fprintf(&b, "(%d more in %s) ", m.More, m.In)
			}
		}
		return strings.TrimSpace(b.String())
	}
	for limit, want := range map[int]string{
		3: "mcps/a/1 t/s/1 mcps/a/2",
		5: "mcps/a/1 t/s/1 (1 more in t/s) mcps/a/2 mcps/a/3 (2 more in mcps/a) mcps/b/1",
		7: "mcps/a/1 t/s/1 mcps/a/2 t/s/2 mcps/a/3 mcps/a/4 (1 more in mcps/a) mcps/b/1",
		9: "mcps/a/1 t/s/1 mcps/a/2 t/s/2 mcps/a/3 mcps/a/4 mcps/a/5 mcps/b/1",
	} {
		fstest.Equal(t, show(fold(slices.Clone(many), limit)), want, limit)
	}
}

// TestAsides are found where they are asked for, and else behind the rest.
func TestAsides(t *testing.T) {
	guide := fs.Document{
		Path: "guide/SKILL.md", Title: "guide", Kind: "skill", Asides: []string{"zoofs"},
		Fields: map[string]string{"name": "guide", "description": "Tools, sessions and files of zoofs: mount them."},
	}
	other := fs.Document{Path: "list/SKILL.md", Title: "list", Kind: "skill", Fields: map[string]string{"name": "list", "body": "mount sessions of files"}}
	f := NewFinder(time.Now, nil)
	f.SetSources([]Source{{"skills", tools{docs: []fs.Document{guide, other}}}})
	defer f.Close()
	for query, first := range map[string]string{"mount files": "skills/list/SKILL.md", "mount zoofs files": "skills/guide/SKILL.md"} {
		if all := found(t, f, query, 5); len(all) != 2 || all[0].Path != first {
			t.Errorf("%q: %+v", query, all)
		}
	}
}

// TestStableWhileTyping: a longer beginning of the same word does not reorder what
// stays, as long as it is no word itself.
func TestStableWhileTyping(t *testing.T) {
	f := everything(t)
	for _, word := range []string{"screenshot", "wishlist"} {
		var before []string
		for end := 3; end <= len(word); end++ {
			var now []string
			for _, m := range found(t, f, "page "+word[:end], 20) {
				now = append(now, m.Path)
			}
			if end == len(word) {
				break // the word itself may be better elsewhere
			}
			stayed := slices.DeleteFunc(slices.Clone(before), func(p string) bool { return !slices.Contains(now, p) })
			same := slices.DeleteFunc(slices.Clone(now), func(p string) bool { return !slices.Contains(before, p) })
			fstest.EqualSlices(t, stayed, same, "before", word[:end])
			before = now
		}
	}
}
