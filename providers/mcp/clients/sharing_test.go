package clients

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"ctxfs/providers/mcp/config"
)

// TestInProject: the server of a project hides the secrets of its expansion, but not
// the folder of the project; and a server that is already that of a project stays it.
func TestInProject(t *testing.T) {
	h := newHome(t)
	h.env["TOKEN"] = "t0ken-of-mine"
	h.write("shop/.env", "FROM_FILE=value-in-a-file\n")
	h.write(".cursor/mcp.json", `{"mcpServers":{"x":{"command":"c","args":["${workspaceFolder}"],"env":{"ROOT":"${workspaceFolder}","T":"${env:TOKEN}"},"envFile":"${workspaceFolder}/.env"}}}`)
	all := New(h.options()).Discover(h.own(t))
	s := all.Servers[0]
	if s.Fault == nil || !s.Fault.WantsProject || s.Startable() {
		t.Fatalf("without a project: %+v", s.Fault)
	}
	if s.In("") != s {
		t.Error("no project is another server")
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			in := s.In(h.dir + "/shop")
			if !in.Startable() || in.Dir != h.dir+"/shop" || in.Args[0] != h.dir+"/shop" || in.In("/other") != in {
				t.Errorf("in the project: %+v", in)
			}
			text := strings.Join([]string{h.dir + "/shop", "t0ken-of-mine", "value-in-a-file"}, " ")
			if got := in.Redact(text); got != h.dir+"/shop *** ***" {
				t.Errorf("shown is %q", got)
			}
		})
	}
	wait.Wait()
	if s.Fault == nil || s.Args[0] != "${workspaceFolder}" || slices.Contains(s.Secrets, "value-in-a-file") {
		t.Error("running it for a project has changed the server")
	}
}

// TestUnchangedSharing: a server whose sharing or workspace arguments change is another.
func TestUnchangedSharing(t *testing.T) {
	h := newHome(t)
	discover := func(arg, own string) *config.Server {
		h.write(".cursor/mcp.json", `{"mcpServers":{"x":{"command":"c","args":["`+arg+`"]}}}`)
		h.write(".config/ctxfs/config.toml", own)
		return New(h.options()).Discover(h.own(t)).Servers[0]
	}
	const workspace = "${workspaceFolder}"
	is := discover(workspace, "")
	if !is.Unchanged(discover(workspace, "")) {
		t.Error("it has changed by itself")
	}
	if is.Unchanged(discover(workspace+"/sub", "")) {
		t.Error("other arguments are no change")
	}
	if is.Unchanged(discover(workspace, "[mcp.servers.x]\nscope = \"session\"\n")) {
		t.Error("another scope is no change")
	}
}

// TestMaxInstances: the limit has a default, may be 0, and is checked.
func TestMaxInstances(t *testing.T) {
	for _, c := range []struct {
		text    string
		want    int
		problem bool
	}{
		{"", 8, false},
		{"max_instances = 0", 0, false},
		{"max_instances = 20", 20, false},
		{"max_instances = -1", 8, true},
		{"max_instances = 100000", 8, true},
	} {
		h := newHome(t)
		h.write(".config/ctxfs/config.toml", "[mcp]\n"+c.text+"\n")
		all := New(h.options()).Discover(h.own(t))
		if got := all.Settings.MaxInstances; got != c.want || len(all.Problems) > 0 != c.problem {
			t.Errorf("%s: %d, problems %v", c.text, got, all.Problems)
		}
	}
}

// TestSharingOfInvalidEntry does not take an entry that cannot be used for one over
// HTTP.
func TestSharingOfInvalidEntry(t *testing.T) {
	h := newHome(t)
	h.write(".config/ctxfs/config.toml", "[mcp.servers.x]\ncommand = \"c\"\nscope = \"bogus\"\n")
	is := New(h.options()).Discover(h.own(t)).Servers[0]
	if is.Fault == nil || strings.Contains(is.Sharing.Why, "HTTP") {
		t.Errorf("%+v, %+v", is.Fault, is.Sharing)
	}
}
