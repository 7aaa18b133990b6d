package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/server"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// patience is how long anything may take on a busy machine.
const patience = 2 * time.Minute

// world is a home folder with a provider over it. Its servers are stubs in memory, and
// its time is that of the test's bubble, see [bubble], or all is real.
type world struct {
	t        testing.TB
	home     string
	dir      string // for files of the test
	opts     Options
	network  *fstest.Network // nil if all is real
	programs *programs       // nil if all is real
	settle   func()          // waits until nothing goes on by itself
	pass     func()          // has some time pass

	p    *Provider
	tree *fs.Tree

	mu      sync.Mutex
	changes []string
}

// bubble runs a test in a bubble (see testing/synctest), whose time begins after that
// of all files.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		<-time.After(50 * 365 * 24 * time.Hour)
		test(t)
	})
}

// inWorld runs a test with a world of its own in a bubble.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	bubble(t, func(t *testing.T) { test(t, newWorld(t)) })
}

// newWorld returns a world of a bubble.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := realWorld(t)
	w.network, w.programs = fstest.NewNetwork(t), newPrograms(t)
	w.opts.HTTP, w.opts.Listen, w.opts.Spawn = w.network, w.network.Listen, w.programs.spawn
	w.settle = synctest.Wait
	w.pass = func() { <-time.After(5 * time.Millisecond) }
	return w
}

// realWorld returns a world whose servers are processes.
func realWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir(), dir: t.TempDir()}
	w.settle, w.pass = func() {}, realPause
	t.Setenv("HOME", w.home)
	w.opts = Options{
		Host: host.Host{
			Env:     fs.Env{Changed: w.changed, Log: slog.New(slog.DiscardHandler), Now: time.Now},
			Machine: agents.Machine{Home: w.home},
			Cache:   filepath.Join(w.home, ".cache", "ctxfs", "mcp"),
			State:   filepath.Join(w.dir, "mcp"),
			Watch:   true,
		},
		Projects: project.New(project.Options{Home: w.home}),
		Environ:  os.Environ,
		Trust:    trust.New("", nil, time.Now),
		Root:     func(string) string { return "" },
		timing: timing{
			Timing: instance.Timing{
				Timing: wire.Timing{
					Discover: patience, Deaf: patience, Relisten: 10 * time.Millisecond,
					Grace: supervise.Grace{EOF: 500 * time.Millisecond, Term: 200 * time.Millisecond, Work: 10 * time.Second, Kill: 10 * time.Second},
				},
				Start: patience, Install: patience, Call: patience,
				Settle: time.Millisecond, Calm: 5 * time.Millisecond, Retry: time.Hour, RetryMax: time.Hour,
			},
			tool: patience, toolMax: patience, slot: 100 * time.Millisecond, hold: time.Millisecond,
		},
	}
	return w
}

// realPause is the time between two looks at what processes do, which no channel
// announces.
func realPause() { time.Sleep(10 * time.Millisecond) }

func (w *world) changed(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes = append(w.changes, path)
}

// drain returns the changes reported since the last call.
func (w *world) drain() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.changes
	w.changes = nil
	return all
}

func (w *world) write(path, text string) string {
	w.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.home, path)
	}
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		w.t.Fatal(err)
	}
	if w.programs != nil {
		w.programs.wrote()
	}
	return path
}

// stub is an entry for a stub server.
func stub(mode string, env ...string) map[string]any {
	vars := map[string]string{stubMode: mode}
	for i := 0; i+1 < len(env); i += 2 {
		vars[env[i]] = env[i+1]
	}
	return map[string]any{"command": os.Args[0], "env": vars}
}

// configure writes a client's file.
func (w *world) configure(path string, servers map[string]any) string {
	w.t.Helper()
	text, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		w.t.Fatal(err)
	}
	return w.write(path, string(text))
}

func (w *world) claude(servers map[string]any) string { return w.configure(".claude.json", servers) }
func (w *world) cursor(servers map[string]any) string {
	return w.configure(".cursor/mcp.json", servers)
}

// settings writes ctxfs's own configuration.
func (w *world) settings(text string) {
	w.t.Helper()
	w.opts.SettingsPath = w.write(".config/ctxfs/config.toml", text)
}

// open makes the provider, and closes it at the end of the test. That nothing is left
// of it then, the bubble checks.
func (w *world) open() *world {
	w.t.Helper()
	p := New(w.opts)
	w.p, w.tree = p, fs.NewTree(p.Root(), fs.TreeOptions{Deadline: patience})
	w.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return w
}

// reopen closes the provider and makes another one over the same files.
func (w *world) reopen() *world {
	w.t.Helper()
	if err := w.p.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.drain()
	return w.open()
}

// cache returns the stored catalogues.
func (w *world) cache() catalogue.Cache {
	return catalogue.Cache{Dir: w.opts.Cache, Log: w.opts.Env.Log}
}

// place is whose an instance is.
type place = server.Place

// use uses the server with a name.
func (w *world) use(ctx context.Context, name string, waiting instance.Waiting) (*instance.Session, error) {
	s, err := w.p.ChooseOne(name)
	if err != nil {
		return nil, err
	}
	session, _, err := w.p.Use(ctx, s, place{}, waiting)
	return session, err
}

func (w *world) start() *world {
	w.p.Start()
	return w
}

// startAll starts the servers whose catalogue is known, too.
func (w *world) startAll() *world {
	w.t.Helper()
	w.start()
	if err := w.p.Restart(""); err != nil {
		w.t.Fatal(err)
	}
	return w
}

func (w *world) cat(path string) string { w.t.Helper(); return fstest.Read(w.t, w.tree, path) }

func (w *world) read(path string) (string, error) { return fstest.Text(w.tree, path) }

func (w *world) stat(path string) fs.Attr {
	w.t.Helper()
	n, err := w.tree.Resolve(context.Background(), path)
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := w.tree.Stat(context.Background(), n)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) ls(path string) string {
	w.t.Helper()
	return strings.Join(fstest.Names(w.t, w.tree, path), " ")
}

// await has time pass until a condition holds.
func (w *world) await(what string, ok func() bool) {
	w.t.Helper()
	begun := time.Now()
	for w.settle(); !ok(); w.settle() {
		if time.Since(begun) > patience {
			index := ""
			if w.tree != nil {
				index = w.cat("INDEX.md")
			}
			w.t.Fatalf("not within %v: %s\n%s", patience, what, index)
		}
		w.pass()
	}
}

// untilState waits for a server's state, in the index too, and returns its
// STATUS.md.
func (w *world) untilState(server, state string) string {
	w.t.Helper()
	var text string
	w.await(server+" is "+state, func() bool {
		var err error
		text, err = w.read(server + "/STATUS.md")
		mark := "\n- " + server + ": "
		if state != instance.StateReady {
			mark += state
		}
		return err == nil && strings.HasPrefix(text, "state: "+state+"\n") &&
			strings.Contains(w.cat("INDEX.md"), mark) == (state != instance.StateReady)
	})
	return text
}

func (w *world) journal() (path string, lines func(what string) int) {
	path = filepath.Join(w.dir, "journal")
	return path, func(what string) int {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			w.t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			if strings.TrimSpace(line) == what {
				n++
			}
		}
		return n
	}
}
