package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/prompt"
)

// TestFrontPageWhileCountingHangs reads the whole mount while the program that
// counts tokens hangs: the last page is read at once, and nothing else runs.
func TestFrontPageWhileCountingHangs(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.fromEverywhere()
	for i := range 40 { // more than surely fit: a page that names all would not be counted
		name := fmt.Sprint("a-skill-with-a-long-name-", i)
		b.write(".claude/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Use it.\n---\nRide.\n")
	}
	own := filepath.Join(b.dir, "own")
	must(t, os.Link(binary(), own))
	b.do(own, "mount")
	b.ready("zoo", "bank", "farm")
	b.shows("AGENTS.md", "Servers (tools): bank (1), farm (1), zoo (1)")
	b.run("run", "--", "sh", "-c", "echo x; exit 3")
	b.settles("the page is counted", func() bool {
		page := b.read("AGENTS.md")
		return strings.Contains(page, "Open now: none\n") && b.ok("prompt") == page
	})
	before := b.read("AGENTS.md")

	journal := filepath.Join(b.dir, "counted")
	since := time.Now() // before anything that counts hangs
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >>%s\nexec sleep 1000\n", journal)
	must(t, fstest.WriteProgram(own+".new", []byte(script), 0o755))
	must(t, os.Rename(own+".new", own))
	b.write(".claude/skills/two/SKILL.md", "---\nname: two\ndescription: Use it.\n---\nRide.\n")
	counts := func() int {
		text, _ := os.ReadFile(journal)
		return strings.Count(string(text), "prompt --facts\n")
	}
	b.ok("wait", "file", journal, "--for", "prompt --facts")
	begun := time.Now()
	if got := b.read("AGENTS.md"); got != before {
		t.Errorf("while the counter hangs the page is\n%s", got)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("reading it took %v", took)
	}

	// Nothing in the tree is made by a program, or when it is read.
	pid := b.pid()
	known := childrenOf(pid)
	const counter = " prompt --facts" // one that hangs is ended, and tried again; how often is looked at below
	itself, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	must(t, err)
	forked := strings.ReplaceAll(strings.TrimRight(string(itself), "\x00"), "\x00", " ") // of a child that is not a program of its own yet
	stop, watched := make(chan struct{}), make(chan string)
	go func() {
		var seen []string
		for {
			for child, args := range childrenOf(pid) {
				if known[child] == "" && args != forked && !strings.HasPrefix(args, "sleep") && !strings.HasSuffix(args, counter) {
					seen = append(seen, args)
				}
			}
			select {
			case <-stop:
				watched <- strings.Join(seen, "\n")
				return
			case <-time.After(time.Millisecond): // shorter than any program runs
			}
		}
	}()
	runs := counts()
	b.sh("find .agentctx -type f -exec cat {} + >/dev/null; ls -lR .agentctx >/dev/null; cat .agentctx/AGENTS.md .agentctx/STATUS.md .agentctx/*/INDEX.* >/dev/null")
	took := time.Since(since)
	close(stop)
	if seen := <-watched; seen != "" {
		t.Errorf("while the tree was read, these ran: %s", seen)
	}
	if more := counts() - runs; more > int(took/time.Minute) { // it is tried again by itself, once a minute at most
		t.Errorf("%d pages were counted while the tree was read for %v", more, took)
	}
}

// childrenOf are the processes that a process has started, with their arguments.
func childrenOf(pid int) map[int]string {
	found := make(map[int]string)
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(field)
			args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
			if len(args) > 0 {
				found[child] = strings.ReplaceAll(strings.TrimRight(string(args), "\x00"), "\x00", " ")
			}
		}
	}
	return found
}

// frontTree is the tree of a box in this process, which counts its own pages.
func frontTree(b *box, page func(context.Context, []prompt.Folder) (string, error)) *usertree.Tree {
	return usertree.New(usertree.Options{
		LookupEnv: func(string) (string, bool) { return "", false },
		Places: places.Places{
			Home: b.home, Config: b.config, State: filepath.Join(b.state, "ctxfs"), Cache: filepath.Join(b.cache, "ctxfs"),
		},
		Page: page,
	})
}

