package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/tokens"
)

// TestHardFiles: whatever lies in the folder, what can be shown is shown, and why the rest
// is odd is said.
func TestHardFiles(t *testing.T) {
	w := newWorld(t, map[string]string{
		own + "user/long.md":           "---\ndescription: Long\n---\n" + strings.Repeat("A long line of text.\n", 500_000),
		own + "user/bytes.md":          "Latin \xe9 bytes\n",
		own + "user/escape.md":         "Red \x1b[31m and \u202e backwards\n",
		own + "user/empty.md":          " \n",
		own + "user/matter.md":         "---\ndescription: Only front matter\n---\n",
		own + "user/broken.md":         "---\n[\n---\nThe text below a broken head.\n",
		own + "user/open.md":           "---\ndescription: never closed\nThe rest.\n",
		own + "user/other.md":          "---\ntitle: Of another tool\ntags: [a, b]\nlabel: human\nlimit: 2000\ntype: poem\nscope: {a: b}\nmodified: yesterday\n---\nText of another tool.\n",
		own + "user/list.md":           "---\ndescription: [a, b]\nsource: {who: me}\n---\nA list as a description.\n",
		own + "user/secret.md":         "---\ndescription: The key is ghp_abcdefghijklmnopqrstuvwxyz0123456789\n---\npassword=hunter2hunter2\n",
		own + "user/我的记忆.md":           "总是用制表符缩进。\n",
		own + "user/Füße auf Tisch.md": "Keine Füße.\n",
		own + "user/a\nb.md":           "A name of two lines.\n",
		own + "user/summary.md":        "A name that is taken.\n",
		own + "user/UPPER.MD":          "Upper case.\n",
		own + "user/upper.md":          "Lower case.\n",
		own + "user/notes.txt":         "No Markdown.\n",
		own + "user/inside.md":         "-> long.md",
		own + "user/outside.md":        "-> /etc/passwd",
		own + "user/loop.md":           "-> loop.md",
		own + "user/future.md":         "---\nmodified: 2031-01-01T00:00:00Z\n---\nFrom the future.\n",
		own + "user/older.md":          "---\nmodified: 2020-01-01\n---\nOlder than its file.\n",
		own + "projects/inbox/x.md":    "A project called inbox.\n",
		own + "projects/没有/x.md":       "A project that is nowhere.\n",
		own + "projects/loose.md":      "In no project.\n",
		own + "loose.md":               "At the top.\n",
	})
	fstest.Must(t, syscall.Mkfifo(w.Path(own+"user/pipe.md"), 0o600))
	fstest.Must(t, os.WriteFile(w.Path(own+"user/both.md"), []byte("---\nmodified: 2031-01-01\n---\nBoth clocks are wrong.\n"), 0o600))
	late := now.Add(100 * time.Hour)
	fstest.Must(t, os.Chtimes(w.Path(own+"user/both.md"), late, late))
	fstest.Must(t, os.MkdirAll(w.Path(own+"user/dir.md"), 0o700))
	w.start(true)
	fstest.Check(t, w.Tree)

	// A link to it is the same memory.
	if long := w.Cat("user/inside.md"); len(long) > 70_000 || !strings.Contains(long, "notes: [\"the file has 10.5 MB, and only its beginning is shown\"]") {
		t.Errorf("10 MB are shown as %d bytes: %.300s", len(long), long)
	}
	fstest.Contains(t, w.Cat("user/bytes.md"), "Latin \uFFFD bytes", "the file is not UTF-8 text")
	if got := w.Cat("user/escape.md"); strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, "backwards") {
		t.Errorf("escapes: %q", got)
	}
	if w.Cat("user/empty.md") != "" || w.Cat("user/pipe.md") != "" || w.Cat("user/outside.md") != "" || w.Cat("user/loop.md") != "" || w.Cat("user/notes.md") != "" {
		t.Error("what is no memory is shown")
	}
	fstest.Contains(t, w.Cat("user/matter.md"), "---\n\nOnly front matter\n")
	fstest.Contains(t, w.Cat("user/broken.md"), "The text below a broken head.", "notes: [\"the front matter cannot be read as YAML")
	fstest.Contains(t, w.Cat("user/open.md"), "The rest.")
	fstest.Contains(t, w.Cat("user/other.md"), "description: \"Text of another tool.\"\ntype: fact\nscope: user\n", "modified: 2026-05-01T11:00:00Z\n")
	fstest.Contains(t, w.Cat("user/list.md"), "description: \"A list as a description.\"\n")
	if got := w.Cat("user/secret.md") + w.Cat("INDEX.md"); strings.Contains(got, "hunter2") || strings.Contains(got, "ghp_") {
		t.Errorf("a secret is shown:\n%s", got)
	}
	fstest.Contains(t, w.Cat("user/我的记忆.md"), "type: preference\n", "总是用制表符缩进。\n")
	fstest.Contains(t, w.Cat("user/Füße_auf_Tisch.md"), "Keine Füße.")
	fstest.Contains(t, w.Cat("user/a_b.md"), "A name of two lines.")
	fstest.Contains(t, w.Cat("user/summary~2.md"), "A name that is taken.")
	fstest.Contains(t, w.Cat("user/UPPER.md")+w.Cat("user/upper~2.md"), "Upper case.", "Lower case.")
	fstest.Contains(t, w.Cat("user/future.md"), "modified: 2026-05-01T11:00:00Z\n", "it says that it is from the future: 2031-01-01T00:00:00Z")
	fstest.Contains(t, w.Cat("user/older.md"), "modified: 2020-01-01T00:00:00Z\n")
	if got := w.Cat("user/both.md"); strings.Contains(got, "modified:") || !strings.Contains(got, "from the future") {
		t.Errorf("both clocks are wrong:\n%s", got)
	}
	fstest.Contains(t, w.Cat("inbox~2/x.md"), "A project called inbox.")
	fstest.Contains(t, w.Cat("没有/x.md"), "A project that is nowhere.")
	fstest.Contains(t, w.Cat("user/loose.md")+w.Cat("user/loose~2.md"), "At the top.", "In no project.")
	fstest.Contains(t, w.Cat("INDEX.md"), "## 没有: 没有, whose folder is not known\n")
}

