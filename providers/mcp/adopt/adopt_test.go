package adopt

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/journal"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
)

// world is a home folder with the configuration files of a case of testdata.
type world struct {
	*testing.T
	dir, file string
	env       map[string]string
	projects  []string
	*journal.Journal
}

func newWorld(t *testing.T, sections string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		T: t, dir: dir, file: clients.MovedFile(filepath.Join(dir, ".config/ctxfs/config.toml")),
		env:     map[string]string{"HOME": dir, "GEMINI_CLI_SYSTEM_SETTINGS_PATH": filepath.Join(dir, "system.json")},
		Journal: journal.At(filepath.Join(dir, "state", "setup.json")),
	}
	for _, s := range strings.Split("\n"+sections, "\n-- ")[1:] {
		name, text, _ := strings.Cut(s, " --\n")
		text = strings.ReplaceAll(text, "@HOME@", dir)
		switch name {
		case "note", "want":
		case "env":
			for line := range strings.Lines(text) {
				if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
					w.env[name] = value
				}
			}
		case "in":
			w.projects = append(w.projects, strings.TrimSpace(text))
		case "trust":
			for _, dir := range strings.Fields(text) {
				defer func() { w.trust(dir) }() // when all files are there
			}
		default:
			w.write(name, text)
		}
	}
	return w
}

