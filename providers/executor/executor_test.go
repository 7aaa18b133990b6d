package executor

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/await"
	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/host"
)

// world is a state folder with runs, and a provider of them.
type world struct {
	*testing.T
	state string
	store job.Store

	mu   sync.Mutex
	news []string
}

func newWorld(t *testing.T) *world {
	state := t.TempDir()
	return &world{T: t, state: state, store: job.In(state)}
}

func (w *world) check(err error) {
	w.Helper()
	fstest.Must(w, err)
}

// start makes a run, and returns what ends the processes that it seems to have.
func (w *world) start(name, prompt string, s job.Status) (j *job.Job, killed func()) {
	w.Helper()
	if s.Created.IsZero() {
		s.Created = time.Now()
	}
	s.State, s.Agent, s.Dir = job.Running, name, "/repo"
	if s.Started.IsZero() {
		s.Started = s.Created
	}
	j, lock, err := w.store.Create(name, request.Request{RepoDir: "/repo", Prompt: prompt, Agent: name}, s)
	w.check(err)
	w.Cleanup(func() { lock.Close() })
	return j, func() { lock.Close() }
}

// end ends a run with an answer.
func (w *world) end(j *job.Job, text string, at time.Time, more ...func(*request.Result)) {
	w.Helper()
	r := request.Result{ID: j.ID, Agent: j.Status.Agent, Ended: request.Success, ExitCode: new(int), Text: text, DurationMS: 1500}
	if text != "" {
		r.TextFile = j.Path(job.TextFile)
		w.check(os.WriteFile(r.TextFile, []byte(text), 0o600))
	}
	for _, change := range more {
		change(&r)
	}
	w.check(j.Finish(r, at))
}

// fileLog is a log of a terminal that is one file.
type fileLog struct {
	*fs.Log
	path string
}

func (l fileLog) Exists() bool { _, err := os.Stat(l.path); return err == nil }

// provider returns a provider of the runs.
func (w *world) provider(watch bool) *Provider {
	p := New(Options{
		Host: host.Host{Env: fs.Env{Log: slog.New(slog.DiscardHandler), Now: time.Now, Built: time.Unix(1e9, 0), Changed: func(path string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.news = append(w.news, path)
		}}, SettingsPath: filepath.Join(w.state, "config.toml"), Watch: watch},
		Root: w.state,
		Log: func(recording string) (Log, error) {
			path := filepath.Join(recording, "log")
			_, err := os.Stat(path)
			return fileLog{fs.NewLog(path, 0), path}, err
		},
	})
	w.Cleanup(func() { w.check(p.Close()) })
	return p
}

// read returns the text of a file of a provider; "" if there is none.
func read(p *Provider, path string) string {
	text, _ := fstest.Text(fs.NewTree(p.Root(), fs.TreeOptions{}), path)
	return text
}

func names(t *testing.T, p *Provider, dir string) []string {
	t.Helper()
	return fstest.Names(t, fs.NewTree(p.Root(), fs.TreeOptions{}), dir)
}

