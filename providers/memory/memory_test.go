package memory

import (
	"context"
	"os"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/tokens"
)

const own = ".local/share/ctxfs/memory/"

// remembered is a home with memories of our own, of the user and of a project.
func remembered() map[string]string {
	return map[string]string{
		"src/shop/go.mod":              "module shop\n",
		own + "user/tabs.md":           "---\ndescription: Use tabs for indentation\ntype: preference\nscope: user\nsource: [\"codex, session 12\"]\nmodified: 2026-03-01T12:00:00Z\n---\n\nUse tabs for indentation.\n",
		own + "projects/shop/cents.md": "---\ndescription: Amounts are integer cents\ntype: decision\nscope: ~/src/shop\nmodified: 2026-02-01\n---\nIn the database as in the API.\n",
		own + "projects/shop/plain.md": "# Notes\n\nThe tests need a database: `make db`. More words.\n",
		own + "README.md":              "# My memory\n",
		own + ".git/HEAD":              "ref: refs/heads/main\n",
	}
}

func TestMemory(t *testing.T) {
	for _, watch := range []bool{true, false} {
		w := newWorld(t, remembered()).start(watch)
		fstest.Check(t, w.Tree, fstest.Expect("INDEX.md", "SUMMARY.md", "user/tabs.md", "shop/cents.md", "shop/SUMMARY.md", "inbox/README.md"))
		fstest.WantNames(w.T, w.Tree, "", "INDEX.md SUMMARY.md inbox proposed shop user")
		fstest.WantNames(w.T, w.Tree, "user", "SUMMARY.md tabs.md")
		fstest.WantNames(w.T, w.Tree, "shop", "SUMMARY.md cents.md plain.md")
		fstest.Contains(t, w.Cat("user/tabs.md"), "description: \"Use tabs for indentation\"\ntype: preference\nscope: user\nsource: [\"codex, session 12: ~/"+own+"user/tabs.md\"]\nmodified: 2026-03-01T12:00:00Z\n---\n\nUse tabs for indentation.\n")
		fstest.Contains(t, w.Cat("shop/cents.md"), "type: decision\nscope: \"~/src/shop\"\n", "modified: 2026-02-01T00:00:00Z\n", "In the database as in the API.\n")
		fstest.Contains(t, w.Cat("shop/plain.md"), "description: \"The tests need a database: 'make db'.\"\ntype: fact\nscope: \"~/src/shop\"\n", "modified: 2026-05-01T11:00:00Z\n")
		fstest.Contains(t, w.Cat("INDEX.md"), "## user: the user\n\n- user/tabs.md — Use tabs for indentation [preference, 2026-03-01]\n",
			"## shop: ~/src/shop\n\n- shop/plain.md — The tests need", "- shop/cents.md — Amounts are integer cents [decision, 2026-02-01]\n")
		summary := w.Cat("SUMMARY.md")
		fstest.Contains(t, summary, "\n## ~/src/shop\n- Amounts are integer cents\n- The tests need a database", "\n## the user\n- Use tabs for indentation\n")
		if strings.Index(summary, "cents") > strings.Index(summary, "tabs") {
			t.Errorf("the project's part does not come first:\n%s", summary)
		}
		fstest.Equal(t, w.Cat("shop/SUMMARY.md"), summary, "summary of the project")
		if n := tokens.Count(summary); n > 300 {
			t.Errorf("the summary has %d tokens", n)
		}
		if s := w.Status(); s.State != "ready" || s.Summary != "3 memories of the user and 1 project" || len(s.Problems) != 0 || len(s.Items) != 2 {
			t.Errorf("status %+v", s)
		}
		var found []string
		for d := range w.Documents("") {
			found = append(found, d.Path+" "+d.Kind+" "+d.Place)
		}
		fstest.Equal(t, strings.Join(found, "\n"), "user/tabs.md memory \nshop/plain.md memory "+w.Path("src/shop")+"\nshop/cents.md memory "+w.Path("src/shop"), "documents")
		if r := w.Brief(w.Path("src/shop/deep")); len(r) != 2 || r[0].Topic != facts.TopicMemory || r[0].Text != "Amounts are integer cents" || w.Cat(r[0].Path) == "" {
			t.Errorf("of the project is told: %+v", r)
		}
		if r := w.Brief(w.Path("src")); r != nil {
			t.Errorf("of no project is told: %+v", r)
		}
	}
}

