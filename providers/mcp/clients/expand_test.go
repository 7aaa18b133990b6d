package clients

import (
	"slices"
	"strings"
	"testing"

	"ctxfs/providers/internal/agents"
)

// TestExpand: each dialect expands its own references and leaves all other text as
// it is; the values of variables are secrets.
func TestExpand(t *testing.T) {
	env := map[string]string{"HOME": "/home/me", "TOKEN": "s3cret-value", "EMPTY": ""}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, c := range []struct {
		dialect         dialect
		in, want, unset string
	}{
		{shellDialect, "a ${TOKEN} b ${HOME}", "a s3cret-value b /home/me", ""},
		{shellDialect, "${NONE:-x}${EMPTY:-y}${EMPTY}", "xy", ""},
		{shellDialect, "$TOKEN ${#a} ${TOKEN", "$TOKEN ${#a} ${TOKEN", ""},
		{shellDialect, "${A} ${B}", "${A} ${B}", "${A}"},
		{editorDialect, "${env:TOKEN} ${userHome}${/}x${pathSeparator}", "s3cret-value /home/me/x/", ""},
		{editorDialect, "${TOKEN} $TOKEN", "${TOKEN} $TOKEN", ""},
		{editorDialect, "${env:NONE}", "${env:NONE}", "${env:NONE}"},
	} {
		x := &expander{dialect: c.dialect, machine: machine{Machine: agents.Machine{Home: "/home/me", LookupEnv: lookup}}}
		got, unset := x.expand(c.in), ""
		if len(x.unset) > 0 {
			unset = x.unset[0].variable
		}
		if got != c.want || unset != c.unset {
			t.Errorf("%q: %q, unset %q", c.in, got, unset)
		}
		if strings.Contains(c.want, "s3cret") != (len(x.secrets) > 0 && x.secrets[0] == "s3cret-value") {
			t.Errorf("%q: secrets %q", c.in, x.secrets)
		}
	}
}

// TestEnvFile: the variables of an envFile come after those of env, and the file is
// watched.
func TestEnvFile(t *testing.T) {
	h := newHome(t)
	vars := h.write("vars", "# comment\nexport A=1\nB=\"two words\" # x\nC=three # x\nbad line\nD='q'\n")
	h.write(".cursor/mcp.json", `{"mcpServers":{"x":{"command":"c","env":{"A":"own"},"envFile":"${userHome}/vars"}}}`)
	f := New(h.options())
	all := f.Discover(h.own(t))
	got := all.Servers[0].Env
	for name, want := range map[string]string{"A": "own", "B": "two words", "C": "three", "D": "q"} {
		if got[name] != want {
			t.Errorf("%s is %q, not %q", name, got[name], want)
		}
	}
	if !slices.Contains(f.WatchedFiles(all), vars) {
		t.Error("the file of variables is not watched")
	}
}
