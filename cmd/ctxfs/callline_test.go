package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestCallLines: the command in the files of real servers, its placeholders filled in,
// calls the tool, gets the prompt or reads the resource.
func TestCallLines(t *testing.T) {
	t.Parallel()
	need(t, "jq")
	modules := fstest.NodeModules(t, "@modelcontextprotocol/server-everything")
	b := newBox(t)
	for name, script := range map[string]string{"everything": "everything", "files": "filesystem", "memory": "memory", "thinking": "sequential-thinking"} {
		args := []string{filepath.Join(modules, "@modelcontextprotocol/server-"+script+"/dist/index.js")}
		if name == "files" {
			args = append(args, b.home)
		}
		b.servers[name] = map[string]any{"command": "node", "args": args, "env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(b.dir, "memory.json")}}
	}
	b.configure()
	b.write("a b.txt", "one\ntwo\n")
	b.mount()
	b.ready("everything", "files", "memory", "thinking")
	path := filepath.Join(b.home, "a b.txt")
	for _, c := range []struct {
		file, line string
		filled     []string // for each placeholder
		want       string
	}{
		{"everything/tools/echo", "ctxfs call everything echo --message …", []string{"hello"}, "Echo: hello\n"},
		{"everything/tools/get-sum", "ctxfs call everything get-sum --a N --b N", []string{"2", "40"}, "The sum of 2 and 40 is 42.\n"},
		{"everything/tools/get-annotated-message", "ctxfs call everything get-annotated-message --messageType …", []string{"success"}, "completed successfully"},
		{"files/tools/read_text_file", "ctxfs call files read_text_file --path …", []string{"'" + path + "'"}, "one\ntwo\n"},
		{"files/tools/read_multiple_files", "ctxfs call files read_multiple_files --paths …", []string{"'" + path + "'"}, "one\ntwo\n"},
		{"files/tools/edit_file", "ctxfs call files edit_file --path … --edits '[{…}]'", []string{"'" + path + "'", `'[{"oldText":"two","newText":"three"}]'`}, "+three"},
		{"memory/tools/create_entities", "ctxfs call memory create_entities --entities '[{…}]'", []string{`'[{"name":"Ada","entityType":"person","observations":["counts"]}]'`}, "Ada"},
		{"memory/tools/search_nodes", "ctxfs call memory search_nodes --query …", []string{"Ada"}, "counts"},
		{"memory/tools/read_graph", "ctxfs call memory read_graph", nil, "Ada"},
		{"thinking/tools/sequentialthinking", "ctxfs call thinking sequentialthinking --thought … --nextThoughtNeeded … --thoughtNumber N --totalThoughts N", []string{"so", "false", "1", "1"}, `"thoughtNumber": 1`},
		{"everything/prompts/args-prompt", "ctxfs prompt-get everything args-prompt --arg 'city=…'", []string{"'city=Bern'"}, "Bern"},
		{"everything/resources/features_md", "ctxfs read everything features_md", nil, "Features"},
	} {
		line := strings.TrimSuffix(b.sh("jq -r .call '.agentctx/mcps/"+c.file+".json'"), "\n")
		if line != c.line {
			t.Errorf("%s: the call is %q", c.file, line)
			continue
		}
		rest, command := line, ""
		for _, value := range c.filled {
			at, placeholder := len(rest), ""
			for _, p := range []string{"'[{…}]'", "'city=…'", "…", " N"} {
				if i := strings.Index(rest, p); i >= 0 && i < at {
					at, placeholder = i, p
				}
			}
			if placeholder == " N" {
				value = " " + value
			}
			command += rest[:at] + value
			rest = rest[at+len(placeholder):]
		}
		if r := b.shell(command + rest); r.code != 0 || !strings.Contains(r.out, c.want) {
			t.Errorf("%s: exit %d: %s%s", command+rest, r.code, r.out, r.err)
		}
	}
	// The list of ctxfs find has the same lines.
	fstest.Contains(t, b.ok("find", "add two numbers", "search the knowledge graph"), "\n  ctxfs call everything get-sum --a N --b N\n", "\n  ctxfs call memory search_nodes --query …\n")
	fstest.Contains(t, b.read("mcps/memory/SIGNATURES.md"), "\ncreate_entities(entities[]{name, entityType, observations[]}) — ")
}