// TestChanges: what an editor, or another program, changes in the folder shows.
func TestChanges(t *testing.T) {
	w := newWorld(t, map[string]string{"src/shop/go.mod": ""}).start(true)
	becomes := func(what string, holds func() bool) { t.Helper(); fstest.Settles(t, w, what, holds) }
	fstest.Contains(t, w.Cat("INDEX.md"), "There are none yet.")
	fstest.Contains(t, w.Cat("SUMMARY.md"), "Nothing is remembered yet.")
	fstest.WantNames(w.T, w.Tree, "", "INDEX.md SUMMARY.md inbox proposed")

	w.Write(own+"user/a.md", "First.\n") // the folder did not exist
	becomes("a file in a new folder", func() bool { return strings.Contains(w.Cat("user/a.md"), "First.") })
	w.Write(own+"user/a.md", "Other.\n")
	becomes("the same file, as long as before", func() bool { return strings.Contains(w.Cat("user/a.md"), "Other.") })
	w.Write(own+"user/.a.md.swp", "x")
	w.Write(own+"user/b~", "x")
	fstest.Must(t, os.Rename(w.Path(own+"user/a.md"), w.Path(own+"user/b.md")))
	becomes("a renamed file", func() bool { return w.Cat("user/a.md") == "" && strings.Contains(w.Cat("user/b.md"), "Other.") })
	becomes("the pages", func() bool {
		return strings.Contains(w.Cat("INDEX.md"), "user/b.md — Other.") && strings.Contains(w.Cat("SUMMARY.md"), "- Other.") && !strings.Contains(w.Cat("INDEX.md"), "a.md")
	})
	w.Write(own+"projects/shop/deep/c.md", "Deep.\n")
	becomes("a file of a project", func() bool { return strings.Contains(w.Cat("shop/deep-c.md"), "Deep.") })
	fstest.Must(t, os.RemoveAll(w.Path(own)))
	becomes("a folder that is gone", func() bool { return w.Ls("") == "INDEX.md SUMMARY.md inbox proposed" })

	w.Write("elsewhere/user/d.md", "Elsewhere.\n")
	w.Write(".config/ctxfs/config.toml", "[memory]\ndir = \"~/elsewhere\"\n")
	w.Reload()
	becomes("another folder", func() bool { return strings.Contains(w.Cat("user/d.md"), "Elsewhere.") })
	w.Write(".config/ctxfs/config.toml", "[memory]\ndir = \"elsewhere\"\nfolder = 1\n")
	w.Reload()
	if s := w.Status(); len(s.Problems) != 2 {
		t.Errorf("problems of the settings: %+v", s.Problems)
	}
}

// TestLinkedFolder: the folder may be a link, which may lead elsewhere later.
func TestLinkedFolder(t *testing.T) {
	w := newWorld(t, map[string]string{"cloud/user/a.md": "In the cloud.\n", strings.TrimSuffix(own, "/"): "-> ../../../cloud"}).start(true)
	fstest.Contains(t, w.Cat("user/a.md"), "In the cloud.")
	w.Write("cloud/user/a.md", "Changed in the cloud.\n")
	fstest.Settles(t, w, "a change behind a link", func() bool { return strings.Contains(w.Cat("user/a.md"), "Changed in the cloud.") })
	got, err := OpRemember.Ask(context.Background(), fs.Operations(w.Operations()), RememberQuery{Text: "Remembered behind a link"})
	fstest.Must(t, err)
	if got.Known || !got.Own || w.Cat(got.Path) == "" {
		t.Errorf("remembered: %+v", got)
	}
	w.Write("other/user/b.md", "Elsewhere.\n")
	fstest.Must(t, os.Remove(w.Path(strings.TrimSuffix(own, "/"))))
	fstest.Must(t, os.Symlink(w.Path("other"), w.Path(strings.TrimSuffix(own, "/"))))
	fstest.Settles(t, w, "another target", func() bool { return strings.Contains(w.Cat("user/b.md"), "Elsewhere.") && w.Cat("user/a.md") == "" })
}

