package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/setup/edit"
)

// place is a home with a journal.
type place struct {
	*testing.T
	dir string
	*Journal
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	return &place{t, dir, At(filepath.Join(dir, "state", "setup.json"))}
}

func (p *place) path(name string) string { return filepath.Join(p.dir, "home", name) }

func (p *place) file(name, text string) {
	p.Helper()
	fstest.Must(p, os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	fstest.Must(p, os.WriteFile(p.path(name), []byte(text), 0o640))
}

// text returns the text of a file, "-" if there is none.
func (p *place) text(name string) string {
	p.Helper()
	text, err := os.ReadFile(p.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return "-"
	}
	fstest.Must(p, err)
	return string(text)
}

func (p *place) is(name, want string) {
	p.Helper()
	fstest.Equal(p, p.text(name), want, name)
}

// wish is a wish of one owner for one file.
func (p *place) wish(owner, name string, edits ...edit.Edit) Wish {
	return Wish{Owner: owner, Changes: []edit.Change{{Path: p.path(name), Edits: edits, Why: "a test"}}}
}

// do does what was planned, and returns how many files that wrote.
func (p *place) do(steps []Step, err error) (written int) {
	p.Helper()
	fstest.Must(p, err)
	for _, s := range steps {
		if s.Writes() {
			written++
		}
		if err := p.Do(context.Background(), s); err != nil {
			p.Errorf("%s: %v", s.Path, err)
		}
	}
	return written
}

var (
	flag   = edit.Member([]string{"on"}, true)
	other  = edit.Member([]string{"hooks", "x"}, "y")
	marker = edit.Block("<!--", "pointer", "see ~/.agentctx")
)

// TestUndo: what nobody has edited since is restored to the byte, with what was made for
// it; twice is once.
func TestUndo(t *testing.T) {
	p := newPlace(t)
	const odd = "\xef\xbb\xbf{\r\n\t\"a\" :1 ,\r\n}"
	p.file("settings.json", odd)
	wishes := []Wish{p.wish("claude", "settings.json", flag, other), p.wish("codex", ".codex/x/AGENTS.md", marker)}
	fstest.Equal(t, p.do(p.Plan(wishes...)), 2, "files were written")
	if info, err := os.Stat(p.path("settings.json")); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v %v", info, err)
	}
	if steps, err := p.Plan(wishes...); len(steps) != 0 || err != nil {
		t.Errorf("twice: %v %v", steps, err)
	}
	if owners, err := p.Owners(); err != nil || strings.Join(owners, " ") != "codex claude" {
		t.Errorf("%v %v", owners, err)
	}
	p.do(p.PlanUndo("codex"))
	p.is(".codex/x/AGENTS.md", "-")
	if exists(p.path(".codex")) {
		t.Error("a folder that was made is left")
	}
	p.do(p.PlanUndo())
	p.is("settings.json", odd)
	if steps, err := p.PlanUndo(); len(steps) != 0 || err != nil {
		t.Errorf("undone twice: %v %v", steps, err)
	}
	if exists(p.path("../state/setup.json")) {
		t.Error("the journal is left")
	}
}

// TestEdited: where others have edited since, only ours goes, and what was made stays if
// something else is in it.
func TestEdited(t *testing.T) {
	p := newPlace(t)
	p.file("a.json", "{\n  \"a\": 1\n}\n")
	p.do(p.Plan(p.wish("x", "a.json", flag, other), p.wish("y", "new/b.md", marker)))
	p.file("a.json", strings.Replace(p.text("a.json"), "\"a\": 1", "// mine\n  \"a\": 2", 1))
	p.file("new/b.md", p.text("new/b.md")+"mine\n")
	p.file("new/c", "mine")
	p.do(p.PlanUndo())
	p.is("a.json", "{\n  // mine\n  \"a\": 2\n}\n")
	p.is("new/b.md", "mine\n")
	p.is("new/c", "mine")

	// A file that others have deleted stays deleted.
	p.do(p.Plan(p.wish("x", "a.json", flag)))
	fstest.Must(t, os.Remove(p.path("a.json")))
	p.do(p.PlanUndo())
	p.is("a.json", "-")
}

