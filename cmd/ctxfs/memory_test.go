package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/memory"
)

// TestRemember: what is remembered is known to all later commands, with and without a
// mount, and nothing is remembered twice.
func TestRemember(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("src/shop/go.mod", "module shop\n")
	b.write("src/shop/api/api.go", "package api\n")
	b.sh("cd src/shop && git init -q -b main")
	shop, in := filepath.Join(b.home, "src/shop"), "cd src/shop/api && "
	if got := b.run("memory"); got.code != exitOK || got.out != "" || !strings.Contains(got.err, "ctxfs remember") {
		t.Errorf("memory, of nothing: %v", got)
	}
	fstest.Equal(t, b.ok("remember", "I prefer tabs over spaces."), "user/i-prefer-tabs-over-spaces.md\n", "remember")
	if got := b.run("remember", "i prefer tabs over spaces"); got.code != exitOK || got.out != "user/i-prefer-tabs-over-spaces.md\n" || !strings.Contains(got.err, "known already") {
		t.Errorf("remember again: %v", got)
	}
	b.sh(in + "CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=08940314 ctxfs remember --project --type decision 'Amounts are integer cents'")
	b.sh("printf -- '---\\ndescription: How to test\\ntype: lesson\\n---\\nRun make db first.\\n' | ctxfs remember --project=~/src/shop -")
	for _, file := range b.list(".local/share/ctxfs/memory") {
		if info, err := os.Stat(filepath.Join(b.home, file)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	for _, mounted := range []bool{false, true} {
		if mounted {
			b.mount()
			b.shows("memory/user/i-prefer-tabs-over-spaces.md", "type: preference\nscope: user\nsource: [\"the user: ~/.local/share/ctxfs/memory/user/", "---\n\nI prefer tabs over spaces.\n")
			b.shows("memory/shop/amounts-are-integer-cents.md", "type: decision\nscope: \"~/src/shop\"\nsource: [\"claude-code, session 08940314: ")
		}
		want := "# Memory\n\nKnown from before. More: memory/INDEX.md, ctxfs find --in memory WORDS. New: ctxfs remember\n\n## ~/src/shop\n- Amounts are integer cents\n- How to test\n\n## the user\n- I prefer tabs over spaces.\n"
		fstest.Equal(t, b.sh(in+"ctxfs memory --summary"), want, "the summary")
		if got := b.ok("memory", "--summary", "--in", b.home); strings.Contains(got, "cents") || !strings.Contains(got, "tabs") {
			t.Errorf("the summary in no project:\n%s", got)
		}
		fstest.Contains(t, b.ok("memory"), "user/i-prefer-tabs-over-spaces — I prefer tabs over spaces. [preference, ", "shop/amounts-are-integer-cents — ", "shop/how-to-test — How to test [lesson, ")
		fstest.Contains(t, b.ok("memory", "show", "how-to-test"), "shop/how-to-test: How to test\n", "lesson of ~/src/shop, ", "  Run make db first.\n", "in ~/.local/share/ctxfs/memory/projects/shop/how-to-test.md\n")
		var l memory.Listed
		if err := json.Unmarshal([]byte(b.ok("memory", "--json", "--in", shop)), &l); err != nil || l.Project != shop || len(l.Memories) != 3 || l.Summary != want {
			t.Errorf("memory --json: %+v, %v", l, err)
		}
		fstest.Contains(t, b.ok("__complete", "forget", ""), "user/i-prefer-tabs-over-spaces\t", "shop/how-to-test\tHow to test")
		fstest.Contains(t, b.ok("find", "--in", "memory", "integer", "cents"), "memory/shop/amounts-are-integer-cents.md")
	}
	fstest.Contains(t, b.ok("here", "--page", shop), "## Remembered\n", "- Amounts are integer cents — ../../memory/shop/amounts-are-integer-cents.md\n")
	b.shows("AGENTS.md", "## memory/: known from before: SUMMARY.md")

	// A file that is created in the inbox, and one that an editor writes.
	b.sh(in + "printf 'The port is 4711.\\n' > " + b.mnt("memory/inbox/port.md"))
	b.shows("memory/inbox/port.result", "remembered as shop/port.md")
	b.shows("memory/shop/port.md", "The port is 4711.", "scope: \"~/src/shop\"")
	b.write(".local/share/ctxfs/memory/projects/shop/port.md", "The port is 4712.\n")
	b.shows("memory/shop/port.md", "The port is 4712.")

	// What contradicts it is told.
	fstest.Contains(t, b.run("remember", "I prefer spaces over tabs").err, "it seems to contradict user/i-prefer-tabs-over-spaces.md")
	b.shows("memory/INDEX.md", "  - differs from user/i-prefer-tabs-over-spaces.md (")
	b.shows("memory/SUMMARY.md", "\n  - but I prefer ")

	// Forgetting, and undoing it.
	forgot := b.ok("forget", "user/i-prefer-spaces-over-tabs")
	if !strings.HasPrefix(forgot, "forgotten: user/i-prefer-spaces-over-tabs.md\n  undo: mv ") {
		t.Errorf("forget: %s", forgot)
	}
	b.refused(exitFailed, []string{"no memory is called", "ctxfs memory"}, "forget", "i-prefer-spaces-over-tabs")
	_, undo, _ := strings.Cut(forgot, "undo: ")
	b.sh(undo)
	fstest.Contains(t, b.ok("memory", "show", "i-prefer-spaces-over-tabs"), "  differs from user/i-prefer-tabs-over-spaces\n")

	b.refused(exitUsage, []string{"remember what?"}, "remember")
	b.refused(exitUsage, []string{"there is nothing to remember"}, "remember", "  ")
	b.refused(exitUsage, []string{"--project=DIR"}, "remember", "--project", "x", shop)
	b.refused(exitUsage, []string{"there is no type \"poem\""}, "remember", "--type", "poem", "x")
	b.refused(exitUsage, []string{"a memory has at most 16384 bytes"}, "remember", strings.Repeat("word ", 5000))
	b.refused(exitFailed, []string{"is in no project", "leave --project out"}, "remember", "--project="+b.home, "x")
	b.refused(exitFailed, []string{"no memory is called"}, "memory", "show", "nothing")
}

// TestRememberInAnyFolder: the name of a project's folder may have any character.
func TestRememberInAnyFolder(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("src/a\nb/go.mod", "module a\n")
	in := "cd 'src/a\nb' && "
	fstest.Equal(t, b.sh(in+"git init -q -b main && ctxfs remember --project 'Amounts are integer cents'"), "a_b/amounts-are-integer-cents.md\n", "remember")
	if got := b.sh(in + "ctxfs memory --summary"); !strings.Contains(got, "b\n- Amounts are integer cents\n") || strings.Contains(got, "a\nb") {
		t.Errorf("the summary: %s", got)
	}
	b.sh(in + "ctxfs memory && ctxfs memory show amounts-are-integer-cents && ctxfs forget amounts-are-integer-cents --yes")
	for _, args := range [][]string{{"remember", "--project=nowhere", "x"}, {"memory", "--in", "nowhere"}, {"memory", "proposed", "--in", "nowhere"}, {"note", "--in", "nowhere"}, {"here", "nowhere"}, {"plans", "--in", "nowhere"}} {
		b.refused(exitFailed, []string{"there is no folder nowhere"}, args...)
	}
}

// TestRememberAtOnce: processes that remember at once lose nothing, and none remembers
// what another one has just remembered.
func TestRememberAtOnce(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	const writers, each = 4, 4
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			for i := range each {
				if got := b.run("remember", fmt.Sprintf("Writer %d says the words number %d", n, i)); got.code != exitOK {
					t.Errorf("%v", got)
				}
				if got := b.run("remember", fmt.Sprintf("All say the words number %d", i)); got.code != exitOK {
					t.Errorf("%v", got)
				}
			}
		})
	}
	all.Wait()
	if files := b.list(".local/share/ctxfs/memory/user"); len(files) != writers*each+each {
		t.Errorf("%d files: %q", len(files), files)
	}
	var l memory.Listed
	if err := json.Unmarshal([]byte(b.ok("memory", "--json")), &l); err != nil || len(l.Memories) != writers*each+each {
		t.Errorf("%d memories, %v", len(l.Memories), err)
	}
}

