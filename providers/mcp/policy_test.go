package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestPolicy has calls be denied, at once and with the rule that denies them.
func TestPolicy(t *testing.T) {
	w := newWorld(t)
	journal, count := w.journal()
	w.claude(map[string]any{"callee": stub("calls", stubJournal, journal)})
	w.settings("")
	w.open()
	if _, err := w.call("echo", `{"text":"x"}`); err != nil { // its tools are known from here on
		t.Fatal(err)
	}
	file := w.home + "/.config/ctxfs/config.toml"
	for _, c := range []struct{ policy, call, want string }{
		{``, "delete_all", ""},
		{`deny = ["*/delete_*"]`, "delete_all", `callee/delete_all may not be called: deny "*/delete_*" in ` + file + `:3`},
		{`deny = ["*/delete_*"]`, "echo", ""},
		{`deny = ["*/give.result"]`, "give_result", `deny "*/give.result"`},
		{`deny = ["call??/give_*"]`, "give.result", `deny "call??/give_*"`},
		{`allow = ["callee/e*", "callee/delete_all"]` + "\n" + `deny = ["*/delete*"]`, "delete_all", `deny "*/delete*" in ` + file + `:4`},
		{`allow = ["callee/e*"]`, "echo", ""},
		{`allow = ["callee/e*"]`, "delete_all", `callee/delete_all may not be called: nothing in "allow" of [mcp.policy] in ` + file + ` is it`},
		{`allow = []`, "echo", `may not be called`},
		{`confirm = "destructive"`, "delete_all", `callee/delete_all is to be confirmed: its server calls it destructive`},
		{`confirm = "destructive"`, "echo", ""},
		{`confirm = ["callee/ec*"]`, "echo", `callee/echo is to be confirmed: confirm "callee/ec*" in ` + file + `:3`},
		{`confirm = ["destructive", "callee/ec*"]`, "delete_all", `is to be confirmed`},
		{`deny = ["delete_all"]`, "echo", `no tool may be called, because it is not known what the policy allows: ` + file + `:3: deny: "delete_all" is no pattern of the form "server/tool"`},
		{`denny = ["x/y"]`, "echo", `did you mean "deny"?`},
		{`deny = "x/y"`, "echo", `"deny" in [mcp.policy] is not an array`},
		{`confirm = true`, "echo", `"confirm" in [mcp.policy] is neither "destructive" nor an array of patterns`},
		{`confirm = [1]`, "echo", `is no pattern`},
		{`= nonsense`, "echo", ""}, // a file that is broken for a while changes nothing
	} {
		if c.policy == "= nonsense" {
			w.settings("[mcp.policy]\n\n")
			w.p.Reload()
		}
		w.settings("[mcp.policy]\n\n" + c.policy + "\n")
		w.p.Reload()
		before := count("call " + c.call)
		_, err := w.p.Call(context.Background(), Call{Server: "callee", Tool: c.call, Arguments: json.RawMessage(map[bool]string{true: `{"text":"x"}`, false: `{}`}[c.call == "echo"])})
		switch denied := (*DeniedError)(nil); {
		case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &denied) || !strings.Contains(err.Error(), c.want) || denied.Mend == "" || Outcome(nil, err) != "denied"):
			t.Errorf("%s: %s: %v", c.policy, c.call, err)
		}
		if made := count("call "+c.call) > before; made != (c.want == "") {
			t.Errorf("%s: %s: called: %t", c.policy, c.call, made)
		}
	}
	w.settings("[mcp.policy]\nconfirm = \"destructive\"\n")
	w.p.Reload()
	if r, err := w.p.Call(context.Background(), Call{Server: "callee", Tool: "delete_all", Confirmed: true}); err != nil || string(r.Text) != "done delete_all" {
		t.Error(r, err)
	}
	if n := count("start"); n != 1 {
		t.Errorf("%d starts", n)
	}
}

// TestPolicyOfABrokenFile: what is denied in a file that could never be read is
// not known, so that everything is.
func TestPolicyOfABrokenFile(t *testing.T) {
	w := newWorld(t)
	journal, count := w.journal()
	w.claude(map[string]any{"callee": stub("calls", stubJournal, journal)})
	w.settings("[mcp.policy\ndeny = [\"*/*\"]\n")
	w.open()
	if _, err := w.call("echo", `{"text":"x"}`); Outcome(nil, err) != "denied" || !strings.Contains(err.Error(), "config.toml:1") {
		t.Error(err)
	}
	if n := count("start"); n != 0 {
		t.Errorf("%d starts", n)
	}
	w.settings("[mcp]\n")
	w.p.Reload()
	if _, err := w.call("echo", `{"text":"x"}`); err != nil {
		t.Error(err)
	}
}

// TestToolsThatAreHidden cannot be called either.
func TestToolsThatAreHidden(t *testing.T) {
	w := newWorld(t)
	w.claude(map[string]any{"callee": stub("calls")})
	w.settings("[mcp.servers.callee]\ndeny_tools = [\"echo\"]\n")
	w.open()
	if _, err := w.call("echo", `{"text":"x"}`); Outcome(nil, err) != "bad-arguments" || !strings.Contains(err.Error(), `has no tool "echo"`) {
		t.Error(err)
	}
}
