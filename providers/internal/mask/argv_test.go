package mask

import (
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestArgs: what a program takes for a password is hidden, with the same number
// of words, which are separated by "|" here.
func TestArgs(t *testing.T) {
	for line, want := range map[string]string{
		"npx|-y|@x/server|--api-key|abc123|--port|80":                          "npx|-y|@x/server|--api-key|[]|--port|80",
		"npx|-y|@x/server|--api-key=abc123":                                    "npx|-y|@x/server|--api-key=[]",
		"server|--token|two words|--password|-x-":                              "server|--token|[]|--password|-x-",
		"docker|run|-i|--rm|-e|PGPASSWORD=hunter2|-e|TOKEN|-e|TZ=UTC|i/x":      "docker|run|-i|--rm|-e|PGPASSWORD=[]|-e|TOKEN|-e|TZ=UTC|i/x",
		"env|A_SECRET=x y z|node|x.js":                                         "env|A_SECRET=[]|node|x.js",
		"curl|-H|Authorization: Bearer abcdef123456|https://x":                 "curl|-H|Authorization: Bearer []|https://x",
		"curl|-H|X-Api-Key: 55 44|-u|me:pq1|-uyou:pq2|--user=a:b":              "curl|-H|X-Api-Key: 55 44|-u|me:[]|-uyou:[]|--user=a:[]",
		"/usr/bin/mysql|-ppq1|-u|root|-p|db":                                   "/usr/bin/mysql|-p[]|-u|root|-p|db",
		"sshpass|-p|pq1|ssh|-p|22|h":                                           "sshpass|-p|[]|ssh|-p|22|h",
		"sudo|docker|login|-u|x|-p|pq1":                                        "sudo|docker|login|-u|x|-p|[]",
		"sh|-c|export DB_PASSWORD=hunter2; exec node x":                        "sh|-c|export DB_PASSWORD=[]; exec node x",
		"mcp-server-postgres|postgresql://u:pq1@h/db":                          "mcp-server-postgres|postgresql://u:[]@h/db",
		"mcp-remote|https://x/mcp?api_key=0a1b2c3d|--header|X-Auth-Token:abc1": "mcp-remote|https://x/mcp?api_key=[]|--header|X-Auth-Token:[]",
		"mcp-remote|https://x|--header|Authorization:${AUTH}":                  "mcp-remote|https://x|--header|Authorization:${AUTH}",
		"uvx|x|--password-file|/run/pw|--token-type|bearer|--max-tokens|4096":  "uvx|x|--password-file|/run/pw|--token-type|bearer|--max-tokens|4096",
		"server|--password|${DB_PASSWORD}|--token|<your-token>":                "server|--password|${DB_PASSWORD}|--token|<your-token>",
		"node|/a/b/server.js|/home/u/secret-project|--key|value":               "node|/a/b/server.js|/home/u/secret-project|--key|value",
		"curl|-b|a=0123456789abcdef; b=fedcba9876543210|x":                     "curl|-b|a=[]; b=[]|x",
		"": "",
	} {
		argv := strings.Split(line, "|")
		before := slices.Clone(argv)
		got := Args(argv)
		if s := anyRule(strings.Join(got, "|")); s != want || len(got) != len(argv) {
			t.Errorf("%s\n got %s\nwant %s", line, s, want)
		}
		fstest.EqualSlices(t, argv, before, "written", line)
		fstest.EqualSlices(t, Args(got), got, "again")
	}
	if got := Args(nil); len(got) != 0 {
		t.Errorf("of nothing %q", got)
	}
}
