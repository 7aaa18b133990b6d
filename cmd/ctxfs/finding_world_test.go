package main

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs/fstest"
	"ctxfs/providers"
	"ctxfs/providers/results"
	"ctxfs/providers/terminals/record"
)

// How much there is in the world of the questions.
const (
	worldSessions = 300
	worldResults  = 100
)

// findingWorld is a tree in which questions are asked: 25 servers of which five
// are broken, 50 skills, 300 sessions, 20 terminals and 100 results. Texts are
// those of testdata/finding/world, between others that share their words. All
// times are counted back from now.
type findingWorld struct {
	*usertree.Tree
	testing.TB
	home     string
	now      time.Time
	sessions map[string]string // the session's ID by the name of its story
	results  map[string]string // the path in the tree by the result's name
}

func newFindingWorld(tb testing.TB) *findingWorld {
	tb.Helper()
	w := &findingWorld{
		TB: tb, home: tb.TempDir(), now: time.Now().Truncate(time.Minute),
		sessions: make(map[string]string), results: make(map[string]string),
	}
	offered := w.writeServers()
	for _, s := range worldSections(tb, "skills.txt") {
		description, body, _ := strings.Cut(s.text, "\n--\n")
		w.write(".claude/skills/"+s.name+"/SKILL.md", fmt.Sprintf("---\nname: %s\ndescription: %q\n---\n\n%s", s.name, description, body))
	}
	w.writeSessions()
	w.writeTerminals()
	w.Tree = startedTree(tb, w.home)
	w.saveResults()
	w.settle(offered)
	return w
}

// settle waits until everything is offered, rendered and indexed.
func (w *findingWorld) settle(offered int) {
	w.Helper()
	if !fstest.Becomes(func() bool {
		got, ready, sessions := 0, false, 0
		for _, s := range statusesOf(w, w.Tree) {
			for _, i := range s.Items {
				switch s.Name {
				case "mcps":
					got += max(i.Count, 0)
				case "transcripts":
					sessions += i.Count
				}
			}
			ready = ready || s.Name == "transcripts" && s.State == "ready"
		}
		return got == offered && ready && sessions == worldSessions
	}) {
		w.Fatalf("the world of %d tools is not complete: %s", offered, asJSON(statusesOf(w, w.Tree)))
	}
}

func (w *findingWorld) write(path, text string) {
	w.Helper()
	full := filepath.Join(w.home, path)
	must(w, os.MkdirAll(filepath.Dir(full), 0o700))
	must(w, os.WriteFile(full, []byte(text), 0o600))
}

// project returns the folder of a project.
func (w *findingWorld) project(name string) string { return filepath.Join(w.home, "work", name) }

func (w *findingWorld) daysAgo(n int) time.Time {
	return w.now.Add(-time.Duration(n)*24*time.Hour - time.Hour)
}

// section is a part of a file of the world: a line "== name fields…", and what
// follows.
type section struct {
	name   string
	fields []string
	text   string
}

func worldSections(tb testing.TB, file string) (all []section) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("../../testdata/finding/world", file))
	must(tb, err)
	for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		fields := strings.Fields(head)
		all = append(all, section{fields[0], fields[1:], body})
	}
	return all
}

// saveResults saves the results that have something to find, each among lines of
// its kind, and others of the same tools.
func (w *findingWorld) saveResults() {
	w.Helper()
	store := providers.Of[*results.Provider](w.Providers())[0].Store()
	told := worldSections(w, "results.txt")
	chance := newChance("results")
	for i := range worldResults {
		s := told[i%len(told)]
		server, tool, shape, topic := s.fields[0], s.fields[1], s.fields[2], s.fields[3]
		fact := ""
		if i < len(told) {
			fact = strings.TrimSpace(s.text)
		}
		body := chance.result(shape, topic, fact)
		saved, err := store.Save(results.Origin{Source: "call", Server: server, Tool: tool}, "", []byte(body))
		must(w, err)
		if fact != "" {
			w.results[s.name] = "results/" + filepath.Base(saved.Path)
		}
	}
}

// shellNonce authenticates the marks of the shell in the recordings.
const shellNonce = "nonce"

// writeTerminals records terminals: those of the world, and what real programs
// wrote, with the screens that they drew.
func (w *findingWorld) writeTerminals() {
	w.Helper()
	for _, s := range worldSections(w, "terminals.txt") {
		days, err := strconv.Atoi(s.fields[1])
		must(w, err)
		t := w.tape(s.name, s.fields[0], w.daysAgo(days))
		for _, part := range strings.Split("\n"+s.text, "\n$ ")[1:] {
			command, output, _ := strings.Cut(part, "\n")
			output, exit, _ := strings.Cut("\n"+output, "\n=> ")
			t.command(command, t.noise(strings.TrimPrefix(output+"\n", "\n")), strings.TrimSpace(exit))
		}
		must(w, t.Close(0, ""))
	}
	for i, raw := range []struct{ name, command string }{
		{"cargo", "cargo build --offline && cargo test --offline"}, {"git", "git --no-pager log --graph --stat"},
		{"clone", "git clone --progress repo copy"}, {"vim", "vim text.txt"}, {"less", "less text.txt"}, {"top", "top -d 0.5"},
	} {
		text, err := os.ReadFile("../../testdata/terminals/" + raw.name + ".raw")
		must(w, err)
		t := w.tape("real-"+raw.name, "pulsed", w.daysAgo(i))
		t.command(raw.command, string(text), "0")
		must(w, t.Close(0, ""))
	}
}

// taping is a recording with a clock of its own.
type taping struct {
	*record.Recorder
	cwd    string
	now    *time.Time
	chance *chance
}

func (w *findingWorld) tape(name, project string, at time.Time) *taping {
	w.Helper()
	cwd := w.project(project)
	r, err := record.New(record.Options{
		Dir: filepath.Join(w.home, "state", "terminals"), Name: name, Source: record.Term, Argv: []string{"/bin/bash"}, Pid: 4711,
		Cwd: cwd, Nonce: shellNonce, Cols: 120, Rows: 40, Now: func() time.Time { return at },
	})
	must(w, err)
	return &taping{r, cwd, &at, newChance(name)}
}

// command records one command as our shell integration reports it.
func (t *taping) command(line, output, exit string) {
	ctx := ";ctx=" + shellNonce
	cwd := ";cwd=" + url.PathEscape(t.cwd)
	say := func(text string) { t.Write([]byte(text)) }
	say("\x1b]133;A" + ctx + cwd + "\a$ " + line + "\r\n\x1b]133;C" + ctx + cwd + ";cmdline_url=" + url.PathEscape(line) + "\a")
	for text := range strings.Lines(output) {
		say(strings.TrimSuffix(text, "\n") + "\r\n")
		*t.now = t.now.Add(50 * time.Millisecond)
	}
	say("\x1b]133;D;" + exit + ctx + "\a")
	*t.now = t.now.Add(time.Minute)
	t.Settle(*t.now)
}

// noise replaces each line "@log n kind" by n lines of a log of that kind.
func (t *taping) noise(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		var n int
		var kind string
		if _, err := fmt.Sscanf(line, "@log %d %s", &n, &kind); err != nil {
			b.WriteString(line)
			continue
		}
		for range n {
			b.WriteString(t.chance.logLine(kind) + "\n")
		}
	}
	return b.String()
}

// stableID returns a UUID that depends on nothing but the name.
func stableID(name string) string {
	h := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
}
