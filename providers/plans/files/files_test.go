package files

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/sqlite"
)

// world is a home folder with files.
type world struct {
	t    *testing.T
	home string
	*Finder
}

func newWorld(t *testing.T, texts map[string]string) *world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	w := &world{t: t, home: home}
	for path, text := range texts {
		w.write(path, text)
	}
	w.Finder = New(Options{
		Machine: agents.Machine{Home: home, OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }},
		Hide:    func(path string) bool { return strings.HasPrefix(path, filepath.Join(home, "mount")) },
	})
	return w
}

func (w *world) write(path, text string) {
	w.t.Helper()
	path = filepath.Join(w.home, path)
	fstest.Must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	if target, ok := strings.CutPrefix(text, "-> "); ok {
		fstest.Must(w.t, os.Symlink(target, path))
		return
	}
	fstest.Must(w.t, os.WriteFile(path, []byte(text), 0o644))
}

// lines are what was found, a line each.
func (w *world) lines(all []Found) (lines []string) {
	for _, f := range all {
		rel, err := filepath.Rel(w.home, f.Path)
		fstest.Must(w.t, err)
		line := f.Agent + " " + rel + ": "
		if f.Err != nil {
			lines = append(lines, line+f.Fault())
			continue
		}
		line += fmt.Sprintf("%s %s %q", f.Plan.Kind, f.Plan.State, f.Plan.Title)
		for _, t := range f.Plan.Tasks {
			line += fmt.Sprintf(", %s %s", t.State, t.Text)
			if t.Time.IsZero() {
				w.t.Errorf("%s: %q has no time", rel, t.Text)
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func (w *world) want(all []Found, want ...string) {
	w.t.Helper()
	got := w.lines(all)
	slices.Sort(want)
	fstest.EqualSlices(w.t, got, want, strings.Join(got, "\n"))
}

// TestUser: the user's files of every agent are read, in the form that the agent writes.
func TestUser(t *testing.T) {
	w := newWorld(t, map[string]string{
		".claude/plans/bold-fox.md":                    "# Plan: Fix the login\n\n- [ ] a box that nobody checks\n",
		".claude/plans/notes.txt":                      "no plan",
		".claude/tasks/s1/1.json":                      `{"id":"1","subject":"a","description":"x","activeForm":"A","status":"completed","blocks":[],"blockedBy":[]}`,
		".claude/tasks/s1/2.json":                      `{"id":"2","subject":"b","status":"in_progress"}`,
		".claude/tasks/s1/10.json":                     `{"id":"10","subject":"c","status":"pending"}`,
		".claude/tasks/s1/11.json":                     `{"id":"11","subject":"a teammate","status":"in_progress","metadata":{"_internal":true}}`,
		".claude/tasks/s1/.lock":                       "",
		".claude/tasks/s1/broken.json":                 `{"id":`,
		".claude/todos/s2-agent-s2.json":               `[{"content":"d","status":"pending","activeForm":"D"},{"content":"e","status":"completed","activeForm":"E"}]`,
		".claude/todos/s2-agent-a1.json":               `[{"content":"its own","status":"pending"}]`,
		".claude/todos/s3-agent-s3.json":               `[]`,
		".claude/todos/s4-agent-s4.json":               `{"what":"else"}`,
		".cursor/plans/x_1a2b.plan.md":                 "---\nname: Add a cart\noverview: why\ntodos:\n  - id: one\n    content: \"first: this\"\n    status: completed\n  - id: two\n    content: then that\n    status: pending\nisProject: false\n---\n\n# Add a cart, in full\n",
		".cursor/plans/README.md":                      "no plan",
		".gemini/tmp/shop/s5/plans/go.md":              "Without a heading\n",
		".local/share/opencode/plans/1-swift.md":       "# Swift\n",
		".local/share/opencode/storage/todo/ses6.json": `[{"content":"f","status":"cancelled","id":"1","priority":"high"},{"content":"g","status":"in_progress","id":"2"}]`,
		".copilot/session-state/s7/plan.md":            "# Plan\n\n- [x] h\n- [ ] i\n",
		".windsurf/plans/w-1a.md":                      "# Wind\n",
		".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/17/focus_chain_taskid_17.md": "# Focus Chain\n- [x] j\n- [ ] k\n",
	})
	w.want(w.User(),
		`claude-code .claude/plans/bold-fox.md: plan open "Fix the login", pending a box that nobody checks`,
		`claude-code .claude/tasks/s1: tasks open "", completed a, in_progress b, pending c`,
		`claude-code .claude/tasks/s1/broken.json: cannot be read: it is not valid JSON`,
		`claude-code .claude/todos/s2-agent-s2.json: tasks open "", pending d, completed e`,
		`claude-code .claude/todos/s4-agent-s4.json: cannot be read: it is no list of tasks`,
		`cursor .cursor/plans/x_1a2b.plan.md: plan open "Add a cart", completed first: this, pending then that`,
		`gemini .gemini/tmp/shop/s5/plans/go.md: plan open "go"`,
		`opencode .local/share/opencode/plans/1-swift.md: plan open "Swift"`,
		`opencode .local/share/opencode/storage/todo/ses6.json: tasks open "", cancelled f, in_progress g`,
		`copilot .copilot/session-state/s7/plan.md: plan open "s7", completed h, pending i`,
		`windsurf .windsurf/plans/w-1a.md: plan open "Wind"`,
		`cline .config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/17/focus_chain_taskid_17.md: plan open "Focus Chain", completed j, pending k`,
	)
	for _, f := range w.User() {
		if strings.Contains(f.Path, "todos/s2") && !slices.Contains(f.Names, "s2") || strings.Contains(f.Path, "focus") && !slices.Contains(f.Names, "17") ||
			strings.Contains(f.Path, "tasks/s1") && f.Err == nil && !slices.Contains(f.Names, "s1") || strings.Contains(f.Path, "s5/plans") && !slices.Contains(f.Names, "s5") {
			t.Errorf("%s: names %q", f.Path, f.Names)
		}
	}
}

// TestProject: what a project has, and nothing outside of it.
func TestProject(t *testing.T) {
	w := newWorld(t, map[string]string{
		"secret.md":                          "# Secret\n",
		"shop/.cursor/plans/a.plan.md":       "# A\n",
		"shop/.cursor/plans/out.plan.md":     "-> ../../../secret.md",
		"shop/.kiro/specs/cart/tasks.md":     "# Implementation Plan\n\n- [x] 1. Set up\n- [ ] 2. Build\n  - [-] 2.1 in part\n- [ ]* 3. optional\n",
		"shop/.kiro/cli-todo-lists/1.json":   `{"tasks":[{"task_description":"l","completed":true},{"task_description":"m","completed":false}],"description":"two things","context":[],"modified_files":[]}`,
		"shop/.opencode/plans/17-x.md":       "# Open\n",
		"outside/x.md":                       "# Outside\n",
		"shop/.windsurf/plans/dir.md/not.md": "x",
		"elsewhere/x.md":                     "# Elsewhere\n",
	})
	fstest.Must(t, os.MkdirAll(filepath.Join(w.home, "shop/.windsurf/plans"), 0o755))
	fstest.Must(t, syscall.Mkfifo(filepath.Join(w.home, "shop/.windsurf/plans/pipe.md"), 0o600))
	all, err := w.Project(filepath.Join(w.home, "shop"))
	fstest.Must(t, err)
	w.want(all,
		`cursor shop/.cursor/plans/a.plan.md: plan open "A"`,
		`cursor shop/.cursor/plans/out.plan.md: cannot be read: path escapes from parent`,
		`kiro shop/.kiro/specs/cart/tasks.md: plan open "cart", completed 1. Set up, pending 2. Build, in_progress 2.1 in part, pending 3. optional`,
		`kiro shop/.kiro/cli-todo-lists/1.json: tasks open "two things", completed l, pending m`,
		`opencode shop/.opencode/plans/17-x.md: plan open "Open"`,
		`windsurf shop/.windsurf/plans/pipe.md: cannot be read: it is no regular file`,
	)
	if _, err := w.Project(filepath.Join(w.home, "mount/shop")); err == nil {
		t.Error("a mount was looked into")
	}
	if _, err := w.Project(filepath.Join(w.home, "gone")); err == nil {
		t.Error("no error of a folder that is not there")
	}
}

// TestDatabases: lists in the tables of Copilot and opencode.
func TestDatabases(t *testing.T) {
	w := newWorld(t, map[string]string{".copilot/session-state/s1/x": "", ".local/share/opencode/x": "", ".copilot/session-state/s2/session.db": "no database"})
	run := func(path string, statements ...string) {
		t.Helper()
		db, err := sqlite.Own(filepath.Join(w.home, path))
		fstest.Must(t, err)
		defer func(db *sql.DB) { fstest.Must(t, db.Close()) }(db)
		for _, s := range statements {
			_, err := db.Exec(s)
			fstest.Must(t, err)
		}
	}
	run(".copilot/session-state/s1/session.db",
		`CREATE TABLE todos (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, status TEXT DEFAULT 'pending', created_at TEXT DEFAULT (datetime('now')), updated_at TEXT DEFAULT (datetime('now')))`,
		`INSERT INTO todos VALUES ('auth', 'Add the login', 'with OAuth', 'done', '2026-05-01 10:00:00', '2026-05-01 11:00:00'), ('cart', 'Add the cart', '', 'blocked', '2026-05-01 10:00:01', '2026-05-01 12:00:00')`)
	run(".local/share/opencode/opencode.db",
		`CREATE TABLE todo (session_id TEXT, content TEXT, status TEXT, priority TEXT, position INTEGER, time_created INTEGER, time_updated INTEGER)`,
		`INSERT INTO todo VALUES ('ses1', 'second', 'pending', 'high', 1, 1777633200000, 1777633200000), ('ses1', 'first', 'completed', 'high', 0, 1777633200000, 1777633200000), ('ses2', 'other', 'in_progress', 'low', 0, 1, 1777633200000)`)
	all := w.User()
	w.want(all,
		`copilot .copilot/session-state/s1/session.db: tasks open "", completed Add the login, blocked Add the cart`,
		`copilot .copilot/session-state/s2/session.db: cannot be read: not a SQLite database, or a damaged one`,
		`opencode .local/share/opencode/opencode.db: tasks open "", completed first, pending second`,
		`opencode .local/share/opencode/opencode.db: tasks open "", in_progress other`,
	)
	for _, f := range all {
		if f.Agent == "opencode" && f.Names[0] != "ses1" && f.Names[0] != "ses2" {
			t.Errorf("%q", f.Names)
		}
		if f.Agent == "copilot" && f.Err == nil && !f.Plan.Time.Equal(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)) {
			t.Error(f.Plan.Time)
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(w.home, ".copilot/session-state/s2")); len(entries) != 1 {
		t.Errorf("%v", entries)
	}
}

// TestBadFiles: a plan of 10 MB is cut, secrets are hidden, and what changes is read again.
func TestBadFiles(t *testing.T) {
	w := newWorld(t, map[string]string{
		".claude/plans/huge.md":          "# Huge\n" + strings.Repeat("a line of it\n", 800_000),
		".claude/plans/secret.md":        "# Secret\n\ntoken ghp_0123456789abcdefghijABCDEFGHIJ012345 \x1b[31m\n",
		".claude/todos/s-agent-s.json":   "[" + strings.Repeat(`{"content":"many","status":"pending"},`, 40_000) + `{"content":"many","status":"pending"}]`,
		".claude/todos/s9-agent-s9.json": strings.Repeat("[", 100_000),
	})
	all := w.User()
	w.want(all,
		`claude-code .claude/plans/huge.md: plan open "Huge"`,
		`claude-code .claude/plans/secret.md: plan open "Secret"`,
		`claude-code .claude/todos/s-agent-s.json: cannot be read: it is longer than what is read`,
		`claude-code .claude/todos/s9-agent-s9.json: cannot be read: it is not valid JSON`,
	)
	for _, f := range all {
		if strings.HasSuffix(f.Path, "huge.md") && (!f.Plan.Cut || len(f.Plan.Text) > maxText) || strings.ContainsAny(f.Plan.Text, "\x1b") || strings.Contains(f.Plan.Text, "ghp_0") {
			t.Errorf("%s: %d bytes", f.Path, len(f.Plan.Text))
		}
	}
	w.Forget()
	w.write(".claude/plans/secret.md", "# Public\n")
	fstest.Must(t, os.Remove(filepath.Join(w.home, ".claude/plans/huge.md")))
	if got := strings.Join(w.lines(w.User()), "\n"); !strings.Contains(got, `"Public"`) || strings.Contains(got, "huge") {
		t.Error(got)
	}
	w.Forget()
	if _, ok := w.known[filepath.Join(w.home, ".claude/plans/huge.md")]; ok {
		t.Error("a file that is gone is remembered")
	}
}

func FuzzFiles(f *testing.F) {
	f.Add("x.json", `[{"content":"a","status":"pending"}]`)
	f.Add("1.json", `{"subject":"a","id":"1"}`)
	f.Add("x.md", "---\nname: x\ntodos:\n - content: a\n---\n- [ ] b")
	f.Fuzz(func(t *testing.T, name, text string) {
		var all []Found
		base := Found{Agent: "claude-code", Path: "/x/" + filepath.Base(name)}
		if strings.HasSuffix(name, ".json") {
			all = grouped(parseJSON(base, []byte(text)))
		} else {
			base.Plan = markdown(base, []byte(text), false)
			all = []Found{base}
		}
		for _, found := range all {
			if len(found.Plan.Text) > maxText || strings.ContainsAny(found.Plan.Title, "\n\x1b") {
				t.Errorf("%q", found.Plan.Title)
			}
			for _, task := range found.Plan.Tasks {
				if task.Text == "" || task.State == "" || strings.ContainsAny(task.Text, "\n\x1b") {
					t.Errorf("%+v", task)
				}
			}
		}
	})
}

// TestTooManyFiles: of more files than are read, that is said.
func TestTooManyFiles(t *testing.T) {
	w := newWorld(t, nil)
	for i := range maxFiles + 5 {
		w.write(fmt.Sprintf(".claude/todos/%04d-agent-%04d.json", i, i), "[]")
	}
	w.want(w.User(), `claude-code .claude/todos: has 2005 files with plans; the last 2000 by name are read`)
}

// TestViewsAreLeftOut: nothing in a view of ours is touched, however one comes there.
func TestViewsAreLeftOut(t *testing.T) {
	w := newWorld(t, map[string]string{"mount/x.plan.md": "# X\n", "shop/.cursor/plans/link.plan.md": "-> ../../../mount/x.plan.md", ".claude/plans/y.md": "-> ../../mount/x.plan.md"})
	touched := 0
	w.opts.Hide = func(path string) bool {
		if rel, err := filepath.Rel(filepath.Join(w.home, "shop/.kiro/specs"), path); err == nil && filepath.IsLocal(rel) {
			touched++
			return true
		}
		return strings.HasPrefix(path, filepath.Join(w.home, "mount"))
	}
	w.write("shop/.kiro/specs/cart/tasks.md", "- [ ] hidden\n")
	all, err := w.Project(filepath.Join(w.home, "shop"))
	fstest.Must(t, err)
	w.want(append(all, w.User()...), `cursor shop/.cursor/plans/link.plan.md: is a link to nothing`, `claude-code .claude/plans/y.md: is a link to nothing`)
	if touched == 0 {
		t.Error("nobody asked")
	}
}
