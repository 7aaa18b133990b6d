package mcp

import (
	"strings"
	"testing"
)

// TestArgumentsAreShown: servers of one package can be told apart, and no secret
// is told.
func TestArgumentsAreShown(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3", 12)
	for name, c := range map[string]struct {
		d      definition
		want   string
		hidden []string
	}{
		"none":     {d: definition{command: "server"}},
		"plain":    {d: definition{command: "npx", args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/home/ada/notes"}}, want: "-y @modelcontextprotocol/server-filesystem /home/ada/notes"},
		"options":  {d: definition{command: "docker run", args: []string{"-i", "image"}}, want: "run -i image"},
		"control":  {d: definition{command: "x", args: []string{"a\x1b[31mb\nc\u202e"}}, want: "ab c"},
		"long":     {d: definition{command: "x", args: []string{strings.Repeat("y", 5000)}}, want: strings.Repeat("y", 100), hidden: []string{strings.Repeat("y", 201)}},
		"many":     {d: definition{command: "x", args: strings.Fields(strings.Repeat("a ", 70))}, want: "... and 20 more"},
		"shape":    {d: definition{command: "x", args: []string{"--repo", "a/b", token}}, want: "--repo a/b ", hidden: []string{token}},
		"flag":     {d: definition{command: "x", args: []string{"--api-key", "hunter2hunter2", "--project", "shop"}}, want: "--project shop", hidden: []string{"hunter2hunter2"}},
		"joined":   {d: definition{command: "x", args: []string{"--token=hunter2hunter2"}}, want: "--token=", hidden: []string{"hunter2hunter2"}},
		"address":  {d: definition{command: "x", args: []string{"postgres://ada:hunter2hunter2@db/shop"}}, want: "postgres://db", hidden: []string{"hunter2hunter2"}},
		"variable": {d: definition{command: "docker", args: []string{"run", "-e", "API_TOKEN=hunter2hunter2", "image"}}, want: "image", hidden: []string{"hunter2hunter2"}},
		"of the configuration": {
			d: definition{command: "x", args: []string{"--db", "plainword99"}, secrets: []string{"plainword99"}}, want: "--db ***", hidden: []string{"plainword99"},
		},
	} {
		got := strings.Join(c.d.arguments(), " ")
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, secret := range c.hidden {
			if strings.Contains(got, secret) {
				t.Errorf("%s tells a secret: %q", name, got)
			}
		}
	}
}

// TestMetadataHasArguments in the file that agents read.
func TestMetadataHasArguments(t *testing.T) {
	w := newWorld(t)
	one, two := stub(""), stub("")
	one["args"], two["args"] = []string{"--root", "/srv/one"}, []string{"--root", "/srv/two", "--password", "hunter2hunter2"}
	w.claude(map[string]any{"one": one, "two": two})
	w.open()
	contains(t, w.cat("one/SERVER_METADATA.json"), `"arguments": [`, `"/srv/one"`)
	contains(t, w.cat("two/SERVER_METADATA.json"), `"/srv/two"`, `"--password"`)
	containsNot(t, w.cat("two/SERVER_METADATA.json"), "hunter2")
}
