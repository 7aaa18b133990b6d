package proposed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/memory/fact"
)

// TestMain is also the program that decides until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PROPOSED_TEST_STATE"); dir != "" {
		b := Open(dir, dir)
		fmt.Println("ready")
		for i := 0; ; i++ {
			if err := b.Decide(Decided{Verdict: Dismissed, Name: fmt.Sprintf("%d-%d", os.Getpid(), i), Scope: fact.User, Text: strings.Repeat("x", 200)}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// TestProcesses: two processes decide at once and are killed; no decision that was made
// is lost, and one that was half made hides no later one.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, decidedName)
	for range 5 {
		var both []*exec.Cmd
		for range 2 {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), "PROPOSED_TEST_STATE="+dir)
			out, err := c.StdoutPipe()
			check(t, err)
			check(t, c.Start())
			_, err = out.Read(make([]byte, 10))
			check(t, err)
			both = append(both, c)
		}
		for _, c := range both {
			check(t, c.Process.Kill())
			_ = c.Wait() // it was killed
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		check(t, err)
		_, err = f.WriteString(`{"verdict":"dismissed","na`) // as a full disk leaves it
		check(t, err)
		check(t, f.Close())
		b := Open(dir, dir)
		check(t, b.Decide(Decided{Verdict: Accepted, Name: "mine", Text: "x"}))
		if last, ok := b.Last("mine"); !ok || last.Verdict != Accepted {
			t.Fatalf("%+v, %v", last, ok)
		}
	}
	text, err := os.ReadFile(path)
	check(t, err)
	b := Open(dir, dir)
	b.Last("")
	if lines := strings.Count(string(text), "\n"); len(b.decided.all)+b.decided.damaged != lines || b.decided.damaged > 15 || len(b.Problems()) != 1 {
		t.Errorf("%d decisions and %d damaged ones of %d lines; %v", len(b.decided.all), b.decided.damaged, lines, b.Problems())
	}
}

// TestScopes: what was said in several projects would hold for the user; what was
// dismissed in one is proposed in the other alone.
func TestScopes(t *testing.T) {
	dir := t.TempDir()
	b := Open(dir, dir)
	said := func(session, dir, text string, byAgent bool) fs.StatementPart {
		return fs.StatementPart{
			Name: session, Version: "1", Agent: "pi", Session: session, Path: "x/" + session, Dir: dir,
			Statements: []fs.Statement{{Kind: fs.Lesson, Text: text, ByAgent: byAgent, Time: time.Unix(int64(len(session)), 0)}},
		}
	}
	out := Outside{ScopeOf: func(dir string) string { return dir }, Known: func(string, string) bool { return false }}
	proposals := func() string {
		var all []string
		for _, p := range b.Proposals(out) {
			all = append(all, fmt.Sprintf("%s in %s by agent %v, %d", p.Name, p.Scope, p.ByAgent, p.Sessions))
		}
		return strings.Join(all, "; ")
	}
	b.Learn([]fs.StatementPart{said("a", "/shop", "Nodes cache this", true), said("bb", "/shop", "nodes cache this.", false), said("ccc", "/lab", "Nodes cache this", true)})
	if got := proposals(); got != "nodes-cache-this in /shop by agent false, 3" {
		t.Errorf("an agent's word elsewhere: %q", got)
	}
	b.Learn([]fs.StatementPart{said("a", "/shop", "Nodes cache this", false), said("bb", "/shop", "nodes cache this.", false), said("ccc", "/lab", "Nodes cache this", false)})
	if got := proposals(); got != "nodes-cache-this in user by agent false, 3" {
		t.Errorf("two projects: %q", got)
	}
	check(t, b.Decide(Decided{Verdict: Dismissed, Name: "x", Scope: "/shop", Text: "nodes CACHE this"}))
	if got := proposals(); got != "nodes-cache-this in /lab by agent false, 1" {
		t.Errorf("dismissed in one: %q", got)
	}
	check(t, b.Decide(Decided{Verdict: Dismissed, Name: "x", Scope: fact.User, Text: "nodes CACHE this"}))
	if got := proposals(); got != "" {
		t.Errorf("dismissed for all: %q", got)
	}
}

// TestLearn: only what has changed is news, and the book is the same after a restart.
func TestLearn(t *testing.T) {
	dir := t.TempDir()
	b := Open(dir, dir)
	part := fs.StatementPart{Name: "a", Version: "1", Path: "x", Statements: []fs.Statement{{Kind: fs.Rule, Text: "always so"}}}
	for i, step := range []struct {
		all  []fs.StatementPart
		news bool
	}{
		{nil, false},
		{[]fs.StatementPart{part}, true},
		{[]fs.StatementPart{part}, false},
		{[]fs.StatementPart{{Name: "a", Version: "1", Path: "x", Unchanged: true}}, false},
		{[]fs.StatementPart{{Name: "a", Version: "2", Path: "x", Statements: part.Statements}}, false},
		{[]fs.StatementPart{{Name: "a", Version: "2", Path: "y", Unchanged: true}}, true},
		{[]fs.StatementPart{{Name: "a", Version: "2", Path: "y", Unchanged: true}, {Name: "b", Version: "", Unchanged: true}}, false},
		{nil, true},
	} {
		if news := b.Learn(step.all); news != step.news {
			t.Errorf("step %d: news %v", i, news)
		}
		check(t, b.Save())
		again := Open(dir, dir)
		again.Version("")
		if fmt.Sprint(again.parts) != fmt.Sprint(b.parts) {
			t.Errorf("step %d: %v after a restart, %v before", i, again.parts, b.parts)
		}
		b = again
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
