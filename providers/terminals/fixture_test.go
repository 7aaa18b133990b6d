package terminals

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/terminals/record"
)

// epoch is when the terminals of the tests begin.
var epoch = time.Date(2026, time.November, 20, 4, 0, 0, 0, time.UTC)

const nonce = "s3cret"

// fixture is a provider over a folder of terminals.
type fixture struct {
	*Provider
	t    testing.TB
	dir  string
	tree *fs.Tree

	mu          sync.Mutex
	told, found map[string]bool // paths
}

// hear records an announced path.
func (f *fixture) hear(told map[string]bool, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	told[path] = true
}

func (f *fixture) heard(told map[string]bool, path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return told[path]
}

func start(t testing.TB, dir string, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: dir, told: make(map[string]bool), found: make(map[string]bool)}
	opts := Options{Host: host.Host{
		Env:   fs.Env{Changed: func(path string) { f.hear(f.told, path) }, Documented: func(path string) { f.hear(f.found, path) }, Log: slog.New(slog.DiscardHandler), Now: time.Now, Built: time.Unix(1, 0)},
		State: dir,
		Watch: true,
	}}
	for _, c := range change {
		c(&opts)
	}
	f.Provider = New(opts)
	t.Cleanup(func() { fstest.Must(t, f.Close()) })
	f.tree = fs.NewTree(f.Root(), fs.TreeOptions{Deadline: fstest.Patience})
	return f
}

func offline(o *Options) { o.Watch = false }

func stateDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	return filepath.Join(dir, "terminals")
}

// read returns a file of the tree.
func (f *fixture) read(path string) string { f.t.Helper(); return fstest.Read(f.t, f.tree, path) }

func (f *fixture) try(path string) (string, error) { return fstest.Text(f.tree, path) }

// shows checks that a file contains some words once all is shown.
func (f *fixture) shows(path string, words ...string) string {
	f.t.Helper()
	fstest.Settled(f.t, f)
	text := f.read(path)
	for _, w := range words {
		if !strings.Contains(text, w) {
			f.t.Fatalf("%s does not show %q:\n%s", path, w, text)
		}
	}
	return text
}

// names returns the entries of a folder.
func (f *fixture) names(path string) []string { f.t.Helper(); return fstest.Names(f.t, f.tree, path) }

// tape is a recording with a clock of its own.
type tape struct {
	*record.Recorder
	t   testing.TB
	now *atomic.Int64
}

func newTape(t testing.TB, dir string, change ...func(*record.Options)) *tape {
	t.Helper()
	p := &tape{t: t, now: new(atomic.Int64)}
	p.now.Store(epoch.UnixNano())
	o := record.Options{
		Dir: dir, Source: record.Term, Argv: []string{"/bin/bash"}, Pid: 4711, Cwd: "/home/u", Nonce: nonce,
		Now: func() time.Time { return time.Unix(0, p.now.Load()).UTC() }, Mask: func() record.Masker { return mask.New() },
	}
	for _, c := range change {
		c(&o)
	}
	r, err := record.New(o)
	fstest.Must(t, err)
	p.Recorder = r
	t.Cleanup(func() { _ = r.Close(-1, "") })
	return p
}

func (p *tape) put(text string) { p.Write([]byte(text)) }

func (p *tape) wait(d time.Duration) {
	p.now.Add(int64(d))
	p.Settle(time.Unix(0, p.now.Load()))
}

// begin returns a prompt and the begin of a command, end its end.
func begin(command string) string {
	return "\x1b]133;A;ctx=" + nonce + ";cwd=/home/u\a$ " + command + "\r\n\x1b]133;C;ctx=" + nonce + ";cwd=/home/u;cmdline_url=" + command + "\a"
}

func end(exit string) string { return "\x1b]133;D;" + exit + ";ctx=" + nonce + "\a" }

// kill makes a terminal look as if its holder was killed.
func kill(t testing.TB, dir string) {
	t.Helper()
	path := filepath.Join(dir, record.MetaFile)
	text, err := os.ReadFile(path)
	fstest.Must(t, err)
	fstest.Must(t, os.WriteFile(path, []byte(strings.Replace(string(text), `"holder_start": "`, `"holder_start": "x`, 1)), 0o600))
}