// TestNothingIsRenderedOnDemand walks the whole tree: only what is made of a
// session's text, and what somebody looks up by name, is made when it is read.
// Nothing is counted again after a restart.
func TestNothingIsRenderedOnDemand(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.fromEverywhere()
	b.write(".claude/skills/one/SKILL.md", "---\nname: one\ndescription: Use it.\n---\nRide.\n")
	b.write(".pi/agent/sessions/--work--/2026-05-12T01-02-27-657Z_0b0e2bd1-1111-4000-8000-000000000001.jsonl",
		`{"type":"session","version":3,"id":"0b0e2bd1-1111-4000-8000-000000000001","timestamp":"2026-05-12T01:02:27.657Z","cwd":"/work"}
{"type":"message","id":"m1","timestamp":"2026-05-12T01:03:01Z","message":{"role":"user","content":[{"type":"text","text":"why does the login fail"}]}}
`)
	b.mount() // so that there is something of everything
	b.ready("zoo", "bank", "farm")
	b.run("run", "--", "sh", "-c", "echo x; exit 3")
	b.ok("unmount")
	must(t, os.MkdirAll(filepath.Join(b.state, "ctxfs", "results"), 0o700))
	must(t, os.WriteFile(filepath.Join(b.state, "ctxfs", "results", "2026-11-21T04-01-02Z.files.read.abcde.txt"), []byte("x\n"), 0o600))

	var counted atomic.Int64
	pages := make(map[int]string)
	for round := range 2 {
		w := frontTree(b, func(_ context.Context, folders []prompt.Folder) (string, error) {
			counted.Add(1)
			return prompt.Page(folders), nil
		})
		w.Providers().Start()
		read := func(path string) string {
			n, err := w.Resolve(t.Context(), path)
			must(t, err)
			text, err := w.ReadAll(t.Context(), n.(fs.File))
			must(t, err)
			return string(text)
		}
		b.settles("all is known", func() bool {
			return strings.Contains(read("transcripts/INDEX.tsv"), "0b0e2bd1") && read("AGENTS.md") == prompt.Page(factsOf(t, w))
		})
		pages[round] = read("AGENTS.md")
		if round == 0 {
			b.settles("the page is kept", func() bool {
				text, _ := os.ReadFile(filepath.Join(b.cache, "ctxfs", "pages.json"))
				return len(text) > 0
			})
		} else if n := counted.Load(); n > 0 {
			t.Errorf("%d pages were counted again after a restart", n)
		}
		counted.Store(0)
		files := 0
		var walk func(path string, d fs.Dir)
		walk = func(path string, d fs.Dir) {
			entries, err := w.List(t.Context(), d)
			must(t, err)
			for _, e := range entries {
				child := strings.TrimPrefix(path+"/"+e.Name, "/")
				n, err := w.Resolve(t.Context(), child)
				must(t, err)
				if d, ok := n.(fs.Dir); ok {
					walk(child, d)
					continue
				}
				a, err := n.Attr(t.Context())
				must(t, err)
				files++
				ofSession := strings.HasPrefix(child, "transcripts/pi/") && strings.Count(child, "/") > 3
				if a.Size == fs.SizeOnDemand && !ofSession {
					t.Errorf("%s is made when it is read", child)
				}
			}
		}
		walk("", w.Root())
		if files < 30 {
			t.Errorf("only %d files were seen", files)
		}
		w.Close()
	}
	if pages[0] != pages[1] {
		t.Errorf("the page was\n%s\nand is\n%s", pages[0], pages[1])
	}
}

// factsOf asks a tree for the facts of AGENTS.md.
func factsOf(t *testing.T, tree *usertree.Tree) []prompt.Folder {
	t.Helper()
	facts, err := usertree.OpFacts.Ask(t.Context(), tree.Operations(), usertree.FactsQuery{})
	must(t, err)
	return facts
}