// TestOwnMount: a folder in a mount of ours is neither read nor written: both would wait
// for ourselves.
func TestOwnMount(t *testing.T) {
	w := newWorld(t, map[string]string{
		".config/ctxfs/config.toml": "[memory]\ndir = \"~/mount/memory\"\n", "mount/memory/user/a.md": "A\n", "mount/memory/b.md": "B\n",
		".claude/settings.json": `{"autoMemoryDirectory": "~/mount/memory"}`, ".gemini/GEMINI.md": "-> ../mount/memory/b.md",
		".cursor/mcp.json": `{"env":{"MEMORY_FILE_PATH":"~/mount/memory/b.md"}}`,
	})
	w.hide = func(path string) bool { return path == w.Path("mount") }
	w.start(false)
	fstest.WantNames(w.T, w.Tree, "", "INDEX.md SUMMARY.md inbox proposed")
	if _, err := OpRemember.Ask(context.Background(), fs.Operations(w.Operations()), RememberQuery{Text: "x y"}); err == nil || !strings.Contains(err.Error(), "in a mount of ctxfs") {
		t.Errorf("remember: %v", err)
	}
	fstest.Settled(t, w) // nothing else looks
	for _, path := range w.look(t.Context()).Watch {
		if fs.Within(path, w.Path("mount")) {
			t.Errorf("%s is watched", path)
		}
	}
}