// list returns the files in a folder of the home, with all below it.
func (b *box) list(dir string) (files []string) {
	b.Helper()
	return strings.Fields(b.sh("find " + dir + " -type f"))
}

// TestRememberAfterAKill: what a process leaves that is killed while it remembers stops nobody,
// and is no memory.
func TestRememberAfterAKill(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".local/share/ctxfs/memory/user/.new-1", "---\ndescription: Half")
	fstest.Equal(t, b.ok("remember", "The last one"), "user/the-last-one.md\n", "after a kill")
	if got := b.ok("memory"); strings.Contains(got, "new-") || strings.Contains(got, "Half") || !strings.Contains(got, "the-last-one") {
		t.Errorf("memory:\n%s", got)
	}
}

// TestRememberedByServer: what a real memory server of MCP remembers shows as it does.
func TestRememberedByServer(t *testing.T) {
	t.Parallel()
	modules := fstest.NodeModules(t, "@modelcontextprotocol/server-memory")
	b := newBox(t)
	b.write(".cursor/mcp.json", asJSON(map[string]any{"mcpServers": map[string]any{"brain": map[string]any{
		"command": "node", "args": []string{filepath.Join(modules, "@modelcontextprotocol/server-memory/dist/index.js")},
		"env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(b.home, "brain.jsonl")},
	}}}))
	b.mount()
	b.ready("brain")
	b.ok("call", "brain", "create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["writes Go","lives in Graz"]}]}`)
	b.shows("memory/user/Ada.md", "description: \"Ada (person): writes Go\"\n", "source: [\"mcp-memory: ~/brain.jsonl\"]\n", "- lives in Graz\n")
	b.ok("call", "brain", "add_observations", `{"observations":[{"entityName":"Ada","contents":["likes tea"]}]}`)
	b.shows("memory/user/Ada.md", "- likes tea\n")
}

// TestForgetAtTerminal: a person is asked first, and shown what is about to be forgotten.
func TestForgetAtTerminal(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.ok("remember", "Tabs, please")
	w := b.open("forget", "tabs-please")
	w.sees("user/tabs-please.md: Tabs, please\r\nforget 1 memory? [y/N] ")
	w.types("n\r")
	w.sees("nothing was forgotten")
	fstest.Contains(t, b.ok("memory"), "Tabs, please")
	w = b.open("forget", "tabs-please")
	w.sees("[y/N] ")
	w.types("y\r")
	w.sees("forgotten: user/tabs-please.md\r\n  undo: mv ")
	w = b.open("forget", "tabs-please")
	w.sees("no memory is called \"tabs-please\"")
}