func TestRuns(t *testing.T) {
	w := newWorld(t)
	if p := w.provider(false); p.Status().State != "empty" || !strings.Contains(read(p, "INDEX.md"), "ctxfs agent run") {
		t.Errorf("without a run: %+v\n%s", p.Status(), read(p, "INDEX.md"))
	}
	recording := filepath.Join(w.state, "terminals", "explore")
	w.check(os.MkdirAll(recording, 0o700))
	w.check(os.WriteFile(filepath.Join(recording, "log"), []byte("shown\n"), 0o600))
	token := "ghp_" + strings.Repeat("a1B2", 9)
	at := time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)
	goes, _ := w.start("explore", "where is \x1b[31mthe login?\u202e "+token, job.Status{Created: at, Terminal: "explore", Recording: recording, Session: "0b0e2bd1"})
	ended, _ := w.start("review", strings.Repeat("p", 2*maxPrompt), job.Status{Created: at.Add(time.Minute), Session: "1c1e2bd1"})
	w.check(os.WriteFile(ended.Path(job.DiffFile), []byte("--- a\n+++ b\n"), 0o600))
	w.end(ended, "the answer\x07 "+token+"\n", at.Add(2*time.Minute), func(r *request.Result) { r.Changed = []string{"a"}; r.Branch = "ctxfs/x" })
	long, _ := w.start("long", "x", job.Status{Created: at})
	w.end(long, strings.Repeat("line\n", maxKept), at.Add(time.Hour))
	lost, killed := w.start("lost", "x", job.Status{Created: at})
	killed()

	p := w.provider(false)
	fstest.Check(t, fs.NewTree(p.Root(), fs.TreeOptions{}), fstest.Expect("INDEX.md",
		goes.ID+"/request.json", goes.ID+"/status.json", goes.ID+"/log.txt", goes.ID+"/transcript.md", goes.ID+"/digest.md",
		ended.ID+"/result.md", ended.ID+"/result.json", ended.ID+"/changes.diff", lost.ID+"/result.md"))
	if s := p.Status(); s.State != "ready" || s.Summary != "1 running, 3 ended" {
		t.Errorf("%+v", s)
	}
	index := read(p, "INDEX.md")
	for _, want := range []string{
		"- **" + goes.ID + "/**: explore, runs since 2026-11-24T10:00:00Z: where is the login? [REDACTED",
		"- " + ended.ID + "/: review, success, started 2026-11-24T10:01:00Z: ppp",
		"- " + lost.ID + "/: lost, lost, ",
	} {
		fstest.Contains(t, index, want)
	}
	if got, want := names(t, p, goes.ID), []string{"digest.md", "log.txt", "request.json", "status.json", "transcript.md"}; !slices.Equal(got, want) {
		t.Errorf("of one that goes on there is %q", got)
	}
	var s status
	w.check(json.Unmarshal([]byte(read(p, goes.ID+"/status.json")), &s))
	if s.State != job.Running || s.Terminal != "terminals/explore.txt" || s.Transcript != "transcripts/by-id/0b0e2bd1/transcript.md" || s.Dir != "/repo" || !s.Started.Equal(at) {
		t.Errorf("%+v", s)
	}
	page := read(p, ended.ID+"/result.md")
	for _, want := range []string{
		"ended: success\nexit_code: 0\nstarted: 2026-11-24T10:01:00Z\nduration: 1.5 s\n", "branch: ctxfs/x\n",
		"transcript: transcripts/by-id/1c1e2bd1/transcript.md\ndigest: transcripts/by-id/1c1e2bd1/digest.md\n",
		"diff: agents/" + ended.ID + "/changes.diff (1 file)\n", "\n---\n\nthe answer [REDACTED",
	} {
		fstest.Contains(t, page, want)
	}
	for _, path := range []string{goes.ID + "/request.json", goes.ID + "/status.json", ended.ID + "/result.json", ended.ID + "/result.md", "INDEX.md"} {
		if text := read(p, path); text == "" || strings.ContainsAny(text, "\x1b\x07\u202e") || strings.Contains(text, token) {
			t.Errorf("%s: %q", path, text)
		}
	}
	if text := read(p, ended.ID+"/request.json"); len(text) > maxPrompt+1000 || !strings.Contains(text, "the whole, 131.1 KB, is in "+ended.Path("request.json")) {
		t.Errorf("a long prompt is shown as %d bytes", len(text))
	}
	if text := read(p, long.ID+"/result.md"); !strings.HasSuffix(text, strings.Repeat("line\n", maxKept)) {
		t.Errorf("a long answer is shown as %d bytes", len(text))
	}
	var found []string
	for d := range p.Documents("") {
		found = append(found, d.Path)
		if d.Whole == ended.ID && !strings.Contains(d.Fields["description"], "the answer") {
			t.Errorf("%+v", d)
		}
	}
	if len(found) != 4 || !slices.Contains(found, goes.ID+"/request.json") || !slices.Contains(found, ended.ID+"/result.md") {
		t.Errorf("%q", found)
	}
	w.check(os.RemoveAll(recording)) // as old terminals are
	if got := names(t, p, goes.ID); slices.Contains(got, "log.txt") {
		t.Errorf("the log is gone, but there is %q", got)
	}
	fstest.Check(t, fs.NewTree(p.Root(), fs.TreeOptions{}))
}

