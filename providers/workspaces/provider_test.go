package workspaces

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/tokens"
	known "ctxfs/providers/internal/workspaces"
	"ctxfs/providers/workspaces/processes"
)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a home with a provider over it.
type world struct {
	*testing.T
	*Provider
	home  string
	path  string // PATH: git alone
	state string // the folder of its state and cache

	mu      sync.Mutex
	now     time.Time
	still   bool // now stays
	remarks []facts.Remark
	trusts  func(dir string) bool // nil: everything is trusted
	told    []string

	servers map[string]processes.Process // that run, by folder
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := newHome(t)
	w.open(false)
	return w
}

// newHome returns a world that has no provider yet.
func newHome(t *testing.T) *world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	w := &world{T: t, home: filepath.Join(home, "u"), path: filepath.Join(home, "bin"), state: filepath.Join(home, "u"), now: day}
	w.mkdir("../bin")
	if git, err := exec.LookPath("git"); err == nil {
		fstest.Must(t, os.Symlink(git, filepath.Join(w.path, "git")))
	}
	return w
}

// open makes the provider anew, as another process would, and starts it.
func (w *world) open(offline bool) {
	w.Helper()
	w.make(offline)
	if !offline {
		w.Start()
		w.opts.Known.Update()
		w.Refresh()
	}
}

// make makes the provider anew.
func (w *world) make(offline bool) {
	w.Helper()
	now := func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.still {
			w.now = w.now.Add(time.Second)
		}
		return w.now
	}
	var p *Provider
	set := known.New(known.Options{
		Projects: project.New(project.Options{Home: w.home}), Home: w.home, Now: now, Lazy: offline,
		Names:  filepath.Join(w.state, "state", "names.json"),
		Kept:   filepath.Join(w.state, "state", "known.json"),
		Visits: func(since time.Time) []facts.Visit { return p.Visits(since) },
	})
	p = New(Options{
		Host: host.Host{
			Env: fs.Env{Now: now, Log: slog.New(slog.DiscardHandler), Built: day, Changed: func(path string) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.told = append(w.told, path)
			}},
			Machine: agents.Machine{Home: w.home, LookupEnv: func(name string) (string, bool) { return w.path, name == "PATH" }},
			Hide:    func(path string) bool { return path == filepath.Join(w.home, "view/mount") },
			AgentOf: func(pid int) (agent, session string) {
				if pid == 7 {
					agent = "claude-code"
				}
				return agent, ""
			},
			SettingsPath: filepath.Join(w.home, "config.toml"),
			State:        filepath.Join(w.state, "state"), Cache: filepath.Join(w.state, "cache"), Watch: !offline,
		},
		Trusts: func(dir string) bool { return w.trusts == nil || w.trusts(dir) }, Known: set,
		Brief: func(string) []facts.Remark {
			w.mu.Lock()
			defer w.mu.Unlock()
			return slices.Clone(w.remarks)
		},
		Edits: func(string, time.Time) []facts.Edit { return nil },
		Reads: func(context.Context, string, string) ([]facts.Read, error) { return nil, fs.ErrNotExist },
	})
	p.readProcesses = func(opts processes.Options) (map[string][]processes.Process, error) {
		all := make(map[string][]processes.Process)
		for dir, one := range w.servers {
			all[opts.Place(dir)] = []processes.Process{one}
		}
		return all, nil
	}
	for _, prober := range []**fs.Prober{&p.prober, &p.looks} { // however busy the machine is
		*prober = fs.NewProber(fstest.Patience)
		(*prober).Answered = p.answered
	}
	w.Provider = p
	w.Cleanup(func() { p.Close() })
}

// say sets what other providers have to say.
func (w *world) say(remarks ...facts.Remark) {
	w.mu.Lock()
	w.remarks = remarks
	w.mu.Unlock()
	w.Refresh()
}

func (w *world) mkdir(path string) string {
	w.Helper()
	dir := filepath.Join(w.home, path)
	fstest.Must(w, os.MkdirAll(dir, 0o700))
	return dir
}

// here asks for the workspace of a folder.
func (w *world) here(dir string) (Place, error) {
	return w.Provider.here(w.Context(), HereQuery{At: fs.StandpointAt(dir)})
}

