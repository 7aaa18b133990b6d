package transcripts

import (
	"fmt"
	"slices"
	"testing"

	"ctxfs/fs"
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
		for part := range f.Uses(t.Context(), func(name string) string { return versions[name] }) {
			versions[part.Name] = part.Version
			for _, u := range part.Uses {
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
	if got[0] != `shop/buy "find a cheap one" ` {
		t.Errorf("%q", got)
	}
}

var _ fs.Taught = (*Provider)(nil)