// TestNews: what becomes of a run is shown as soon as it is on disk, and announced.
func TestNews(t *testing.T) {
	w := newWorld(t)
	p := w.provider(true)
	j, _ := w.start("explore", "look", job.Status{})
	fstest.Settles(t, p, "it is shown", func() bool { return strings.Contains(read(p, j.ID+"/status.json"), `"running"`) })
	version := func(path string) uint64 {
		folder, name, _ := strings.Cut(path, "/")
		d, err := p.Root().Lookup(t.Context(), folder)
		w.check(err)
		n, err := d.(fs.Dir).Lookup(t.Context(), name)
		w.check(err)
		a, err := n.Attr(t.Context())
		w.check(err)
		return a.Version
	}
	before := version(j.ID + "/request.json")
	j.Status.Session = "0b0e2bd1"
	w.check(j.SetStatus(j.Status))
	fstest.Settles(t, p, "its session is known", func() bool { return strings.Contains(read(p, j.ID+"/status.json"), "by-id/0b0e2bd1") })
	w.end(j, "found", time.Now())
	fstest.Settles(t, p, "it has ended", func() bool {
		return strings.HasSuffix(read(p, j.ID+"/result.md"), "\nfound\n") && p.Status().Summary == "1 ended"
	})
	fstest.Equal(t, version(j.ID+"/request.json"), before, "the request has another version")
	w.mu.Lock()
	news := slices.Clone(w.news)
	w.mu.Unlock()
	if !slices.Contains(news, j.ID) || !slices.Contains(news, "INDEX.md") {
		t.Errorf("announced: %q", news)
	}
	w.check(os.RemoveAll(j.Dir))
	fstest.Settles(t, p, "it is gone", func() bool { return p.Status().State == "empty" })
	fstest.Check(t, fs.NewTree(p.Root(), fs.TreeOptions{}))
}

// TestSettings: what is wrong in the table [agents] is said in the status.
func TestSettings(t *testing.T) {
	w := newWorld(t)
	w.check(os.WriteFile(filepath.Join(w.state, "config.toml"), []byte("[agents]\nlimit = 0\n"), 0o600))
	p := w.provider(true)
	if s := p.Status(); s.State != "degraded" || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].What, "limit") {
		t.Errorf("%+v", s)
	}
	w.check(os.WriteFile(filepath.Join(w.state, "config.toml"), []byte("[agents]\nlimit = 1\n"), 0o600))
	if p.Reload(); len(p.Status().Problems) > 0 {
		t.Errorf("%+v", p.Status())
	}
}

// TestPrune: old runs are deleted, and all but the newest ones; never one that goes on, or
// whose worktree has changes.
func TestPrune(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	old := now.Add(-maxAge - time.Hour)
	goes, _ := w.start("goes", "x", job.Status{Created: old})
	gone, _ := w.start("gone", "x", job.Status{Created: old})
	w.end(gone, "", old)
	changes, _ := w.start("changes", "x", job.Status{Created: old})
	w.check(os.Mkdir(changes.Path(job.TreeDir), 0o700))
	w.end(changes, "", old)
	for i := range maxRuns + 3 {
		j, killed := w.start("n", fmt.Sprint(i), job.Status{Created: now.Add(time.Duration(i) * time.Second)})
		w.end(j, "", j.Status.Created)
		killed()
	}
	w.check(os.Mkdir(filepath.Join(w.store.Dir, deleted+"half"), 0o700))
	w.check(prune(w.store, now))
	ids, err := w.store.List()
	w.check(err)
	if len(ids) != maxRuns+2 || !slices.Contains(ids, goes.ID) || !slices.Contains(ids, changes.ID) || slices.Contains(ids, gone.ID) {
		t.Errorf("%d are kept: %q", len(ids), ids)
	}
	if left, _ := filepath.Glob(filepath.Join(w.store.Dir, deleted+"*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestAwait: a run can be waited for, by the beginning of its id.
func TestAwait(t *testing.T) {
	w := newWorld(t)
	p := w.provider(true)
	j, _ := w.start("explore", "look", job.Status{})
	check := func(a await.Pending) await.AwaitState {
		t.Helper()
		s, err := a.Check(t.Context())
		w.check(err)
		return s.State
	}
	a, err := p.Await(t.Context(), await.Condition{Kind: "agent", Name: "expl"})
	w.check(err)
	fstest.Equal(t, check(a), await.NotYet, "while it runs")
	w.end(j, "found", time.Now())
	fstest.Equal(t, check(a), await.Met, "when it has ended")
	w.check(os.RemoveAll(j.Dir))
	fstest.Equal(t, check(a), await.Never, "when it was deleted")
	if _, err := p.Await(t.Context(), await.Condition{Kind: "agent", Name: "nothing"}); err == nil || err.(*await.AwaitError).State != await.Unnamed {
		t.Errorf("%v", err)
	}
}
