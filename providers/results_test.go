package providers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/find"
	"ctxfs/providers/results"
)

func TestResultsOfTools(t *testing.T) {
	s := open(t, "[results]\nlimit = '5 KB'\n")
	folder := filepath.Join(s.opts.State, "results")
	kept := toolResults{Of[*results.Provider](s)[0].Store(), func() string { return folder }}
	fstest.Equal(t, kept.Limit(), 5000, "limit")
	saved, err := kept.Save("zoo", "walk.agentctx", "", []byte(`{"agentctx":"walk"}`))
	if err != nil || saved.Lines != 3 || saved.Bytes != 25 || !strings.HasSuffix(saved.Path, ".json") {
		t.Errorf("%+v, %v", saved, err)
	}
	if text, err := os.ReadFile(saved.Path); err != nil || string(text) != "{\n  \"agentctx\": \"walk\"\n}\n" {
		t.Errorf("%q, %v", text, err)
	}
	// In a mount it is named by its place there.
	folder = "/mnt/results"
	if saved, err := kept.Save("zoo", "walk", "", []byte("x")); err != nil || saved.Path != "/mnt/results/"+filepath.Base(saved.Path) {
		t.Errorf("%+v, %v", saved, err)
	}
	// What a tool has answered does not stand before the tool.
	got, err := s.Finder().Find(t.Context(), "agentctx", find.Options{})
	if err != nil || len(got) != 2 || got[0].Path != "skills/agentctx/SKILL.md" {
		t.Errorf("%+v, %v", got, err)
	}
	// It is found by what it says.
	if _, err := kept.Save("zoo", "walk", "", []byte("past the agentctx of okapis")); err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{"", "results"} {
		got, err := s.Finder().Find(t.Context(), "okapis", find.Options{In: in})
		if err != nil || len(got) != 1 || !strings.HasPrefix(got[0].Path, "results/") || !strings.HasSuffix(got[0].Why, "zoo walk: past the agentctx of okapis") {
			t.Errorf("in %q: %+v, %v", in, got, err)
		}
	}
	got, err = s.Finder().Find(t.Context(), "agentctx", find.Options{})
	if err != nil || len(got) != 3 || got[0].Path != "skills/agentctx/SKILL.md" {
		t.Errorf("%+v, %v", got, err)
	}
	// As files.
	tree := fs.NewTree(fs.NewFolder(time.Now(), map[string]fs.Node{"results": Of[*results.Provider](s)[0].Root()}), fs.TreeOptions{})
	inResults, err := s.Finder().NewFolder(time.Now(), tree.Resolve).Lookup(t.Context(), "results")
	fstest.Must(t, err)
	found, err := inResults.(fs.Dir).Lookup(t.Context(), "okapi")
	fstest.Must(t, err)
	file, err := found.(fs.Dir).Lookup(t.Context(), "01-zoo-walk.txt")
	fstest.Must(t, err)
	if body, err := tree.ReadAll(t.Context(), file.(fs.File)); err != nil || !strings.Contains(string(body), "of okapis") {
		t.Errorf("%s, %v", body, err)
	}
}
