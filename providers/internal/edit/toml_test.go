package edit

import (
	"strings"
	"testing"

	"ctxfs/providers/internal/settings"
)

type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// TestTOML: keys go where their table is, in the form that it has, and reverting them gives
// the bytes that were there.
func TestTOML(t *testing.T) {
	network := TOMLKey([]string{"sandbox_workspace_write"}, "network_access", true)
	mcp := TOMLKey([]string{"mcp_servers"}, "ctxfs", server{"ctxfs", []string{"serve"}, nil})
	for _, test := range []struct {
		name, text string
		edit       Edit
		want       string
	}{
		{"no file", "", network, "[sandbox_workspace_write]\nnetwork_access = true\n"},
		{"new table", "model = \"o3\"\n", network, "model = \"o3\"\n\n[sandbox_workspace_write]\nnetwork_access = true\n"},
		{"no final newline", "model = \"o3\"", network, "model = \"o3\"\n\n[sandbox_workspace_write]\nnetwork_access = true"},
		{"a header", "[sandbox_workspace_write]\n  # mine\n  a = 1 # one\n\n[b]\nc = 2\n", network, "[sandbox_workspace_write]\n  # mine\n  a = 1 # one\n  network_access = true\n\n[b]\nc = 2\n"},
		{"an empty header", "[ sandbox_workspace_write ] # s\n[b]\n", network, "[ sandbox_workspace_write ] # s\nnetwork_access = true\n[b]\n"},
		{"at the end", "[sandbox_workspace_write]\na = 1", network, "[sandbox_workspace_write]\na = 1\nnetwork_access = true"},
		{"dotted", "sandbox_workspace_write.a = 1\nb = 2\n", network, "sandbox_workspace_write.a = 1\nsandbox_workspace_write.network_access = true\nb = 2\n"},
		{"inline", "sandbox_workspace_write = { a = 1 } # x\n", network, "sandbox_workspace_write = { a = 1, network_access = true } # x\n"},
		{"CRLF", "a = 1\r\n[sandbox_workspace_write]\r\nb = 2\r\n", network, "a = 1\r\n[sandbox_workspace_write]\r\nb = 2\r\nnetwork_access = true\r\n"},
		{"root key", "# Codex\na = 1\n\n[b]\nc = 2\n", TOMLKey(nil, "x", "y"), "# Codex\na = 1\nx = \"y\"\n\n[b]\nc = 2\n"},
		{"first root key", "# Codex\n\n# of b\n[b]\nc = 2\n", TOMLKey(nil, "x", "y"), "# Codex\n\nx = \"y\"\n\n# of b\n[b]\nc = 2\n"},
		{"a server", "[mcp_servers.github]\ncommand = \"npx\"\n\n[mcp_servers.github.env]\nA = \"1\"\n", mcp, "[mcp_servers.github]\ncommand = \"npx\"\n\n[mcp_servers.github.env]\nA = \"1\"\n\n[mcp_servers.ctxfs]\ncommand = \"ctxfs\"\nargs = [\"serve\"]\n"},
		{"a server, inline", "mcp_servers = { github = { command = \"npx\" } }\n", mcp, "mcp_servers = { github = { command = \"npx\" }, ctxfs = { command = \"ctxfs\", args = [\"serve\"] } }\n"},
		{"strings like tables", "a = \"\"\"\n[sandbox_workspace_write]\n\"\"\"\nb = '''\n# '''\n", network, "a = \"\"\"\n[sandbox_workspace_write]\n\"\"\"\nb = '''\n# '''\n\n[sandbox_workspace_write]\nnetwork_access = true\n"},
		{"quoted keys", "[projects.\"/home/a.b\"]\ntrust_level = \"trusted\"\n", TOMLKey([]string{"projects", "/home/a.b"}, "x", 1), "[projects.\"/home/a.b\"]\ntrust_level = \"trusted\"\nx = 1\n"},
		{"dates", "when = 1979-05-27 07:32:00 # x\n", TOMLKey(nil, "x", 1.5), "when = 1979-05-27 07:32:00 # x\nx = 1.5\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, done, err := test.edit.Apply([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != test.want {
				t.Errorf("it became\n%s\nnot\n%s", after, test.want)
			}
			if again, _, err := test.edit.Apply(after); err != nil || string(again) != string(after) {
				t.Errorf("a second time it became\n%s (%v)", again, err)
			}
			if back, err := done.Revert(after); err != nil || string(back) != test.text {
				t.Errorf("back it is\n%q, not\n%q (%v)", back, test.text, err)
			}
		})
	}
}

// TestTOMLEdited: ours is found again among what others wrote since.
func TestTOMLEdited(t *testing.T) {
	edits := []Edit{
		TOMLKey([]string{"mcp_servers"}, "ctxfs", server{"ctxfs", nil, nil}).Owned(),
		TOMLKey([]string{"tui"}, "x", 1),
	}
	after, done, err := Apply([]byte("a = 1\n"), edits)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(after), "command = \"ctxfs\"", "command = \"ctxfs\"\nenv = { A = \"1\" }", 1) + "\n# mine\n[mine]\nb = 2\n"
	edited = strings.Replace(edited, "[tui]\n", "[tui]\n# kept\n", 1)
	back, err := Revert([]byte(edited), done)
	if want := "a = 1\n\n[tui]\n# kept\n\n# mine\n[mine]\nb = 2\n"; err != nil || string(back) != want {
		t.Errorf("back it is\n%s\nnot\n%s (%v)", back, want, err)
	}
	newer := TOMLKey([]string{"mcp_servers"}, "ctxfs", server{"/opt/ctxfs", nil, nil}).Owned()
	if text, _, err := newer.Apply(after); err != nil || strings.Count(string(text), "mcp_servers.ctxfs") != 1 || !strings.Contains(string(text), "/opt/ctxfs") {
		t.Errorf("%s (%v)", text, err)
	}
}

// TestTOMLRefuses: what is not ours, and what cannot be read, stays.
func TestTOMLRefuses(t *testing.T) {
	for _, test := range []struct {
		text string
		edit Edit
		want string
	}{
		{"a = \n", TOMLKey(nil, "x", 1), "line 1"},
		{"x = 2\n", TOMLKey(nil, "x", 1), "line 1: x has another value already"},
		{"x = 2\n", TOMLKey([]string{"x"}, "y", 1), "by hand: x.y = 1"},
	} {
		if after, _, err := test.edit.Apply([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) || after != nil {
			t.Errorf("%q: %v, not %q", test.text, err, test.want)
		}
	}
}

// FuzzTOML: an edit changes nothing but its value, and can be taken back.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{"", "[a]\nb=[1,2,]", "a.b=[]#x\n", "a={b=[],c.d=1}", "[[a.b]]\nx=1\n[a.b.c]\n", "\"a\".'b'=[\n#\n]\n", "a=\"\"\"\\\"\"\"\"\"\n[b]\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range []Edit{TOMLKey([]string{"a"}, "x", 1), TOMLKey([]string{"z"}, "w", ours)} {
			after, done, err := e.Apply([]byte(text))
			if err != nil || done.Found {
				continue
			}
			back, err := done.Revert(after)
			if err != nil {
				t.Fatalf("%q became %q: %v", text, after, err)
			}
			was, _ := settings.Document([]byte(text))
			is, err := settings.Document(back)
			if err != nil || !same(was, is) {
				t.Fatalf("%q became %q and back %q: %v", text, after, back, err)
			}
		}
	})
}
