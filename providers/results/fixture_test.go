package results

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// clock is a clock that stands still until it is moved.
type clock struct{ at atomic.Int64 }

func newClock(t time.Time) *clock {
	c := new(clock)
	c.at.Store(t.UnixNano())
	return c
}

func (c *clock) now() time.Time        { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) move(by time.Duration) { c.at.Add(int64(by)) }

type fixture struct {
	*Provider
	t       testing.TB
	dir     string
	tree    *fs.Tree
	changes chan string
}

func discard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// start shows a folder of results, with a watch unless an option changes that.
func start(t testing.TB, dir string, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: dir, changes: make(chan string, 100_000)}
	opts := Options{
		Env:   fs.Env{Changed: func(path string) { f.changes <- path }, Log: discard(), Now: time.Now, Built: time.Unix(1, 0)},
		State: dir,
		Watch: true,
	}
	for _, c := range change {
		c(&opts)
	}
	f.Provider = New(opts)
	t.Cleanup(func() { fstest.Must(t, f.Close()) })
	f.tree = fs.NewTree(f.Root(), fs.TreeOptions{Deadline: fstest.Patience})
	return f
}

func at(c *clock) func(*Options)            { return func(o *Options) { o.Env.Now = c.now } }
func offline(o *Options)                    { o.Watch = false }
func configured(path string) func(*Options) { return func(o *Options) { o.SettingsPath = path } }

// stateDir returns a folder for results that does not exist yet.
func stateDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	return filepath.Join(dir, "results")
}

func (f *fixture) save(o Origin, ext, body string) Saved {
	f.t.Helper()
	saved, err := f.Store().Save(o, ext, []byte(body))
	fstest.Must(f.t, err)
	return saved
}

// names returns the listed results.
func (f *fixture) names() []string {
	f.t.Helper()
	return slices.DeleteFunc(fstest.Names(f.t, f.tree, ""), func(name string) bool { return name == ignoreName || name == indexName })
}

func (f *fixture) has(name string) bool { return slices.Contains(f.names(), name) }

func (f *fixture) read(path string) string { f.t.Helper(); return fstest.Read(f.t, f.tree, path) }

// counted checks that the index has the lines of all results.
func (f *fixture) counted() {
	f.t.Helper()
	fstest.Settles(f.t, f, "all lines are counted", func() bool {
		return !slices.ContainsFunc(f.rows(), func(row []string) bool { return row[5] == "" })
	})
}

// rows returns the lines of the index without the head, as cells.
func (f *fixture) rows() (rows [][]string) {
	f.t.Helper()
	lines := strings.Split(strings.TrimSuffix(f.read(indexName), "\n"), "\n")
	fstest.Equal(f.t, lines[0]+"\n", columns, "index begins", lines[0])
	for _, line := range lines[1:] {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}

// onDisk returns the files in the folder of a store, except our own folder.
func onDisk(t testing.TB, dir string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	fstest.Must(t, err)
	for _, e := range found {
		if e.Name() != ownFolder {
			names = append(names, e.Name())
		}
	}
	return names
}