// TestMerge: in the middle of a merge both versions are shown, beside each other.
func TestMerge(t *testing.T) {
	w := newWorld(t, map[string]string{
		own + ".git/MERGE_HEAD": "0123\n",
		own + "user/port.md": "---\ndescription: The staging port is known\ntype: fact\n<<<<<<< HEAD\nmodified: 2026-03-01\n=======\nmodified: 2026-04-01\n>>>>>>> laptop\n---\n" +
			"<<<<<<< HEAD\nIt is 8080.\n||||||| base\nIt is 80.\n=======\nIt is 9090.\n>>>>>>> laptop\n",
		own + "user/git.md": "In git a conflict begins with <<<<<<< and has ======= in the middle.\n",
	}).start(true)
	fstest.Contains(t, w.Cat("user/port.md")+w.Cat("user/port~2.md"), "It is 8080.", "It is 9090.", "this is the version of HEAD", "this is the version of laptop", "modified: 2026-03-01T", "modified: 2026-04-01T", "differs: [\"user/port")
	if got := w.Cat("user/port.md") + w.Cat("user/port~2.md") + w.Cat("INDEX.md"); strings.Contains(got, "<<<<<<< HEAD") || strings.Contains(got, "It is 80.\n") {
		t.Errorf("marks of the conflict are shown:\n%s", got)
	}
	fstest.Contains(t, w.Cat("INDEX.md"), "  - differs from user/port")
	fstest.Contains(t, w.Cat("user/git.md"), "begins with <<<<<<< and has =======")
	s := w.Status()
	if len(s.Problems) != 1 || s.State != "degraded" || !strings.Contains(s.Problems[0].What, "in the middle of a merge in ~/"+strings.TrimSuffix(own, "/")+": 1 memory with two versions") || !strings.Contains(s.Problems[0].Mend, "git -C ") {
		t.Errorf("status %+v", s)
	}
	// To forget one version would remove both.
	ask := func(names ...string) ([]Forgotten, error) {
		return OpForget.Ask(context.Background(), fs.Operations(w.Operations()), ForgetQuery{Names: names})
	}
	if f, err := ask("user/port"); err == nil || !strings.Contains(err.Error(), "user/port~2.md") || !strings.Contains(err.Error(), "marks of a merge") {
		t.Errorf("one version is forgotten: %v, %v", f, err)
	}
	fstest.Contains(t, w.Cat("user/port.md")+w.Cat("user/port~2.md"), "It is 8080.", "It is 9090.")
	fstest.Must(t, os.Rename(w.Path(own+".git"), w.Path(own+".no-git")))
	w.Look()
	if s := w.Status(); len(s.Problems) != 1 || strings.Contains(s.Problems[0].Mend, "git -C ") {
		t.Errorf("without a repository: %+v", s.Problems)
	}
	fstest.Must(t, os.Rename(w.Path(own+".no-git"), w.Path(own+".git")))
	w.Look()
	// What is remembered meanwhile is a file of its own.
	got, err := OpRemember.Ask(context.Background(), fs.Operations(w.Operations()), RememberQuery{Text: "Remembered during a merge"})
	fstest.Must(t, err)
	fstest.Contains(t, w.Cat(got.Path), "Remembered during a merge")

	w.Write(own+"user/port.md", "It is 9090.\n")
	fstest.Must(t, os.Remove(w.Path(own+".git/MERGE_HEAD")))
	w.Look()
	if s := w.Status(); len(s.Problems) != 0 || w.Cat("user/port~2.md") != "" {
		t.Errorf("after the merge: %+v", s)
	}
}

// TestUnwritable: where nothing can be written, the cause is said and what to do; what is
// there is shown.
func TestUnwritable(t *testing.T) {
	w := newWorld(t, map[string]string{".config/ctxfs/config.toml": "[memory]\ndir = \"/proc/memories\"\n"}).start(true)
	_, err := OpRemember.Ask(context.Background(), fs.Operations(w.Operations()), RememberQuery{Text: "x y"})
	var f interface{ Fix() string }
	if err == nil || !strings.Contains(err.Error(), "/proc/memories cannot be written: ") || !errors.As(err, &f) || !strings.Contains(f.Fix(), "[memory] dir") {
		t.Errorf("an error that does not help: %v", err)
	}
	fstest.Contains(t, w.put("x.md", "A text", ""), `"ok":false`, "/proc/memories cannot be written")
	w.Write(".config/ctxfs/config.toml", "[memory]\ndir = \"~/file\"\n")
	w.Write("file", "no folder")
	w.Reload()
	if _, err := OpRemember.Ask(context.Background(), fs.Operations(w.Operations()), RememberQuery{Text: "x y"}); err == nil || !strings.Contains(err.Error(), "~/file cannot be written: not a directory") {
		t.Errorf("a file is the folder: %v", err)
	}
}