func (w *world) trust(dir string) {
	f := w.finder()
	if project, ok := f.ProjectFolder(dir); ok {
		w.projects = append(w.projects, project)
		if _, err := f.Approve(project, time.Now()); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) write(path, text string) {
	w.Helper()
	if err := atomicfile.Write(filepath.Join(w.dir, path), []byte(text)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) finder() *clients.Finder {
	return clients.New(clients.Options{
		Home: w.dir, LookupEnv: func(name string) (string, bool) { v, ok := w.env[name]; return v, ok },
		Approvals: filepath.Join(w.dir, "state", "trusted.json"), Moved: w.file,
		Remembered: func(string) []config.Server { return nil },
	})
}

func (w *world) discover() (*clients.Finder, *clients.Discovery) {
	w.Helper()
	f := w.finder()
	path := filepath.Join(w.dir, ".config/ctxfs/config.toml")
	own := clients.OwnFile{Path: path}
	var err error
	if own.Settings, err = settings.Load(path); err != nil {
		w.Skip("a case of ctxfs's own file: ", err)
	}
	return f, f.Discover(own, w.projects...)
}

// servers tells of all servers what does not depend on the file that the entry is in.
func (w *world) servers() string {
	w.Helper()
	_, all := w.discover()
	var out strings.Builder
	folders := clients.FolderNames(all.Servers)
	for i, d := range all.Servers {
		fmt.Fprintf(&out, "%s: ", folders[i])
		tell(&out, d)
		for _, project := range w.projects {
			if in := d.In(project); in != d {
				fmt.Fprintf(&out, " in %s: ", project)
				tell(&out, in)
			}
		}
	}
	return out.String()
}

func tell(out *strings.Builder, d *config.Server) {
	state := ""
	if d.Fault != nil {
		state = d.Fault.State
	}
	also := []string{}
	for _, s := range d.AlsoIn {
		also = append(also, s.Client+" "+s.File+" "+s.Name)
	}
	fmt.Fprintf(out, "%q %s %s %q disabled=%v %q %q %q %v %q %q %v %+v %v %v %v %v %v %v %v also %v\n",
		d.Identity(), d.Client, d.Scope, d.Project, d.Disabled, state, d.Command, d.Args, d.Env, d.Dir, d.URL, d.Headers, d.Login,
		d.StartTimeout, d.CallTimeout, d.Tools, d.Limits, d.Sharing, d.Projects, d.Notes, also)
}

// movable returns the servers of an agent as the provider of servers does.
func (w *world) movable(agent, project string) (all []Server) {
	w.Helper()
	f, d := w.discover()
	return w.movableIn(f, d, agent, project)
}

func (w *world) movableIn(f *clients.Finder, d *clients.Discovery, agent, project string) (all []Server) {
	w.Helper()
	found, err := f.Movable(d, agent, project)
	if err != nil {
		w.Fatal(err)
	}
	for _, m := range found {
		all = append(all, Server{Moved: m.Moved, Syntax: m.Syntax, Done: m.Done, Stays: m.Stays})
	}
	Check(all)
	return all
}

// plan plans to move the servers of all agents, or those of a project.
func (w *world) plan(project string) (steps []journal.Step, moved int) {
	w.Helper()
	var wishes []journal.Wish
	f, d := w.discover()
	for _, a := range agents.All() {
		all := w.movableIn(f, d, a.ID, project)
		for _, s := range all {
			if s.Stays == "" {
				moved++
			}
		}
		changes, _ := Changes(w.file, all)
		wishes = append(wishes, journal.Wish{Owner: a.ID + ":servers", Changes: changes})
	}
	steps, err := w.Plan(wishes...)
	if err != nil {
		w.Fatal(err)
	}
	return steps, moved
}

// do does some steps, checking after each that no server is lost.
func (w *world) do(steps []journal.Step, want string) {
	w.Helper()
	for _, s := range steps {
		if err := w.Do(w.Context(), s); err != nil {
			w.Fatal(err)
		}
		if got := w.servers(); got != want {
			w.Fatalf("after %s the servers are\n%snot\n%s", s.Path, got, want)
		}
	}
}

// files returns the text of all files but the state.
func (w *world) files() map[string]string {
	w.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(path, filepath.Join(w.dir, "state")) {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func (w *world) undo(agents ...string) []journal.Step {
	w.Helper()
	var owners []string
	for _, a := range agents {
		owners = append(owners, a+":servers")
	}
	steps, err := w.PlanUndo(owners...)
	if err != nil {
		w.Fatal(err)
	}
	// As setup does them: no server is in neither file at any time.
	slices.SortStableFunc(steps, func(a, b journal.Step) int {
		return strings.Compare(strings.TrimPrefix(b.Path, w.file), strings.TrimPrefix(a.Path, w.file))
	})
	return steps
}

// TestMoveKeepsEverything moves the servers of every case of testdata, those of every
// agent and every form of file: each is the same server as before, after each step. Twice
// is once, and undoing restores all files to the byte.
func TestMoveKeepsEverything(t *testing.T) {
	cases, err := filepath.Glob("../../../testdata/mcp/config/*/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	total := 0
	for _, path := range cases {
		t.Run(strings.TrimPrefix(path, "../../../testdata/mcp/config/"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, string(text))
			before, files := w.servers(), w.files()
			for _, project := range append([]string{""}, w.projects...) {
				steps, moved := w.plan(project)
				if (moved > 0) != (len(steps) > 0) {
					t.Errorf("%d servers are moved in %d steps", moved, len(steps))
				}
				total += moved
				w.do(steps, before)
				if again, _ := w.plan(project); len(again) > 0 {
					t.Errorf("moved again: %s\n%s\n%s", again[0].Path, again[0].Before, again[0].After)
				}
				w.do(w.undo(), before)
				for path, now := range w.files() {
					if files[path] != now {
						t.Errorf("%s is\n%s\nnot\n%s", path, now, files[path])
					}
				}
				if len(w.files()) != len(files) {
					t.Errorf("files: %v", w.files())
				}
			}
		})
	}
	if total < 50 {
		t.Errorf("only %d servers were moved", total)
	}
}

const two = `
-- env --
TOKEN=hunter22-secret
-- .cursor/mcp.json --
{
	// mine
	"mcpServers": {
		"a": {"command": "a-server", "env": {"T": "${env:TOKEN}"}},
		"ctxfs": {"command": "ctxfs", "args": ["serve"]}, // the gateway
		"b": {"url": "https://b.example/mcp", "headers": {"X": "${env:TOKEN}"}},
		"lost": {"command": "x", "args": ["${env:NOT_SET}"]},
	},
}
`

// TestMoveLeavesOthers: the gateway stays, and so does what ctxfs could not run.
func TestMoveLeavesOthers(t *testing.T) {
	w := newWorld(t, two)
	before := w.servers()
	steps, moved := w.plan("")
	if moved != 2 {
		t.Errorf("%d servers are moved: %+v", moved, w.movable("cursor", ""))
	}
	w.do(steps, before)
	text := w.files()[filepath.Join(w.dir, ".cursor/mcp.json")]
	if strings.Contains(text, "a-server") || strings.Contains(text, "b.example") || !strings.Contains(text, "// mine") || !strings.Contains(text, `"serve"`) || !strings.Contains(text, "lost") {
		t.Errorf("%s", text)
	}
	if info, err := os.Stat(w.file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if own := w.files()[w.file]; !strings.Contains(own, "${env:TOKEN}") || strings.Contains(own, "hunter22") {
		t.Errorf("%s", own)
	}
}

// TestUndoAfterEdits: somebody has edited both files since; just our parts go.
func TestUndoAfterEdits(t *testing.T) {
	w := newWorld(t, two)
	before := w.servers()
	steps, _ := w.plan("")
	w.do(steps, before)
	path := filepath.Join(w.dir, ".cursor/mcp.json")
	edited := strings.Replace(w.files()[path], `"lost"`, `"new": {"command": "new-server"}, "lost"`, 1)
	w.write(".cursor/mcp.json", edited)
	// Moved again, the new one goes too, and the others do not come back.
	steps, moved := w.plan("")
	if moved != 3 {
		t.Errorf("%d servers are moved", moved)
	}
	w.do(steps, w.servers())
	if text := w.files()[path]; strings.Contains(text, "-server") {
		t.Errorf("%s", text)
	}
	w.write(".cursor/mcp.json", w.files()[path]+"// a line\n")
	w.do(w.undo("cursor"), w.servers())
	text := w.files()[path]
	for _, part := range []string{"a-server", "b.example", "new-server", "// a line", "// mine", "lost", `"T": "${env:TOKEN}"`} {
		if !strings.Contains(text, part) {
			t.Errorf("without %s:\n%s", part, text)
		}
	}
	if _, err := os.Stat(w.file); !os.IsNotExist(err) {
		t.Errorf("%s: %v", w.file, err)
	}
}

// TestDamagedFile: the servers that were moved stay while their file is not valid.
func TestDamagedFile(t *testing.T) {
	w := newWorld(t, two)
	steps, _ := w.plan("")
	w.do(steps, w.servers())
	f, all := w.discover()
	n := len(all.Servers)
	text, err := os.ReadFile(w.file)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"{", `{"servers": 1}`, `{"servers": [{}]}`, `{"servers": [{"agent": "cursor", "file": "x", "path": [], "entry": {}}]}`, string(bytes.Replace(text, []byte(`"path"`), []byte(`"paths"`), 1))} {
		w.write(".config/ctxfs/servers.json", bad)
		own := clients.OwnFile{Path: filepath.Join(w.dir, "config.toml")}
		if own.Settings, err = settings.Load(own.Path); err != nil {
			t.Fatal(err)
		}
		all = f.Discover(own)
		if len(all.Servers) != n || len(all.Problems) != 1 || !strings.Contains(all.Problems[0].What, "servers.json is not valid: line") {
			t.Errorf("%s: %d servers, %+v", bad, len(all.Servers), all.Problems)
		}
		if _, err := f.Movable(all, "cursor", ""); err == nil {
			t.Errorf("%s: moved", bad)
		}
	}
}
