package edit

import (
	"strings"
	"testing"
)

// TestWithout: what is taken out of a file is set again, also where others have edited the
// file since.
func TestWithout(t *testing.T) {
	for _, test := range []struct {
		edit                      Edit
		text, want, edited, again string
	}{
		{Without([]string{"mcpServers", "gh"}),
			"{\n  // servers\n  \"mcpServers\": {\n    \"gh\": { \"command\": \"npx\", \"env\": { \"T\": \"${T}\" } }, // mine\n    \"b\": {}\n  }\n}\n",
			"{\n  // servers\n  \"mcpServers\": { // mine\n    \"b\": {}\n  }\n}\n",
			"{ \"x\": 1 }", "{ \"x\": 1, \"mcpServers\": {\"gh\": {\"command\": \"npx\", \"env\": {\"T\": \"${T}\"}}} }"},
		{TOMLWithout([]string{"mcp_servers", "gh"}),
			"a = 1\n\n[mcp_servers.gh]\ncommand = \"npx\"\n# token\n[mcp_servers.gh.env]\nT = \"x\"\n\n[b]\nc = 1\n",
			"a = 1\n\n[b]\nc = 1\n",
			"a = 2\n", "a = 2\n\n[mcp_servers.gh]\ncommand = \"npx\"\nenv = { T = \"x\" }\n"},
		{YAMLWithout([]string{"extensions", "gh"}),
			"extensions:\n  gh:\n    cmd: npx\n    args:\n    - -y\n    version: 1.10\n  b: 1\n",
			"extensions:\n  b: 1\n",
			"a: 1\n", "a: 1\nextensions:\n  gh:\n    cmd: npx\n    args:\n      - \"-y\"\n    version: 1.10\n"},
		{YAMLWithout([]string{"extensions", "gh"}), // the only one
			"extensions:\n  gh:\n    cmd: npx\n    envs:\n      P: x\nb: 1\n",
			"extensions: {}\nb: 1\n",
			"a: 1\nextensions: {} # none\n", "a: 1\nextensions: # none\n  gh:\n    cmd: npx\n    envs:\n      P: x\n"},
	} {
		after, done, err := test.edit.Apply([]byte(test.text))
		if err != nil || string(after) != test.want {
			t.Errorf("it became\n%s\nnot\n%s (%v)", after, test.want, err)
		}
		if again, d, err := test.edit.Apply(after); err != nil || string(again) != string(after) || !d.Found {
			t.Errorf("twice: %s (%v)", again, err)
		}
		if back, err := done.Revert([]byte(test.edited)); err != nil || string(back) != test.again {
			t.Errorf("back in an edited file:\n%s\nnot\n%s (%v)", back, test.again, err)
		}
		if back, err := done.Revert([]byte(test.text)); err != nil || string(back) != test.text {
			t.Errorf("it is there already: %s (%v)", back, err)
		}
	}
	_, _, err := YAMLWithout([]string{"extensions", "gh"}).Apply([]byte("extensions: {gh: {envs: {P: correcthorse}}}\n"))
	if err == nil || strings.Contains(err.Error(), "correcthorse") || !strings.HasSuffix(err.Error(), "take this out by hand: extensions.gh") {
		t.Errorf("%v", err)
	}
	if _, _, err := Without([]string{"a"}).Apply([]byte("{")); err == nil || !strings.HasPrefix(err.Error(), "line 1") {
		t.Errorf("%v", err)
	}
}
