package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/policy"
)

// TestPolicy has calls be denied, at once and with the rule that denies them.
func TestPolicy(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
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
			{`confirm = "destructive"`, "delete_all", `callee/delete_all requires confirmation: its server calls it destructive`},
			{`confirm = "destructive"`, "echo", ""},
			{`confirm = ["callee/ec*"]`, "echo", `callee/echo requires confirmation: confirm "callee/ec*" in ` + file + `:3`},
			{`confirm = ["destructive", "callee/ec*"]`, "delete_all", `requires confirmation`},
			{`deny = ["delete_all"]`, "echo", `no tool may be called, because it is not known what the policy allows: ` + file + `:3: deny: "delete_all" is not a pattern of the form "server/tool"`},
			{`denny = ["x/y"]`, "echo", `did you mean "deny"?`},
			{`deny = "x/y"`, "echo", `"deny" in [mcp.policy] is not an array`},
			{`confirm = true`, "echo", `"confirm" in [mcp.policy] is neither "destructive" nor an array of patterns`},
			{`confirm = [1]`, "echo", `is not a pattern`},
			{`= nonsense`, "echo", `no tool may be called, because it is not known what the policy allows: ` + file + `:3`},
		} {
			w.settings("[mcp.policy]\n\n" + c.policy + "\n")
			w.p.Reload()
			before := count("call " + c.call)
			_, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: c.call, Arguments: json.RawMessage(map[bool]string{true: `{"text":"x"}`, false: `{}`}[c.call == "echo"])})
			switch denied := (*policy.DeniedError)(nil); {
			case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &denied) || !strings.Contains(err.Error(), c.want) || denied.Mend == "" || calls.Outcome(nil, err) != "denied"):
				t.Errorf("%s: %s: %v", c.policy, c.call, err)
			}
			if made := count("call "+c.call) > before; made != (c.want == "") {
				t.Errorf("%s: %s: called: %t", c.policy, c.call, made)
			}
		}
		w.settings("[mcp.policy]\nconfirm = \"destructive\"\n")
		w.p.Reload()
		if r, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: "delete_all", Confirmed: true}); err != nil || string(r.Text) != "done delete_all" {
			t.Error(r, err)
		}
		if n := count("start"); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}

// TestPolicyOfABrokenFile: what is denied in a file that could never be read is
// not known, so that everything is.
func TestPolicyOfABrokenFile(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		w.claude(map[string]any{"callee": stub("calls", stubJournal, journal)})
		w.settings("[mcp.policy\ndeny = [\"*/*\"]\n")
		w.open()
		if _, err := w.call("echo", `{"text":"x"}`); calls.Outcome(nil, err) != "denied" || !strings.Contains(err.Error(), "config.toml:1") {
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
	})
}

// TestPolicyWhileTheFileIsBroken breaks config.toml in a process that runs, as
// an editor or a shell does it: by emptying the file first. What was read
// before opens nothing.
func TestPolicyWhileTheFileIsBroken(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		const deny = "[mcp.policy]\ndeny = [\"*/delete_*\"]\n"
		w.claude(map[string]any{"callee": stub("calls")})
		w.settings(deny)
		w.open().start()
		w.untilState("callee", instance.StateReady)
		path := w.opts.SettingsPath
		overwrite := func(text string) {
			t.Helper()
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			w.p.Reload() // as the watch of the file does
		}
		const closed = "no tool may be called"
		is := func(tool, args, denied string) {
			t.Helper()
			_, err := w.call(tool, args)
			if denied == "" && err != nil || denied != "" && (calls.Outcome(nil, err) != calls.OutcomeDenied || !strings.Contains(err.Error(), denied)) {
				t.Errorf("%s: %v, not %q", tool, err, denied)
			}
		}
		is("delete_all", `{}`, `deny "*/delete_*"`)
		for _, broken := range []string{"broken", "[mcp.policy\n"} {
			overwrite("") // this is a policy: all is allowed
			is("delete_all", `{}`, "")
			overwrite(broken)
			is("delete_all", `{}`, closed)
			is("echo", `{"text":"x"}`, closed)
			const told = "until it is corrected no tool may be called"
			fstest.Contains(t, w.cat("INDEX.md"), told)
			if s := w.p.Status(); len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, told) || s.Items[0].State != instance.StateReady {
				t.Errorf("status: %+v", s)
			}
			overwrite(deny)
			is("echo", `{"text":"x"}`, "")
			is("delete_all", `{}`, `deny "*/delete_*"`)
		}
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		w.p.Reload()
		is("delete_all", `{}`, "")
		if err := os.Mkdir(path, 0o700); err != nil { // it cannot be read
			t.Fatal(err)
		}
		w.p.Reload()
		is("echo", `{"text":"x"}`, closed)
	})
}

// TestToolsThatAreHidden cannot be called either.
func TestToolsThatAreHidden(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"callee": stub("calls")})
		w.settings("[mcp.servers.callee]\ndeny_tools = [\"echo\"]\n")
		w.open()
		if _, err := w.call("echo", `{"text":"x"}`); calls.Outcome(nil, err) != "bad-arguments" || !strings.Contains(err.Error(), `has no tool "echo"`) {
			t.Error(err)
		}
	})
}
