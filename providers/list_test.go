package providers

import (
	"context"
	"errors"
	"iter"
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
	"ctxfs/providers/find"
)

// guest is a provider that the list has never heard of. It has everything that a
// provider may have.
type guest struct {
	fs.Provider
	env    fs.Env
	shared shared
	file   string // a configuration file of its own
	root   *fs.Folder
	closed error
	dir    string      // in which somebody has worked
	seen   chan string // what it sees in a refresh

	mu      sync.Mutex
	calls   []string
	reloads chan struct{}
}

var opVisit = fs.Op[string, string]{Name: "visit"}

func (g *guest) called(method string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, method)
}

func (g *guest) Root() fs.Dir          { return g.root }
func (g *guest) Status() fs.Status     { return fs.Status{State: "ready"} }
func (g *guest) Close() error          { g.called("close"); return g.closed }
func (g *guest) Start()                { g.called("start") }
func (g *guest) Tables() []string      { return []string{"guest"} }
func (g *guest) ConfigFiles() []string { return []string{g.file} }
func (g *guest) Roots() []string       { return []string{"/guest"} }
func (g *guest) Busy() bool            { return true }

func (g *guest) Reload() {
	select {
	case g.reloads <- struct{}{}:
	default:
	}
}

func (g *guest) Documents(string) iter.Seq[fs.Document] {
	return slices.Values([]fs.Document{{Path: "a.md", Title: "okapi"}})
}

func (g *guest) Search(_ context.Context, query, below string, _ int) (facts.Findings, error) {
	m := facts.Match{Path: "b.md", Title: query + " in " + below, Evidence: facts.Evidence{Words: map[string]float64{query: 1}}}
	return facts.Findings{Matches: []facts.Match{m}, Shares: map[string]float64{query: 1}}, nil
}

func (g *guest) Canonical(_ context.Context, path string) (string, error) {
	return strings.Replace(path, "alias", "name", 1), nil
}

func (g *guest) Visits(time.Time) []facts.Visit {
	return []facts.Visit{{Dir: g.dir, Time: time.Now(), Certain: true}}
}

func (g *guest) Brief(dir string) []facts.Remark {
	return []facts.Remark{{Topic: facts.TopicNotes, Text: "about " + filepath.Base(dir), Path: "note.md"}}
}

func (g *guest) Refresh() {
	for _, w := range g.shared.workspaces.All() {
		for _, r := range g.shared.brief(w.Dir) {
			g.seen <- w.Name + ": " + r.Text + ", " + r.Path
		}
	}
}

func (g *guest) Operations() []fs.Operation {
	return []fs.Operation{opVisit.Handle(func(_ context.Context, who string) (string, error) { return "welcome, " + who, nil })}
}

// TestNewProviderIsOneEntry: an entry in the list gives a provider all that it
// asks for by the interfaces of package fs.
func TestNewProviderIsOneEntry(t *testing.T) {
	home := t.TempDir()
	opts := optionsIn(home)
	opts.Offline = false
	g := &guest{file: filepath.Join(home, "guest.json"), root: new(fs.Folder), reloads: make(chan struct{}, 1), closed: errors.New("the guest stays")}
	g.dir, g.seen = filepath.Join(home, "shop"), make(chan string, 100)
	fstest.Must(t, os.MkdirAll(g.dir, 0o700))
	l := newList(opts, func(_ Options, s shared) []Named {
		g.env, g.shared = s.env("guests"), s
		return []Named{{"guests", g}}
	})
	fstest.Must(t, os.WriteFile(opts.Config, []byte("[guest]\n[gest]\n"), 0o600))
	awaitReload(t, g, "config.toml")
	fstest.Settles(t, l, "the unknown table is a problem", func() bool {
		p := l.Problems()
		return len(p) == 1 && strings.Contains(p[0].What, "unknown table [gest]; did you mean [guest]?")
	})
	fstest.Must(t, os.WriteFile(g.file, []byte("{}"), 0o600))
	awaitReload(t, g, "the file of the provider")

	l.Start()
	found, err := l.Finder().Find(t.Context(), "okapi", find.Options{In: "guests/alias", Limit: 10})
	if err != nil || len(found) != 1 || found[0].Path != "guests/b.md" || found[0].Title != "okapi in name" {
		t.Errorf("found below a path: %+v, %v", found, err)
	}
	if found, err = l.Finder().Find(t.Context(), "okapi", find.Options{Limit: 10}); err != nil || len(found) != 2 || found[1].Path != "guests/a.md" {
		t.Errorf("found everywhere: %+v, %v", found, err)
	}
	for range 2 { // at the start, and after a change
		fstest.Settled(t, l)
		select {
		case got := <-g.seen:
			fstest.Equal(t, "shop: about shop, guests/note.md", got, "it sees")
		case <-time.After(fstest.Patience):
			t.Fatal("no refresh")
		}
		g.env.Changed("")
	}
	if answer, err := opVisit.Ask(t.Context(), l.Operations(), "Ada"); err != nil || answer != "welcome, Ada" {
		t.Errorf("the operation answers %q, %v", answer, err)
	}
	if !l.Busy() || !slices.Equal(l.Roots(), []string{"/guest"}) {
		t.Errorf("busy %v, roots %q", l.Busy(), l.Roots())
	}
	fstest.ErrorIs(t, l.Close(), g.closed, "close")
	if want := []string{"start", "close"}; !slices.Equal(g.calls, want) {
		t.Errorf("called %q, want %q", g.calls, want)
	}
}

func awaitReload(t *testing.T, g *guest, changed string) {
	t.Helper()
	select {
	case <-g.reloads:
	case <-time.After(fstest.Patience):
		t.Fatalf("no reload after a change of %s", changed)
	}
}
