package workspaces

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/tokens"
	known "ctxfs/providers/internal/workspaces"
	"ctxfs/providers/workspaces/build"
	"ctxfs/providers/workspaces/git"
	"ctxfs/providers/workspaces/processes"
)

// TestCommandsOfAPage: tests come first, what worked is told with its command, and what a
// terminal runs is told once.
func TestCommandsOfAPage(t *testing.T) {
	f := herePage{workspace: known.Workspace{Name: "shop", Dir: "/src/shop"}}
	f.look.trusted = true
	f.look.build = []build.Command{
		{Purpose: build.Install, Line: "npm install", Sources: []string{"package.json"}},
		{Purpose: build.Build, Line: "npm run build", Sources: []string{"package.json:3"}},
		{Purpose: build.Test, Line: "npm test", Sources: []string{"package.json:4"}},
		{Purpose: build.Test, Line: "npm run test:unit", Sources: []string{"package.json:5"}},
	}
	f.remarks = []facts.Remark{
		{Topic: facts.TopicBuild, Text: "`npm test` worked 2026-03-01 12:00 (2 times, codex)"},
		{Topic: facts.TopicBuild, Text: "`npx tape test/a.js` worked (1 time, pi)"},
		{Topic: facts.TopicRunning, Text: "`npm run dev` in terminal web since 2026-03-01 12:00", Path: "terminals/web.txt"},
		{Topic: facts.TopicRunning, Text: "`make watch` in terminal 2 since 2026-03-01 12:00", Path: "terminals/2.txt"},
		{Topic: facts.TopicTasks, Text: "write the cart (begun, pi)", Path: "plans/shop/pi-the-cart-and-all-that-was-said-of-it.md"},
		{Topic: facts.TopicRules, Text: "`AGENTS.md`: amounts are cents", Path: "rules/shop/AGENTS.md"},
	}
	f.running = []processes.Process{{PID: 7, Command: "node dev.js", Listens: []string{"tcp 127.0.0.1:5173"}, Terminal: "web", Since: day}}
	want := `# shop

/src/shop

## Build and test
- test: ` + "`npm test`" + ` (package.json:4), worked 2026-03-01 12:00 (2 times, codex)
- build: ` + "`npm run build`" + ` (package.json:3)
- install: ` + "`npm install`" + ` (package.json)
- ` + "`npx tape test/a.js`" + ` worked (1 time, pi)
- test: ` + "`npm run test:unit`" + ` (package.json:5)

## Open tasks (whole: ../../plans/)
- write the cart (begun, pi)

## Running
- ` + "`node dev.js`" + ` listens on tcp 127.0.0.1:5173, pid 7, terminal web, since 2026-03-01 12:00
- ` + "`make watch`" + ` in terminal 2 since 2026-03-01 12:00 — ../../terminals/2.txt

## Rules
- ` + "`AGENTS.md`" + `: amounts are cents
` + foot
	f.look.gitErr = git.ErrNone
	fstest.Equal(t, f.page(), want)
	f.look.build[2].Comment = "first run evil"
	fstest.Contains(t, f.page(), "evil")
	f.look.trusted = false
	fstest.ContainsNot(t, f.page(), "evil")
}

// TestLeastOfAPage: where there is much to say of everything, each part keeps what is
// needed of it.
func TestLeastOfAPage(t *testing.T) {
	f := herePage{workspace: known.Workspace{Name: "shop", Dir: "/src/shop"}}
	f.look.gitErr = git.ErrNone
	for _, topic := range []facts.Topic{facts.TopicBuild, facts.TopicFailing, facts.TopicTasks, facts.TopicSessions, facts.TopicRunning, facts.TopicRules} {
		for i := range 9 {
			f.remarks = append(f.remarks, facts.Remark{Topic: topic, Text: string(topic) + " and some words more of that " + string(rune('a'+i)), Time: day.Add(-time.Duration(i) * time.Hour)})
		}
	}
	page := f.page()
	for _, want := range []string{"build and some words more of that e", "failing and some words more of that b", "tasks and some words more of that b", "rules and some words more of that c", "running and some words more of that b"} {
		fstest.Contains(t, page, want)
	}
	if n := tokens.Count(page); n > maxHere {
		t.Errorf("%d tokens", n)
	}
}

// TestWorktreesAndStashes: whoever stands in a worktree is told of its branch, not only of
// that of the repository.
func TestWorktreesAndStashes(t *testing.T) {
	w := newWorld(t)
	lib, shop := w.repository("lib"), w.repository("shop")
	w.git(shop, "submodule", "--quiet", "add", lib, "vendor/lib")
	w.git(shop, "commit", "-q", "-m", "lib")
	w.git(filepath.Join(shop, "vendor", "lib"), "commit", "-q", "--allow-empty", "-m", "more")
	cart := filepath.Join(shop, "cart.txt")
	fstest.Must(t, os.WriteFile(cart, nil, 0o600))
	w.git(shop, "add", "cart.txt")
	w.git(shop, "stash", "push", "-q", "-m", "half a cart", "cart.txt")
	w.git(shop, "worktree", "add", "-q", "-b", "fix/total", filepath.Join(w.home, "shop-fix"))
	fstest.Must(t, os.WriteFile(filepath.Join(w.home, "shop-fix", "total.txt"), nil, 0o600))
	p := w.newPlace(known.Workspace{Name: "shop", Dir: shop, Worktrees: []string{filepath.Join(w.home, "shop-fix")}})
	p.survey(t.Context())
	for _, want := range []string{
		"git: on branch main\n",
		"uncommitted: 1 changed: vendor/lib (a submodule, at another commit)\n",
		"stashed: 1 change, the last \"On main: half a cart\"\n",
		"worktree ~/shop-fix: on branch fix/total; uncommitted: 1 untracked: total.txt\n",
	} {
		fstest.Contains(t, p.shown[hereName], want)
	}
	for _, want := range []string{" M vendor/lib (a submodule, at another commit)\n", "\n# Worktree ~/shop-fix\n\n- branch: fix/total\n- uncommitted: 1 untracked\n"} {
		fstest.Contains(t, p.shown[gitName], want)
	}
}
