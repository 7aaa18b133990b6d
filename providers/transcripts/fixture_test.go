package transcripts

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	known "ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/folders"
)

// deadline is how long changes by another process may take to arrive.
const deadline = 2 * time.Minute

// clock is a clock that stands still until it is moved.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.at.Load()) }

// fixture is a provider over a home folder.
type fixture struct {
	*Provider
	t       testing.TB
	home    string
	clock   *clock
	tree    *fs.Tree
	changes chan string
	news    atomic.Int64 // how many changes were reported, without those of indexes, which are made again at intervals
}

// start shows the sessions of a home folder, with a watch unless it is changed.
func start(t testing.TB, home string, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, home: home, clock: new(clock), changes: make(chan string, 1<<10)}
	f.clock.at.Store(time.Now().UnixNano())
	opts := Options{Agents: agents.All(), Host: host.Host{
		Env: fs.Env{
			Changed: func(path string) {
				if path != folders.IndexName && !strings.HasSuffix(path, "/"+folders.IndexName) {
					f.news.Add(1)
				}
				select {
				case f.changes <- path:
				default: // another test waits for something else, and checks for itself
				}
			},
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: f.clock.now, Built: time.Unix(1, 0),
		},
		Machine: known.Machine{Home: home, OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }},
		Cache:   filepath.Join(home, ".cache"), State: filepath.Join(home, ".state"),
		SettingsPath: filepath.Join(home, "config.toml"),
		Watch:        true,
	}}
	for _, c := range change {
		c(&opts)
	}
	f.Provider = New(opts)
	t.Cleanup(func() {
		fstest.Must(t, f.Close())
		f.checkTotals()
	})
	f.tree = f.newTree(f.Root())
	if opts.Watch {
		if faults := f.scanner.WatchFaults(); len(faults) > 0 {
			t.Skipf("no watcher can be had: %v", faults[0].What)
		}
		f.Start()
		fstest.Must(t, f.scanner.Wait(t.Context()))
	}
	return f
}

func (f *fixture) newTree(root fs.Dir) *fs.Tree {
	return fs.NewTree(root, fs.TreeOptions{Deadline: deadline})
}

// forgetTexts has the fixture read without the texts that are in memory.
func (f *fixture) forgetTexts() { f.tree = f.newTree(folders.New(f.folders.Options).Root()) }

func offline(o *Options) { o.Watch = false }

// tempHome is a home folder; its path has no links.
func tempHome(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	return dir
}

// await waits until what was written is shown; then a condition must hold.
func (f *fixture) await(what string, holds func() bool) {
	f.t.Helper()
	fstest.Settles(f.t, f, what, holds)
}

func (f *fixture) node(path string) fs.Node {
	f.t.Helper()
	n, err := f.tree.Resolve(context.Background(), path)
	if err != nil {
		f.t.Fatalf("%s: %v", path, err)
	}
	return n
}

func (f *fixture) read(path string) string { f.t.Helper(); return fstest.Read(f.t, f.tree, path) }

func (f *fixture) names(path string) []string { f.t.Helper(); return fstest.Names(f.t, f.tree, path) }

// entries is how many names a folder has, which may come and go meanwhile: 0
// where it is not there.
func (f *fixture) entries(path string) int {
	n, err := f.tree.Resolve(context.Background(), path)
	if err != nil {
		return 0
	}
	list, err := f.tree.List(context.Background(), n.(fs.Dir))
	if err != nil {
		return 0
	}
	return len(list)
}

func (f *fixture) exists(path string) bool {
	_, err := f.tree.Resolve(context.Background(), path)
	return err == nil
}

func (f *fixture) transcript(id string) string {
	return f.read(catalogue.ByID + "/" + id + "/" + "transcript.md")
}

// pi is a session of the agent Pi, whose format is the simplest of the logs.
type pi struct {
	t    testing.TB
	path string
	id   string
	last string
	n    int
}

func piSession(t testing.TB, home, id string) *pi {
	t.Helper()
	s := &pi{t: t, id: id, path: filepath.Join(home, ".pi", "agent", "sessions", "--work--", "2026-05-12T01-02-27-657Z_"+id+".jsonl")}
	fstest.Must(t, os.MkdirAll(filepath.Dir(s.path), 0o755))
	s.raw(fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-05-12T01:02:27.657Z","cwd":%q}`, id, filepath.Join(home, "work")) + "\n")
	return s
}

// raw appends text to the log.
func (s *pi) raw(text string) {
	s.t.Helper()
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	fstest.Must(s.t, err)
	_, err = f.WriteString(text)
	fstest.Must(s.t, err)
	fstest.Must(s.t, f.Close())
}

func (s *pi) message(role string, content ...any) {
	s.t.Helper()
	s.raw(s.line(role, content...))
}

// line is a record that goes on from the last one.
func (s *pi) line(role string, content ...any) string {
	s.t.Helper()
	s.n++
	id := fmt.Sprintf("%s-%d", s.id, s.n)
	record := map[string]any{
		"type": "message", "id": id, "timestamp": time.Date(2026, 5, 12, 1, 3, s.n, 0, time.UTC).Format(time.RFC3339),
		"message": map[string]any{"role": role, "content": content},
	}
	if s.last != "" {
		record["parentId"] = s.last
	}
	s.last = id
	text, err := json.Marshal(record)
	fstest.Must(s.t, err)
	return string(text) + "\n"
}

func (s *pi) user(text string)      { s.message("user", textBlock(text)) }
func (s *pi) assistant(text string) { s.message("assistant", textBlock(text)) }

// call is a call of a tool with its result.
func (s *pi) call(id, tool, result string, arguments map[string]any) {
	s.message("assistant", map[string]any{"type": "toolCall", "id": id, "name": tool, "arguments": arguments})
	s.n++
	text, err := json.Marshal(map[string]any{
		"type": "message", "id": fmt.Sprintf("%s-%d", s.id, s.n), "parentId": s.last, "timestamp": "2026-05-12T01:04:00Z",
		"message": map[string]any{"role": "toolResult", "toolCallId": id, "toolName": tool, "content": []any{textBlock(result)}, "isError": false},
	})
	fstest.Must(s.t, err)
	s.last = fmt.Sprintf("%s-%d", s.id, s.n)
	s.raw(string(text) + "\n")
}

func textBlock(text string) map[string]any { return map[string]any{"type": "text", "text": text} }

func count(text, word string) int { return strings.Count(text, word) }

// long is a text of n numbered lines.
func long(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a long text\n", i)
	}
	return b.String()
}

// hashOf returns the FNV-1a hash of a text.
func hashOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}
