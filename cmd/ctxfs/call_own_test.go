package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// ownTools have arguments that are called like the options of the command.
const ownTools = `[
	{"name":"guide","description":"Guides.","inputSchema":{"type":"object","properties":{"help":{"type":"string"},"h":{"type":"string"},
		"json":{"type":"string"},"yes":{"type":"string"},"timeout":{"type":"string"},"max-bytes":{"type":"string"},"via":{"type":"string"}}}},
	{"name":"assist","inputSchema":{"type":"object","properties":{"help":{"type":"boolean"},"yes":{"type":"boolean"},"max_bytes":{"type":"integer"}}}},
	{"name":"any","inputSchema":{"type":"object","additionalProperties":true}},
	{"name":"delete","annotations":{"destructiveHint":true},"inputSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}]`

// TestArgumentsCalledLikeOptions gives tools arguments of these names, by the
// command and by the files in bin.
func TestArgumentsCalledLikeOptions(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("tools.json", ownTools)
	b.stub("own", "", map[string]string{stubTools: filepath.Join(b.home, "tools.json"), stubJournal: filepath.Join(b.dir, "journal")})
	b.write(".config/ctxfs/config.toml", "[mcp.policy]\nconfirm = \"destructive\"\n")
	b.mount()
	b.ready("own")
	for words, want := range map[string]string{
		`guide --help topic`:       `{"help":"topic"}`,
		`guide --help=topic`:       `{"help":"topic"}`,
		`guide --help topic --h x`: `{"h":"x","help":"topic"}`,
		`guide --json a --yes b --timeout c --max-bytes d --via e`:       `{"json":"a","max-bytes":"d","timeout":"c","via":"e","yes":"b"}`,
		`guide '{"help":"topic","yes":"no"}'`:                            `{"help":"topic","yes":"no"}`,
		`guide -- --help topic`:                                          `{"help":"topic"}`,
		`assist --help=true`:                                             `{"help":true}`,
		`assist --help true`:                                             `{"help":true}`,
		`assist --help --yes`:                                            `{"help":true,"yes":true}`,
		`assist --yes --max-bytes 7`:                                     `{"max_bytes":7,"yes":true}`,
		`assist -- --help`:                                               `{"help":true}`,
		`any --help=me --json=x`:                                         `{"help":"me","json":"x"}`,
		`any -- --help me --json x --yes 1 --timeout 2 --via 3 --h true`: `{"h":true,"help":"me","json":"x","timeout":2,"via":3,"yes":1}`,
		`any --via 3`:                                                    `{"via":3}`,
	} {
		for _, way := range []string{"ctxfs call own ", ".agentctx/mcps/own/bin/"} {
			r := b.shell(way + words)
			if r.code != 0 || canonical(r.out) != want {
				t.Errorf("%s%s\ngot %d: %v\nwant %s", way, words, r.code, r, want)
			}
		}
	}
	fstest.Contains(t, b.ok("call", "--json", "--timeout", "1m", "own", "guide", "--json", "a"), `"content":`, `{\"json\":\"a\"}`)
	// --help alone shows help, whatever the tool has: a user who asks for it does
	// not want the tool to be called.
	before := strings.Count(b.sh("cat "+filepath.Join(b.dir, "journal")), "tools/call")
	for _, line := range []string{"guide --help", "guide -h", "assist --help", "assist --yes -h", "any --help", "delete --help", "any --json --help"} {
		for _, way := range []string{"ctxfs call own ", ".agentctx/mcps/own/bin/"} {
			if r := b.shell(way + line); r.code != 0 || !strings.Contains(r.out, "Usage:\n") {
				t.Errorf("%s%s: %v", way, line, r)
			}
		}
	}
	if got := b.sh(".agentctx/mcps/own/bin/guide -h"); !containsAll(got, []string{
		"--json, --yes, --max-bytes, --timeout is its own argument", "--help=x", "ctxfs call --json own",
	}) {
		t.Errorf("help: %s", got)
	}
	// The tool's own --yes confirms nothing.
	b.refused(8, []string{"requires confirmation", "ctxfs call --yes own delete"}, "call", "own", "delete", "--yes")
	if after := strings.Count(b.sh("cat "+filepath.Join(b.dir, "journal")), "tools/call"); after != before {
		t.Errorf("%d calls of who asked for help, or has not confirmed", after-before)
	}
	fstest.Equal(t, b.ok("call", "--yes", "own", "delete", "--yes"), "{\"yes\":true}\n", "confirmed")
}
