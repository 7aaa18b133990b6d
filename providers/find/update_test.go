package find

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestUpdatesLeaveNoTrace: an index that has seen much finds what one finds
// that has seen only the end of it.
func TestUpdatesLeaveNoTrace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("create remove list issue file page chart branch user message weather commit note search")
	now := make(map[string][]fs.Document) // by server
	x := newIndex()
	for range 200 {
		server := fmt.Sprintf("s%d", random.IntN(8))
		var docs []fs.Document
		for i := range random.IntN(6) {
			text := words[random.IntN(len(words))] + " " + words[random.IntN(len(words))]
			docs = append(docs, toolDocument(server, "", fmt.Sprintf("tool%d", i), text, nil))
		}
		now[server] = docs
		x.Update("mcps/"+server, slices.Values(docs))
	}
	var all []fs.Document
	for _, docs := range now {
		all = append(all, docs...)
	}
	fresh := newIndex()
	fresh.Update("", slices.Values(all))
	if x.Len() != len(all) || len(x.terms) != len(fresh.terms) || len(x.vocabulary) != len(fresh.terms) ||
		len(x.groups.ids) != len(fresh.groups.ids) || x.words != fresh.words {
		t.Errorf("%d documents of %d, %d words of %d, %v and %v in all", x.Len(), len(all), len(x.terms), len(fresh.terms), x.words, fresh.words)
	}
	for _, a := range words {
		for _, b := range words {
			if got, want := ranked(x.Search(a+" "+b, Options{})), ranked(fresh.Search(a+" "+b, Options{})); !slices.Equal(got, want) {
				t.Fatalf("%s %s:\n%v\nnot\n%v", a, b, got, want)
			}
		}
	}
	x.Update("", func(func(fs.Document) bool) {})
	if x.Len() != 0 || len(x.terms) != 0 || len(x.vocabulary) != 0 || len(x.groups.ids) != 0 || x.words != [fields]int{} {
		t.Error("something is left of what has gone")
	}
}

// ranked is what the order of sums cannot change.
func ranked(all []facts.Match) (out []string) {
	for _, m := range all {
		out = append(out, fmt.Sprintf("%s %.9f", m.Path, m.Score))
	}
	slices.Sort(out)
	return out
}

func TestUpdateKeepsToItsFolder(t *testing.T) {
	x := newIndex()
	doc := func(path string) fs.Document { return fs.Document{Path: path, Title: path} }
	x.Update("", slices.Values([]fs.Document{doc("a/x/1"), doc("a/xy/1"), doc("b/x/1")}))
	x.Update("a/x", slices.Values([]fs.Document{doc("a/x/2"), doc("a/xy/2")}))
	var paths []string
	for _, m := range x.Search("x xy", Options{}) {
		paths = append(paths, m.Path)
	}
	slices.Sort(paths)
	if want := []string{"a/x/2", "a/xy/1", "b/x/1"}; !slices.Equal(paths, want) {
		t.Errorf("%q, not %q", paths, want)
	}
}

func TestUnchangedDocumentsAreNotRead(t *testing.T) {
	x := newIndex()
	doc := fs.Document{Path: "a/b/c", Title: "t", Fields: map[string]string{"name": "old"}}
	x.Update("", slices.Values([]fs.Document{doc}))
	before := x.docs[0].terms
	x.Update("a", slices.Values([]fs.Document{doc}))
	fstest.Equal(t, &before[0], &x.docs[0].terms[0], "it was analysed again")
	doc.Fields["name"] = "new"
	x.Update("a", slices.Values([]fs.Document{doc}))
	if len(x.Search("new", Options{})) != 1 || len(x.Search("old", Options{})) != 0 {
		t.Error("a change was not seen")
	}
}

func TestConcurrentUse(t *testing.T) {
	x := newIndex()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 50 {
				server := fmt.Sprintf("s%d", i)
				x.Update("mcps/"+server, slices.Values([]fs.Document{toolDocument(server, "", fmt.Sprintf("tool%d", n), "Find me.", nil)}))
			}
		})
		all.Go(func() {
			for range 100 {
				x.Search("tool find me", Options{Limit: 3})
				x.Len()
			}
		})
	}
	all.Wait()
	fstest.Equal(t, x.Len(), 4, "documents")
}
