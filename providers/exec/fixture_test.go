package exec

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/procs"
)

// TestMain is the keeper of a command if it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == procs.HelperCommand {
		os.Exit(procs.RunKeeper(func(uint64) []string { return os.Args[3:] }, false))
	}
	os.Exit(m.Run())
}

type fixture struct {
	*Provider
	t    *testing.T
	home string
	opts Options
	tree *fs.Tree

	began *fstest.FIFO // has a line for each run of a command
}

// configured shows the folders of a configuration. HOME in it is the home folder, in which
// each run of a command adds a line to the file "ran" if it is written "+ script".
func configured(t *testing.T, config string, change ...func(*Options)) *fixture {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	f := &fixture{t: t, home: home, began: fstest.NewFIFO(t)}
	f.opts = Options{
		Host: host.Host{
			Env:     fs.Env{Changed: func(string) {}, Log: slog.New(slog.DiscardHandler), Now: time.Now, Built: time.Unix(1, 0)},
			Machine: agents.Machine{Home: home}, Cache: filepath.Join(home, "cache"), SettingsPath: filepath.Join(home, "config.toml"), Watch: true,
		},
		Environ: func() []string { return append(os.Environ(), "HOME="+home) }, Program: os.Args[0],
	}
	for _, c := range change {
		c(&f.opts)
	}
	f.configure(config)
	f.open()
	return f
}

func (f *fixture) configure(config string) {
	f.t.Helper()
	config = strings.ReplaceAll(config, "+ ", "echo >>$HOME/ran; echo >"+f.began.Path+"; ")
	fstest.Must(f.t, os.WriteFile(f.opts.SettingsPath, []byte(config), 0o600))
}

// open makes the provider, as after a restart if there was one.
func (f *fixture) open() {
	f.Provider = New(f.opts)
	f.tree = fs.NewTree(f.Root(), fs.TreeOptions{Deadline: time.Minute})
	p := f.Provider
	f.t.Cleanup(func() {
		if !p.closed {
			f.t.Log(p.Close())
		}
	})
}

func (f *fixture) reopen() {
	f.t.Helper()
	fstest.Must(f.t, f.Close())
	f.open()
}

func (f *fixture) read(path string) string { f.t.Helper(); return fstest.Read(f.t, f.tree, path) }

// ran returns how many commands have run.
func (f *fixture) ran() int {
	text, _ := os.ReadFile(filepath.Join(f.home, "ran"))
	return strings.Count(string(text), "\n")
}

func (f *fixture) wantRan(n int) {
	f.t.Helper()
	fstest.Equal(f.t, f.ran(), n, "commands have run")
}

// walk lists everything, and reads what is listed.
func (f *fixture) walk() (all []string) {
	f.t.Helper()
	var visit func(path string)
	visit = func(path string) {
		for _, name := range fstest.Names(f.t, f.tree, path) {
			child := strings.TrimPrefix(path+"/"+name, "/")
			node, err := f.tree.Resolve(f.t.Context(), child)
			fstest.Must(f.t, err)
			if _, ok := node.(fs.Dir); ok {
				all = append(all, child+"/")
				visit(child)
				continue
			}
			all = append(all, child)
			f.read(child)
		}
	}
	visit("")
	return all
}

// refreshed refreshes a folder.
func (f *fixture) refreshed(name string) Refreshed {
	f.t.Helper()
	all, err := OpRefresh.Ask(f.t.Context(), fs.Operations(f.Operations()), RefreshQuery{Folder: name}, nil, nil)
	if err != nil || len(all) != 1 {
		f.t.Fatalf("refresh: %v, %v", all, err)
	}
	return all[0]
}

// sh is a command as TOML.
func sh(script string, args ...string) string {
	text := fmt.Sprintf(`["sh", "-c", %q, "sh"`, script)
	for _, arg := range args {
		text += fmt.Sprintf(", %q", arg)
	}
	return text + "]"
}
