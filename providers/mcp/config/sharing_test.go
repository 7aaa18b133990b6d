package config

import "testing"

// TestOwner: a user's server may be called from everywhere, and one of projects only
// from within them.
func TestOwner(t *testing.T) {
	user := &Server{}
	projects := &Server{Projects: []string{"/src/shop", "/src/docs", "/src/docs/site"}}
	for _, c := range []struct {
		of            *Server
		project, want string
		ok            bool
	}{
		{user, "", "", true},
		{user, "/anywhere", "/anywhere", true},
		{projects, "", "", false},
		{projects, "/src/shop", "/src/shop", true},
		{projects, "/src/shop/vendor/lib", "/src/shop", true},
		{projects, "/src/shopping", "", false},
		{projects, "/src", "", false},
		{projects, "/src/docs/site/theme", "/src/docs/site", true},
		{&Server{Projects: []string{"/"}}, "/x", "/", true},
	} {
		if owner, ok := c.of.Owner(c.project); owner != c.want || ok != c.ok {
			t.Errorf("from %q: %q, %v; want %q, %v", c.project, owner, ok, c.want, c.ok)
		}
	}
}