// TestSummary: whatever is remembered, the summary has at most 300 tokens, the project's
// part first, and what matters most of it.
func TestSummary(t *testing.T) {
	for script, word := range map[string]string{
		"Latin": "wörd ", "Chinese": "记忆", "emoji": "👩‍👩‍👧‍👦", "random": "xq7Zk9", "Thai": "ความจำ", "symbols": "@#$%^&*", "long": strings.Repeat("a", 300),
	} {
		files := make(map[string]string)
		for i := range 40 {
			files[fmt.Sprintf("%suser/u%02d.md", own, i)] = fmt.Sprintf("---\ntype: %s\n---\nUser %d %s\n", []string{"fact", "preference"}[i%2], i, strings.Repeat(word, 40))
			files[fmt.Sprintf("%sprojects/shop/p%02d.md", own, i)] = fmt.Sprintf("---\ntype: %s\nscope: ~/src/shop\n---\nShop %d %s\n", []string{"lesson", "decision"}[i%2], i, strings.Repeat(word, 40))
			files[fmt.Sprintf("src/q%02d/go.mod", i)] = ""
			files[fmt.Sprintf("%sprojects/q%02d/x.md", own, i)] = fmt.Sprintf("---\nscope: ~/src/q%02d\n---\nOther %d %s\n", i, i, strings.Repeat(word, 40))
		}
		files["src/shop/go.mod"] = ""
		w := newWorld(t, files).start(false)
		for _, path := range []string{"SUMMARY.md", "shop/SUMMARY.md", "user/SUMMARY.md"} {
			page := w.Cat(path)
			if n := tokens.Count(page); n > 300 || n < 90 {
				t.Errorf("%s, %s: %d tokens:\n%s", script, path, n, page)
			}
		}
		page := w.Cat("shop/SUMMARY.md")
		if script == "Latin" {
			fstest.Contains(t, page, "## ~/src/shop\n- Shop ", " more in memory/shop/\n", "## the user\n", " more in memory/user/\n")
			if strings.Contains(page, "Shop 0 ") || !strings.Contains(page, "Shop 1 ") {
				t.Errorf("lessons come before decisions:\n%s", page)
			}
		}
	}
}

// TestContradictions are shown beside each other, with their dates, and what is equal once.
func TestContradictions(t *testing.T) {
	w := newWorld(t, map[string]string{
		"src/shop/go.mod":           "",
		own + "user/tabs.md":        "---\nmodified: 2026-01-05\ntype: preference\n---\nAlways use tabs.\n",
		own + "user/spaces.md":      "---\nmodified: 2026-03-05\ntype: preference\n---\nNever use tabs!\n",
		own + "projects/shop/go.md": "---\nscope: ~/src/shop\nmodified: 2026-02-01\n---\nThe shop is written in Go.\n",
		own + "projects/shop/rs.md": "---\nscope: ~/src/shop\nmodified: 2026-04-01\n---\nThe shop is written in Rust.\n",
		".codex/memories/MEMORY.md": "# Task Group: x\n\napplies_to: cwd=/nowhere\n\n## Reusable knowledge\n\n- the shop is written in **Go**\n",
		".gemini/GEMINI.md":         "## Gemini Added Memories\n- always use tabs\n",
	}).start(true)
	fstest.Contains(t, w.Cat("INDEX.md"),
		"- user/spaces.md — Never use tabs! [preference, 2026-03-05]\n",
		"- user/tabs.md — Always use tabs. [preference, 2026-05-01, ctxfs, gemini]\n  - differs from user/spaces.md (2026-03-05): Never use tabs!\n",
		"  - differs from shop/go.md (2026-02-01): The shop is written in Go.\n")
	fstest.Contains(t, w.Cat("user/tabs.md"), "source: [\"~/"+own+"user/tabs.md\", \"gemini: ~/.gemini/GEMINI.md\"]\n", "differs: [\"user/spaces.md (2026-03-05): Never use tabs!\"]\n")
	fstest.Contains(t, w.Cat("SUMMARY.md"),
		"- The shop is written in Rust. (2026-04-01)\n  - but The shop is written in Go. (2026-02-01)\n",
		"- Always use tabs. (2026-05-01)\n  - but Never use tabs! (2026-03-05)\n")
	if s := w.Status().Summary; !strings.Contains(s, ", 4 that contradict others") {
		t.Errorf("status: %s", s)
	}
	fstest.Must(t, os.Remove(w.Path(own+"user/spaces.md")))
	fstest.Settles(t, w, "no contradiction", func() bool { return !strings.Contains(w.Cat("user/tabs.md"), "differs") })
}
