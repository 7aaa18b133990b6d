package mcp

import (
	"strings"
	"testing"
)

func TestToolFilter(t *testing.T) {
	for _, c := range []struct {
		allow, deny []string
		shown, not  string
	}{
		{nil, nil, "a b", ""},
		{[]string{}, nil, "", "a b"},
		{[]string{"get_*", "list_?"}, nil, "get_a get_ list_a", "forget_a list_ list_ab"},
		{nil, []string{"*_secret", "x"}, "a secret xx", "a_secret _secret x"},
		{[]string{"*"}, []string{"delete_*"}, "a", "delete_a"},
		{[]string{"*a*b*"}, nil, "ab xaxbx éaéb", "ba a b"},
		{[]string{strings.Repeat("*a", 50)}, nil, "", strings.Repeat("a", 40) + "b"},
	} {
		f := toolFilter{allow: c.allow, deny: c.deny}
		for _, name := range strings.Fields(c.shown) {
			if !f.shows(name, name) {
				t.Errorf("%q, %q: %s is not shown", c.allow, c.deny, name)
			}
		}
		for _, name := range strings.Fields(c.not) {
			if f.shows(name, name) {
				t.Errorf("%q, %q: %s is shown", c.allow, c.deny, name)
			}
		}
	}
}

// TestToolsLeftOut limits the tools of a server; the whole list stays in the
// cache, so that a limit that goes shows them again without the server.
func TestToolsLeftOut(t *testing.T) {
	w := newWorld(t)
	w.claude(map[string]any{"hello": stub("ok")})
	w.settings("[mcp.servers.hello]\ndeny_tools = [\"gr*\"]\n")
	w.open().start()
	status := w.untilState("hello", "ready")
	contains(t, status, "1 tool left out by the configuration")
	contains(t, status, "config.toml changes its deny_tools")
	containsNot(t, w.ls("hello/tools"), "greet")
	containsNot(t, w.cat("INDEX.md"), "hello/greet")
	w.opts.Offline = true
	w.reopen()
	containsNot(t, w.ls("hello/tools"), "greet")
	w.settings("")
	w.p.Reload()
	contains(t, w.ls("hello/tools"), "greet.json")
}