// put creates a file in the inbox, for a program that stands in a folder, and returns
// its result.
func (w *world) put(name, body, dir string) string {
	w.T.Helper()
	at := fs.StandpointAt(w.Path(dir))
	at.PID = 1
	n, err := w.Tree.Resolve(context.Background(), "inbox")
	fstest.Must(w.T, err)
	in := n.(fs.Inbox)
	d, err := w.Tree.Create(context.Background(), in, name, at)
	fstest.Must(w.T, err)
	_, err = w.Tree.Write(context.Background(), in, d, []byte(body), 0)
	if err == nil {
		w.Tree.Abandon(in, d)
	}
	result := "inbox/" + strings.TrimSuffix(name, ".md") + ".result"
	return w.Cat(result) // once it is there
}

func TestInbox(t *testing.T) {
	w := newWorld(t, map[string]string{"src/shop/go.mod": "", "src/shop/deep/": ""}).start(true)
	fstest.Contains(t, w.put("amounts.md", "---\ndescription: Amounts are integer cents\ntype: decision\nscope: project\n---\nIn the database, too.\n", "src/shop"),
		`"ok":true`, "remembered as shop/amounts.md")
	fstest.Contains(t, w.Cat("shop/amounts.md"), "type: decision\nscope: \"~/src/shop\"\nsource: [\"claude-code, session 08940314: ~/"+own+"projects/shop/amounts.md\"]\nmodified: 2026-05-01T12:00:00Z\n---\n\nIn the database, too.\n")
	fstest.Contains(t, w.put("again.md", "in the database, too", "src/shop"), `"ok":true`, "known already as shop/amounts.md")
	fstest.Contains(t, w.put("tabs.md", "I prefer tabs.", "src/shop"), `"ok":true`, "user/tabs.md", "It is kept for the user")
	fstest.Contains(t, w.put("port.md", "The port is 4711", "src/shop/deep"), `"ok":true`, "It is kept for the project ~/src/shop")
	fstest.Contains(t, w.put("home.md", "A word", ""), `"ok":true`, "user/home.md")
	fstest.Contains(t, w.put("secret.md", "The token is ghp_abcdefghijklmnopqrstuvwxyz0123456789 for CI", ""), `"ok":true`, "A secret in it was hidden.")
	if got := w.Cat("user/secret.md"); strings.Contains(got, "ghp_") || !strings.Contains(got, "[REDACTED") {
		t.Errorf("the secret is shown:\n%s", got)
	}
	for name, body := range map[string]string{
		"empty.md": " \n", "type.md": "---\ntype: poem\n---\nText\n", "scope.md": "---\nscope: somewhere\n---\nText\n",
		"bytes.md": "\xff\xfe", "yaml.md": "---\n[\n---\nText\n", "open.md": "---\ntype: fact\nno end\n", "long.md": strings.Repeat("long ", 5000),
	} {
		if got := w.put(name, body, "src/shop"); !strings.Contains(got, `"ok":false`) || !strings.Contains(got, `"error":"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	fstest.Contains(t, w.Cat("inbox/open.result"), "the front matter is not closed by a line ---")
	fstest.WantNames(w.T, w.Tree, "user", "SUMMARY.md home.md secret.md tabs.md")
	fstest.WantNames(w.T, w.Tree, "shop", "SUMMARY.md amounts.md port.md")
}
