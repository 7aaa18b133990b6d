package transcripts

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ctxfs/fs/fstest"
)

// TestUses: what was used in sessions is known, and read again only where a session
// has grown.
func TestUses(t *testing.T) {
	home := tempHome(t)
	one := piSession(t, home, "0b0e2bd1-1111-4000-8000-000000000001")
	one.user("this laptop is too pricey")
	one.call("c1", "bash", "three found", map[string]any{"command": "ctxfs call shop search --query x"})
	two := piSession(t, home, "0b0e2bd2-2222-4000-8000-000000000002")
	two.user("nothing to see here")
	f := start(t, home)
	versions := make(map[string]string)
	uses := func() (all []string) {
		for part := range f.Facts().Uses(t.Context(), func(name string) string { return versions[name] }) {
			versions[part.Name] = part.Version
			for _, u := range part.Facts {
				all = append(all, fmt.Sprintf("%s/%s %q %s", u.Server, u.Name, u.Want, u.Outcome))
			}
			if part.Path == "" {
				t.Errorf("no path: %+v", part)
			}
		}
		slices.Sort(all)
		return all
	}
	f.await("the sessions are rendered", func() bool { return len(f.find("pricey", "")) == 1 && len(f.find("nothing", "")) == 1 })
	if got := uses(); len(got) != 1 || got[0] != `shop/search "this laptop is too pricey" ` || len(versions) != 2 {
		t.Fatalf("%q, %q", got, versions)
	}
	if got := uses(); len(got) != 0 {
		t.Errorf("read again: %q", got)
	}
	two.user("find a cheap one")
	two.call("c2", "bash", "x", map[string]any{"command": "ctxfs call shop buy"})
	f.await("the session has grown", func() bool { return len(f.find("cheap", "")) == 1 })
	var got []string
	f.await("its use is known", func() bool { got = append(got, uses()...); return len(got) == 1 })
	fstest.Equal(t, got[0], `shop/buy "find a cheap one" `, got)
}

// TestStatements: what was stated in sessions is known with its place, and read again
// only where a session has grown; a session that its agent and its user delete is gone.
func TestStatements(t *testing.T) {
	home := tempHome(t)
	one := piSession(t, home, "0b0e2bd1-1111-4000-8000-000000000001")
	one.user("always run the linter before a commit")
	two := piSession(t, home, "0b0e2bd2-2222-4000-8000-000000000002")
	two.user("nothing to see here")
	var news atomic.Int64
	f := start(t, home, func(o *Options) { o.Env.Used = func() { news.Add(1) } })
	versions := make(map[string]string)
	stated := func() (all []string) {
		for part := range f.Facts().Statements(t.Context(), func(name string) string { return versions[name] }) {
			versions[part.Name] = part.Version
			for _, s := range part.Facts {
				all = append(all, string(s.Kind)+": "+s.Text)
				if text := f.read(part.Path); !strings.Contains(text, "["+s.Anchor+"]") || !strings.Contains(text, s.Text) || part.Dir == "" || s.Time.IsZero() {
					t.Errorf("%+v, %+v", part, s)
				}
			}
		}
		slices.Sort(all)
		return all
	}
	f.await("the sessions are rendered", func() bool { return len(f.find("linter", "")) == 1 && len(f.find("nothing", "")) == 1 })
	if got := stated(); len(got) != 1 || got[0] != "rule: always run the linter before a commit" || len(versions) != 2 {
		t.Fatalf("%q, %q", got, versions)
	}
	if got := stated(); len(got) != 0 {
		t.Errorf("read again: %q", got)
	}
	two.user("never touch the vendor folder")
	f.await("the session has grown", func() bool { return len(f.find("vendor", "")) == 1 })
	var got []string
	f.await("what was stated is known", func() bool { got = append(got, stated()...); return len(got) == 1 })
	fstest.Equal(t, got[0], "rule: never touch the vendor folder", got)
	before := news.Load()
	fstest.Must(t, os.Remove(one.path))
	f.await("somebody is told of a session that is gone", func() bool { return news.Load() > before })
	f.await("it is gone", func() bool {
		parts := 0
		for range f.Facts().Statements(t.Context(), func(name string) string { return versions[name] }) {
			parts++
		}
		return parts == 1
	})
	fstest.Must(t, os.Remove(two.path)) // its agent writes it anew
	two = piSession(t, home, "0b0e2bd2-2222-4000-8000-000000000002")
	two.user("we use pnpm here and not npm")
	got = nil
	f.await("what is stated there now", func() bool { got = stated(); return len(got) == 1 })
	fstest.Equal(t, got[0], "rule: we use pnpm here and not npm", got)
}
