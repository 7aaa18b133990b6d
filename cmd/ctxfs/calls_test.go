package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// everythingByFiles has the server "everything" be called by files.
func everythingByFiles(t *testing.T) *box {
	t.Helper()
	need(t, "jq", "rg")
	const server = "@modelcontextprotocol/server-everything"
	script := filepath.Join(fstest.NodeModules(t, server), server, "dist/index.js")
	b := newBox(t)
	b.servers["every thing"] = map[string]any{"command": "node", "args": []string{script}}
	b.configure()
	b.write(".config/ctxfs/config.toml", "[mcp]\nfile_calls = true\n\n[mcp.policy]\ndeny = [\"*/get-env\"]\n")
	b.mount()
	b.ready("every_thing")
	return b
}

// TestCallsByFiles calls tools of a real server with what a sandboxed shell
// has: files.
func TestCallsByFiles(t *testing.T) {
	t.Parallel()
	b := everythingByFiles(t)
	in := "cd .agentctx/mcps/every_thing/calls; "
	fstest.Equal(t, b.sh(in+"ls; echo '{\"message\":\"it is me\"}' > echo.1.json; jq -r .text echo.1.result; ls"), "README.md\nEcho: it is me\nREADME.md\necho.1.result\n", "a call")
	fstest.Contains(t, b.sh(in+"printf '{\"a\":1,' > get-sum.x.json; jq -r .error get-sum.x.result"), "ended before its JSON object was complete")
	fstest.Equal(t, b.sh(in+"{ printf '{\"a\":1,'; sleep 0.1; printf '\"b\":2} '; } > get-sum.y.json; jq -r .text get-sum.y.result"), "The sum of 1 and 2 is 3.\n", "a call in pieces")
	for script, words := range map[string][]string{
		`echo '{"mesage":"x"}' > echo.2.json; jq -r .error echo.2.result`: {"Invalid argument", `did you mean "message"?`, `schema: {"message":`},
		`echo '{}' > ecko.3.json; jq -r .error ecko.3.result`:             {"Invalid argument", `no tool "ecko"; did you mean "echo"?`},
		`echo '{}' > get-env.4.json; jq -r .error get-env.4.result`:       {"Permission denied", `deny "*/get-env" in `, "config.toml:5"},
		`echo '{}' > echo.txt`: {"Invalid argument"},
	} {
		r := b.shell(in + script)
		if !containsAll(r.out+r.err, words) {
			t.Errorf("%s: %v", script, r)
		}
	}
	// A call that takes its time holds up no other.
	got := b.sh(in + `echo '{"duration":8,"steps":2}' > trigger-long-running-operation.1.json
cat trigger-long-running-operation.1.result > ~/slow & slow=$!
for i in 1 2 3; do echo '{"message":"'$i'"}' > echo.during-$i.json; jq -r .text echo.during-$i.result; done
kill -0 $slow && echo still waiting; wait $slow; jq -r .text ~/slow`)
	fstest.Equal(t, got, "Echo: 1\nEcho: 2\nEcho: 3\nstill waiting\nLong running operation completed. Duration: 8 seconds, Steps: 2.\n", "beside a slow call")
	if got := b.sh("jq -r '[.via,.server,.tool,.outcome]|join(\" \")' " + b.state + "/ctxfs/mcp/calls.jsonl | sort | uniq -c | sort -rn"); !containsAll(got, []string{
		"4 file every_thing echo ok\n", "1 file every_thing echo bad-arguments\n", "1 file every_thing ecko bad-arguments\n", "1 file every_thing get-env denied\n",
	}) {
		t.Errorf("the log: %s", got)
	}
	fstest.Equal(t, b.sh("cd .agentctx; rg -l 'Calls by files'; rg -l 'it is me'"), "mcps/every_thing/calls/echo.1.result\n", "rg finds")

	b.write(".config/ctxfs/config.toml", "[mcp]\nfile_calls = false\n")
	b.settles("the folder goes", func() bool { return b.shell("ls .agentctx/mcps/every_thing/calls").code != 0 })
	b.write(".config/ctxfs/config.toml", "[mcp.servers.\"every thing\"]\nfile_calls = true\n")
	b.settles("the folder comes", func() bool { return b.shell("ls .agentctx/mcps/every_thing/calls").code == 0 })
}

// TestManyCallsByFiles has 40 shells make calls one after the other, and one of 10 MB.
func TestManyCallsByFiles(t *testing.T) {
	t.Parallel()
	b := everythingByFiles(t)
	each := fstest.Rounds(50)
	b.write("writer", fmt.Sprint(`cd ~/.agentctx/mcps/every_thing/calls
for i in $(seq `, each, `); do
  echo '{"message":"'$1-$i'"}' > echo.$1-$i.json
  read -r answer < echo.$1-$i.result
  case $answer in '{"ok":true,"text":"Echo: '$1-$i'",'*) echo right ;; *) echo "$1-$i: $answer" ;; esac
done
`))
	if got := b.sh("for w in $(seq 40); do bash writer $w & done | sort | uniq -c; wait"); strings.TrimSpace(got) != fmt.Sprint(40*each, " right") {
		t.Errorf("%s", got)
	}
	if got := b.sh(`cd .agentctx/mcps/every_thing/calls
{ printf '{"message":"'; head -c 10000000 /dev/zero | tr '\0' x; printf '"}'; } > echo.large.json
jq -r .text echo.large.result | grep -o 'written to: .* (10.0 MB'; wc -c < "$(jq -r .file echo.large.result)"`); !containsAll(got, []string{"/.agentctx/results/", ".every_thing.echo.", ".txt (10.0 MB\n10000006\n"}) {
		t.Errorf("a large call: %s", got)
	}
}