// workIn has somebody work in a folder, whose pages are made soon after.
func (w *world) workIn(dir string) {
	w.Helper()
	if _, err := w.standing(fs.StandpointAt(dir)); err != nil {
		w.Fatal(err)
	}
}

// read returns the text of a file, or why there is none.
func (w *world) read(path string) string {
	w.Helper()
	text, err := fstest.Text(fs.NewTree(w.Root(), fs.TreeOptions{}), path)
	if err != nil {
		return err.Error()
	}
	return text
}

func TestHereMakesAWorkspace(t *testing.T) {
	w := newWorld(t)
	fstest.Contains(t, w.read("INDEX.md"), "No recent work is known")
	shop := w.mkdir("src/shop")
	w.mkdir("src/shop/.git")
	fstest.Must(t, os.WriteFile(filepath.Join(shop, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	found, err := w.here(w.mkdir("src/shop/api"))
	if err != nil || found.Name != "shop" || found.Dir != shop || !strings.Contains(found.Page, "~/src/shop") {
		t.Fatalf("here: %+v, %v", found, err)
	}
	if _, err := w.here(w.home); err == nil || !strings.Contains(err.Error(), "cannot be a workspace") {
		t.Errorf("the home folder: %v", err)
	}
	fstest.Contains(t, w.read("INDEX.md"), "- shop — ~/src/shop, last worked in 2026-03-01 12:00")
	fstest.Check(t, fs.NewTree(w.Root(), fs.TreeOptions{}), fstest.Expect("INDEX.md", "shop/HERE.md", "by-path"+shop+"/HERE.md", "by-path"+shop+"/notes"))

	w.open(true) // a command without a background process
	fstest.Equal(t, w.read("shop/HERE.md"), found.Page, "kept")
}

func TestByPath(t *testing.T) {
	w := newWorld(t)
	shop, lib := w.mkdir("src/shop"), w.mkdir("src/shop/vendor/lib")
	w.mkdir("src/shop/api/v1")
	w.mkdir("src/shop/.git")
	for _, dir := range []string{shop, lib} {
		fstest.Must(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
		fstest.Must(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
		if _, err := w.here(dir); err != nil {
			t.Fatal(err)
		}
	}
	tree := fs.NewTree(w.Root(), fs.TreeOptions{})
	for path, want := range map[string]string{
		shop: "shop", lib: "lib", w.home + "/src": "", w.home: "",
		filepath.Join(shop, "vendor"): "shop", filepath.Join(shop, "api"): "link", filepath.Join(shop, "gone"): "none",
		filepath.Join(shop, ".git"): "none", "/usr": "none", filepath.Join(w.home, "src/other"): "none",
	} {
		n, err := tree.Resolve(t.Context(), "by-path"+path)
		got := ""
		switch {
		case err != nil:
			got = "none"
		default:
			switch n := n.(type) {
			case fs.Link:
				got = "link"
			case fs.Dir:
				if here, err := n.Lookup(t.Context(), hereName); err == nil {
					body, _ := tree.ReadAll(t.Context(), here.(fs.File))
					got, _, _ = strings.Cut(strings.TrimPrefix(string(body), "# "), "\n")
				}
			}
		}
		fstest.Equal(t, got, want, path)
	}
}

func TestPageIsMadeOfRemarks(t *testing.T) {
	w := newWorld(t)
	shop := w.mkdir("shop")
	if _, err := w.here(shop); err != nil {
		t.Fatal(err)
	}
	w.say(
		facts.Remark{Topic: facts.TopicSessions, Text: "old", Path: "transcripts/codex/x", Time: day},
		facts.Remark{Topic: facts.TopicSessions, Text: "new\nline", Time: day.Add(time.Hour)},
		facts.Remark{Topic: facts.TopicBuild, Text: "`make test`"},
		facts.Remark{Topic: facts.TopicBuild, Text: "`make test`"},
		facts.Remark{Topic: facts.TopicAgents, Path: "transcripts/codex/y", Cells: []string{"codex", "0199", "2026-03-01T12:00:00Z", "Edit\ta.go", ""}},
	)
	want := "# shop\n\n~/shop\n\n## Build and test\n- `make test`\n\n## Sessions\n- new line\n- old — ../../transcripts/codex/x\n" + foot
	fstest.Settles(t, w, "the page", func() bool { return w.read("shop/HERE.md") == want })

	if got, want := w.read("shop/agents.tsv"), "agent\tsession\tlast\tdoing\tfile\ttranscript\ncodex\t0199\t2026-03-01T12:00:00Z\tEdit a.go\t-\t../../transcripts/codex/y/transcript.md\n"; got != want {
		t.Errorf("agents.tsv: %q, want %q", got, want)
	}
	// Nothing changes: neither the page nor its time.
	n, _ := fs.NewTree(w.Root(), fs.TreeOptions{}).Resolve(t.Context(), "shop/HERE.md")
	before, _ := n.Attr(t.Context())
	if _, err := w.here(shop); err != nil {
		t.Fatal(err)
	}
	n, _ = fs.NewTree(w.Root(), fs.TreeOptions{}).Resolve(t.Context(), "shop/HERE.md")
	if after, _ := n.Attr(t.Context()); after != before {
		t.Errorf("attributes %+v, before %+v", after, before)
	}
}

// TestPageIsShort: however much there is to say, the page has at most 500 tokens, and
// what matters most is in it.
func TestPageIsShort(t *testing.T) {
	f := herePage{workspace: known.Workspace{Name: "shop", Dir: "/src/shop"}}
	for _, topic := range []facts.Topic{facts.TopicBuild, facts.TopicFailing, facts.TopicTasks, facts.TopicSessions, facts.TopicRunning, facts.TopicRules} {
		for i := range 40 {
			f.remarks = append(f.remarks, facts.Remark{Topic: topic, Text: string(topic) + " " + strings.Repeat("word ", 60), Time: day.Add(-time.Duration(i) * time.Hour)})
			f.remarks[len(f.remarks)-1].Text += string(rune('a' + i%26))
		}
	}
	page := f.page()
	if n := tokens.Count(page); n > maxHere || n < maxHere/3 {
		t.Errorf("%d tokens:\n%s", n, page)
	}
	fstest.Contains(t, page, "## Build and test")
}

func TestNotesAreInThePage(t *testing.T) {
	w := newWorld(t)
	shop := w.mkdir("shop")
	if _, err := w.here(shop); err != nil {
		t.Fatal(err)
	}
	n, err := w.Root().Lookup(t.Context(), "shop")
	fstest.Must(t, err)
	box, _ := n.(fs.Dir).Lookup(t.Context(), notesName)
	d, err := box.(fs.Inbox).Create(t.Context(), "stop.md", fs.Standpoint{Dir: shop, PID: 7})
	fstest.Must(t, err)
	d.Write(t.Context(), []byte("do not\npush"), 0)
	d.Abandon()
	line := ` by claude-code: "do not push"`
	fstest.Settles(t, w, "the note is in the page", func() bool { return strings.Contains(w.read("shop/HERE.md"), line) })
	w.mu.Lock()
	for _, path := range []string{"shop/notes/stop.md", "shop/HERE.md", "by-path" + shop + "/HERE.md"} {
		if !slices.Contains(w.told, path) {
			t.Errorf("%s is not announced: %q", path, w.told)
		}
	}
	w.mu.Unlock()

	at := fs.StandpointAt(shop)
	listed, err := w.note(t.Context(), NoteQuery{At: at})
	if err != nil || len(listed.Notes) != 1 || listed.Notes[0].Text != "do not\npush" || listed.Notes[0].Author != "claude-code" {
		t.Errorf("listed: %+v, %v", listed, err)
	}
	if _, err := w.note(t.Context(), NoteQuery{At: at, Take: "stop"}); err != nil {
		t.Error(err)
	}
	fstest.Settles(t, w, "the note has left the page", func() bool { return !strings.Contains(w.read("shop/HERE.md"), "stop.md") })
	if _, err := w.note(t.Context(), NoteQuery{At: at, Text: "left by a command", Agent: "codex", Session: "0199"}); err != nil {
		t.Error(err)
	}
	fstest.Settles(t, w, "the other note is in the page", func() bool {
		return strings.Contains(w.read("shop/HERE.md"), ` by codex, session 0199: "left by a command"`)
	})
	found := false
	for d := range w.Documents("") {
		found = found || d.Kind == "note" && d.Path == "shop/notes/left-by-a-command.md"
	}
	if !found {
		t.Error("the note is no document")
	}
}

func TestSettings(t *testing.T) {
	w := newWorld(t)
	w.mkdir("plain")
	for text, want := range map[string]string{
		"dirs = [\"~/plain\"]\n":    "",
		"dirs = [\"plain\"]\n":      `dirs`,
		"lately = \"soon\"\n":       `lately`,
		"folders = [\"~/plain\"]\n": `unknown key "folders"`,
	} {
		fstest.Must(t, os.WriteFile(filepath.Join(w.home, "config.toml"), []byte("[workspaces]\n"+text), 0o600))
		w.Reload()
		problems := w.Status().Problems
		if (want == "") != (len(problems) == 0) || want != "" && !strings.Contains(problems[0].What, want) {
			t.Errorf("%s: %+v", text, problems)
		}
		if want == "" {
			w.opts.Known.Update()
			w.Refresh()
			fstest.Settles(t, w, "the configured one is there", func() bool { return strings.HasPrefix(w.read("plain/HERE.md"), "# plain") })
		}
	}
}

func TestWorkspacesThatAreGone(t *testing.T) {
	w := newWorld(t)
	w.here(w.mkdir("shop"))
	fstest.Must(t, os.RemoveAll(filepath.Join(w.home, "shop")))
	w.mu.Lock()
	w.now = w.now.Add(time.Hour)
	w.mu.Unlock()
	w.opts.Known.Update()
	w.Refresh()
	if _, err := w.Root().Lookup(context.Background(), "shop"); err == nil {
		t.Error("it is still there")
	}
}

// TestRestart: a process that was killed is followed by one that shows the same at once,
// before it has looked at anything; what is gone goes with the first look.
func TestRestart(t *testing.T) {
	w := newWorld(t)
	shop, plain := w.repository("src/shop"), w.mkdir("plain")
	for _, dir := range []string{shop, plain} {
		if _, err := w.here(dir); err != nil {
			t.Fatal(err)
		}
		w.exact(dir)
	}
	if _, err := w.note(t.Context(), NoteQuery{At: fs.StandpointAt(shop), Text: "wait"}); err != nil {
		t.Fatal(err)
	}
	fstest.Settles(t, w, "the note", func() bool { return strings.Contains(w.read("shop/HERE.md"), "wait") })
	tree := func() (all string) {
		for _, name := range []string{"INDEX.md", "shop/agents.tsv", "shop/processes.tsv", "shop/system.json", "shop/notes/wait.md", "by-path" + shop + "/HERE.md"} {
			all += w.read(name) + "\n"
		}
		return all + w.shown("shop") + w.shown("plain")
	}
	before := tree()
	w.Close()
	fstest.Must(t, os.RemoveAll(plain))
	w.make(false)
	fstest.Equal(t, tree(), before, "after a restart")
	w.Start()
	w.opts.Known.Update()
	w.Refresh()
	fstest.Settles(t, w, "what is gone has left", func() bool {
		_, err := w.Root().Lookup(t.Context(), "plain")
		return err != nil && !strings.Contains(w.read("INDEX.md"), "plain")
	})
	w.write("src/shop/new.go", "package shop\n")
	fstest.Settles(t, w, "the other is followed", func() bool { return strings.Contains(w.read("shop/HERE.md"), "1 untracked: new.go") })
}

// TestGitIsFollowed: what git does shows without anybody asking.
func TestGitIsFollowed(t *testing.T) {
	w := newWorld(t)
	shop := w.mkdir("shop")
	shows := func(line string) {
		t.Helper()
		fstest.Settles(t, w, line, func() bool { return strings.Contains(w.read("shop/HERE.md"), line) })
	}
	w.git(shop, "init", "-q")
	if _, err := w.here(shop); err != nil {
		t.Fatal(err)
	}
	shows("git: on branch main\nuncommitted: nothing\n")
	fstest.Must(t, os.WriteFile(filepath.Join(shop, "a.go"), []byte("package a\n"), 0o600))
	shows("uncommitted: 1 untracked: a.go")
	w.git(shop, "add", "a.go")
	w.git(shop, "commit", "-q", "-m", "Begin")
	shows("last commit: Begin, ")
	w.git(shop, "checkout", "-q", "-b", "fix")
	shows("git: on branch fix")
	fstest.Contains(t, w.read("shop/git.md"), ": Begin")
	fstest.Must(t, os.RemoveAll(filepath.Join(shop, ".git")))
	if _, err := w.here(shop); err != nil {
		t.Fatal(err)
	}
	if got := w.read("shop/git.md"); !strings.Contains(got, "no such file") && !strings.Contains(got, "not exist") {
		t.Errorf("without a repository: %s", got)
	}
}

func TestLayouts(t *testing.T) {
	w := newWorld(t)
	shop := w.mkdir("shop")
	for path, body := range map[string]string{
		".gitignore": "/dist\n", "go.mod": "module shop\n", "Makefile": "test: ## all tests\n\tgo test ./...\n",
		"api/v1/get.go": "", "api/api.go": "", "dist/app": "", ".git/HEAD": "ref: refs/heads/main\n",
	} {
		w.mkdir(filepath.Join("shop", filepath.Dir(path)))
		fstest.Must(t, os.WriteFile(filepath.Join(shop, path), []byte(body), 0o600))
	}
	fstest.Must(t, os.Symlink("/etc", filepath.Join(shop, "out")))
	found, err := w.here(shop)
	fstest.Must(t, err)
	fstest.Contains(t, found.Page, "make test")
	fstest.Contains(t, w.read("shop/system.json"), `"architecture"`)
	for path, body := range map[string]string{"package.json": `{"engines": {"node": ">=999"}, "dependencies": {"left-pad": "1"}}`, "node_modules/x": ""} {
		w.mkdir(filepath.Join("shop", filepath.Dir(path)))
		fstest.Must(t, os.WriteFile(filepath.Join(shop, path), []byte(body), 0o600))
	}
	if found, err := w.here(shop); err != nil || !strings.Contains(found.Page, "- not installed of package.json: left-pad (1 of 1)\n") {
		t.Errorf("the page does not say what is missing: %v\n%s", err, found.Page)
	}
	w.mkdir("shop/node_modules/left-pad")
	fstest.Must(t, os.WriteFile(filepath.Join(shop, "node_modules/left-pad/package.json"), []byte(`{"version": "1.0.0"}`), 0o600))
	if found, err := w.here(shop); err != nil || strings.Contains(found.Page, "left-pad") {
		t.Errorf("the page says that is missing what was installed: %v\n%s", err, found.Page)
	}
	fstest.Check(t, fs.NewTree(w.Root(), fs.TreeOptions{}), fstest.Expect("shop/layout.txt", "shop/layout/1", "shop/layout/layout.txt", "shop/layout/api/layout.txt", "shop/layout/api/v1/1"))
	for path, want := range map[string]string{
		"layout.txt": "get.go", "layout/1": "[+", "layout/2": "api.go", "layout/api/layout.txt": "get.go", "layout/api/1": "api.go",
	} {
		if got := w.read("shop/" + path); !strings.Contains(got, want) || strings.Contains(got, "  app\n") {
			t.Errorf("%s:\n%s", path, got)
		}
	}
	for _, path := range []string{"layout/gone", "layout/0", "layout/out/passwd", "layout/out", "layout/.git", "layout/go.mod", "layout/api/get"} {
		if got := w.read("shop/" + path); !strings.Contains(got, "not exist") && !strings.Contains(got, "no such") {
			t.Errorf("%s:\n%s", path, got)
		}
	}
}

// TestServersAreInThePage: what was started in the folder and listens is there.
func TestServersAreInThePage(t *testing.T) {
	w := newWorld(t)
	shop := w.mkdir("shop")
	if _, err := w.here(shop); err != nil {
		t.Fatal(err)
	}
	w.looking.Lock()
	w.servers = map[string]processes.Process{shop: {PID: 7, Command: "node dev.js", Listens: []string{"tcp 127.0.0.1:5173"}, Since: day}}
	w.processesAt = time.Time{} // long ago
	w.looking.Unlock()
	fstest.Settles(t, w, "the server is in the page", func() bool {
		return strings.Contains(w.read("shop/HERE.md"), "`node dev.js` listens on tcp 127.0.0.1:5173, pid 7")
	})
	fstest.Contains(t, w.read("shop/processes.tsv"), "7\tnode dev.js\t")
	// Who asks is told what runs now, also without a worker.
	w.open(true)
	if found, err := w.here(shop); err != nil || !strings.Contains(found.Page, "pid 7") {
		t.Errorf("here does not look at what runs: %v\n%s", err, found.Page)
	}
}
