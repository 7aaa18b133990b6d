package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/prompt"
)

// TestReadingRunsNothing reads the whole mount of a process whose PATH has, by the name of each
// program, one that says that it was run. It is the real program, since PATH is that of the
// process.
func TestReadingRunsNothing(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.fromEverywhere()
	b.write(".claude/skills/one/SKILL.md", "---\nname: one\ndescription: Use it.\n---\nRide.\n")
	b.write(".config/ctxfs/config.toml", "[workspaces]\ndirs = [\"~/repo\"]\n")
	b.sh("mkdir repo && cd repo && git init -q && date >file && git add file && git -c user.name=a -c user.email=a@example.com commit -qm Begin")
	journal, programs := filepath.Join(b.dir, "journal"), filepath.Join(b.dir, "programs")
	must(t, os.Mkdir(programs, 0o700))
	const script = "#!/bin/bash\necho \"$0 $*\" >>'%s'\nPATH='%s' exec \"${0##*/}\" \"$@\"\n"
	must(t, fstest.WriteProgram(programs+"/.run", fmt.Appendf(nil, script, journal, os.Getenv("PATH")), 0o700))
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		all, _ := os.ReadDir(dir) // it may not be there
		for _, program := range all {
			_ = os.Symlink(".run", filepath.Join(programs, program.Name())) // it may be there already
		}
	}
	b.with("PATH", programs).mount()
	b.ready("zoo", "bank")
	b.run("run", "--", "sh", "-c", "echo x; exit 3")
	b.shows("workspaces/repo/HERE.md", "last commit: Begin")
	before := readFile(t, journal)
	fstest.Contains(t, before, "git ")
	b.sh("find .agentctx -type f -exec cat {} + >/dev/null; ls -lR .agentctx >/dev/null; cat .agentctx/AGENTS.md .agentctx/STATUS.md .agentctx/*/INDEX.* >/dev/null")
	if after := readFile(t, journal); after != before {
		t.Errorf("while the tree was read, these ran: %s", strings.TrimPrefix(after, before))
	}
}

// TestNothingIsRenderedOnDemand walks the whole tree: only what is made of a
// session's text, and what is looked up by name, is made when it is read. AGENTS.md is the
// same page after a restart.
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

	pages := make(map[int]string)
	for round := range 2 {
		w := usertree.New(usertree.Options{
			Environ:   func() []string { return nil },
			LookupEnv: func(string) (string, bool) { return "", false },
			Places: places.Places{
				Home: b.home, Config: b.config, State: filepath.Join(b.state, "ctxfs"), Cache: filepath.Join(b.cache, "ctxfs"),
			},
		})
		w.Providers().Start()
		fstest.Settled(t, w)
		read := func(path string) string {
			n, err := w.Resolve(t.Context(), path)
			must(t, err)
			text, err := w.ReadAll(t.Context(), n.(fs.File))
			must(t, err)
			return string(text)
		}
		if !strings.Contains(read("transcripts/INDEX.tsv"), "0b0e2bd1") {
			t.Error("the session is not listed")
		}
		pages[round] = read("AGENTS.md")
		fstest.Equal(t, pages[round], prompt.Page(factsOf(t, w)), "AGENTS.md")
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