// TestNewer: what an owner plans again replaces what it had, also in a file that others have
// edited since, and undoing still restores what is theirs.
func TestNewer(t *testing.T) {
	for _, edited := range []bool{false, true} {
		p := newPlace(t)
		was := "# Mine\n"
		p.file("A.md", was)
		p.file("b.json", "{}")
		p.do(p.Plan(p.wish("x", "A.md", marker), p.wish("x", "b.json", flag)))
		if edited {
			p.file("A.md", p.text("A.md")+"more\n")
			was += "more\n"
		}
		newer := p.wish("x", "A.md", edit.Block("<!--", "pointer", "see elsewhere"))
		p.do(p.Plan(newer))
		if text := p.text("A.md"); !strings.Contains(text, "elsewhere") || strings.Contains(text, "agentctx") || edited && !strings.HasSuffix(text, "end -->\nmore\n") {
			t.Errorf("%s", text)
		}
		p.is("b.json", "{}")
		if steps, err := p.Plan(newer); len(steps) != 0 || err != nil {
			t.Errorf("twice: %v %v", steps, err)
		}
		p.do(p.PlanUndo())
		p.is("A.md", was)
	}
}

// TestOwners: a file and a part of it may have several owners.
func TestOwners(t *testing.T) {
	for _, edited := range []string{"", "mine\n"} {
		p := newPlace(t)
		p.do(p.Plan(p.wish("x", "AGENTS.md", marker), p.wish("y", "AGENTS.md", marker)))
		with := p.text("AGENTS.md")
		p.file("AGENTS.md", with+edited)
		p.do(p.PlanUndo("x"))
		p.is("AGENTS.md", with+edited)
		p.do(p.PlanUndo("y"))
		if edited == "" {
			edited = "-"
		}
		p.is("AGENTS.md", edited)
	}
}

// TestRaces: a file that is edited between the plan and the step stays as it is.
func TestRaces(t *testing.T) {
	p := newPlace(t)
	p.file("a.json", "{}")
	steps, err := p.Plan(p.wish("x", "a.json", flag))
	if err != nil || len(steps) != 1 {
		t.Fatal(steps, err)
	}
	p.file("a.json", "{\"mine\": 1}")
	fstest.ErrorIs(t, p.Do(context.Background(), steps[0]), ErrChanged)
	p.is("a.json", "{\"mine\": 1}")
	p.do(p.Plan(p.wish("x", "a.json", flag)))
	p.do(p.PlanUndo())
	p.is("a.json", "{\"mine\": 1}")
}

// TestKilled: whenever a step is killed, undoing restores the file, and doing it again
// finishes it.
func TestKilled(t *testing.T) {
	for _, written := range []bool{false, true} {
		for _, again := range []bool{false, true} {
			p := newPlace(t)
			p.file("a.json", "{ }")
			p.do(p.Plan(p.wish("x", "a.json", flag)))
			newer := p.wish("x", "a.json", other)
			steps, err := p.Plan(newer)
			if err != nil || len(steps) != 1 {
				t.Fatal(steps, err)
			}
			r, err := p.read()
			fstest.Must(t, err)
			// What Do leaves behind when it is killed before or after the rename.
			pending := steps[0].next
			pending.After, pending.Pending = sum(steps[0].Before), pending.After
			pending.Parts = append(pending.Parts, r.Files[0].Parts...)
			r.Files[0] = pending
			fstest.Must(t, p.write(r))
			p.file(".ctxfs-a.json", "half")
			if written {
				p.file("a.json", string(steps[0].After))
			}
			if again {
				p.do(p.Plan(newer))
				p.is("a.json", string(steps[0].After))
			}
			p.do(p.PlanUndo())
			p.is("a.json", "{ }")
			p.is(".ctxfs-a.json", "-")
		}
	}
}

// TestLinks: the target of a link is changed, and the link stays.
func TestLinks(t *testing.T) {
	p := newPlace(t)
	p.file("dotfiles/claude/settings.json", "{}")
	for name, to := range map[string]string{".claude": "dotfiles/claude", "broken.json": "nowhere/x"} {
		fstest.Must(t, os.Symlink(to, p.path(name)))
	}
	p.do(p.Plan(p.wish("x", ".claude/settings.json", flag), p.wish("y", ".claude/new/CLAUDE.md", marker)))
	p.is("dotfiles/claude/settings.json", "{\n  \"on\": true\n}")
	if to, err := os.Readlink(p.path(".claude")); err != nil || to != "dotfiles/claude" {
		t.Error(to, err)
	}
	p.do(p.PlanUndo())
	p.is("dotfiles/claude/settings.json", "{}")
	if exists(p.path("dotfiles/claude/new")) {
		t.Error("a folder is left")
	}
	steps, err := p.Plan(p.wish("x", "broken.json", flag))
	if err != nil || len(steps) != 1 || steps[0].Err == nil || !strings.Contains(steps[0].Err.Error(), "link to nowhere/x") {
		t.Errorf("%+v %v", steps, err)
	}
}

// TestCannot: what cannot be changed has a step that says so, and the others are done.
func TestCannot(t *testing.T) {
	p := newPlace(t)
	p.file("bad.json", "{\n  oops\n}")
	p.file("good.json", "{}")
	p.file("plain", "no folder")
	fstest.Must(t, os.Mkdir(p.path("folder.json"), 0o755))
	steps, err := p.Plan(p.wish("a", "bad.json", flag), p.wish("b", "good.json", flag), p.wish("c", "plain/x.json", flag), p.wish("d", "folder.json", flag))
	if err != nil || len(steps) != 4 {
		t.Fatal(steps, err)
	}
	for i, want := range []string{"line 2", "", "not a directory", "no regular file"} {
		switch {
		case want == "":
			p.do(steps[i:i+1], nil)
		case steps[i].Err == nil || !strings.Contains(steps[i].Err.Error(), want):
			t.Errorf("%s: %v, not %q", steps[i].Path, steps[i].Err, want)
		case p.Do(context.Background(), steps[i]) == nil:
			t.Errorf("%s was done", steps[i].Path)
		}
	}
	p.is("bad.json", "{\n  oops\n}")
	p.is("good.json", "{\n  \"on\": true\n}")
	if os.Getuid() != 0 {
		p.file("ro/a.json", "{}")
		fstest.Must(t, os.Chmod(p.path("ro"), 0o500))
		steps, err := p.Plan(p.wish("a", "ro/a.json", flag))
		if err != nil || len(steps) != 1 || steps[0].Err == nil {
			t.Errorf("%+v %v", steps, err)
		}
	}
	fstest.Must(t, os.WriteFile(p.path("../state/setup.json"), []byte("{"), 0o600))
	if _, err := p.Plan(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged journal: %v", err)
	}
}

// TestTogether: two processes that change files at once lose nothing.
func TestTogether(t *testing.T) {
	p := newPlace(t)
	p.file("a.json", "{}")
	done := make(chan error)
	names := []string{"u", "v", "w", "x"}
	for _, name := range names {
		go func() {
			other := At(p.path("../state/setup.json"))
			for {
				steps, err := other.Plan(p.wish(name, "a.json", edit.Member([]string{name}, 1)))
				for _, s := range steps {
					err = errors.Join(err, other.Do(context.Background(), s))
				}
				if !errors.Is(err, ErrChanged) {
					done <- err
					return
				}
			}
		}()
	}
	for range names {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, name := range names {
		if !strings.Contains(p.text("a.json"), "\""+name+"\": 1") {
			t.Errorf("%s is lost: %s", name, p.text("a.json"))
		}
	}
	p.do(p.PlanUndo())
	p.is("a.json", "{}")
}

// TestSaidOnce: what is wrong with a file is said once, however many edits it is wrong for.
func TestSaidOnce(t *testing.T) {
	p := newPlace(t)
	p.file("a.json", `{ "broken": `)
	steps, err := p.Plan(p.wish("x", "a.json", edit.Member([]string{"b"}, 1), edit.Member([]string{"c"}, 2)))
	if err != nil || len(steps) != 1 || steps[0].Err == nil || strings.Contains(steps[0].Err.Error(), "\n") {
		t.Errorf("%+v, %v", steps, err)
	}
}
