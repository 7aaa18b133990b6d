package record

import (
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/tokens"
)

func at(text string) *time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return &t
}

// TestHeaderTokens: a header costs few tokens and has no blanks for padding. It
// logs the figures of BENCHMARKS.md.
func TestHeaderTokens(t *testing.T) {
	one, long := 1, strings.Repeat("go test -run 'TestSomething' ./providers/... ", 20)
	for _, c := range []struct {
		name string
		meta Meta
	}{
		{"an idle shell", Meta{Pid: 68861, Cwd: "/home/ada/src/shop", LastCommand: "npm test", LastExit: &one}},
		{"a new shell", Meta{Pid: 68861, Cwd: "/home/ada"}},
		{"a running command", Meta{Pid: 4194303, Cwd: "/home/ada/src/shop", Command: "npm run dev -- --port 8080", CommandStarted: at("2026-11-22T08:00:00Z")}},
		{"long ones", Meta{Pid: 4194303, Cwd: "/home/ada/" + strings.Repeat("deep/", 40), LastCommand: long, LastExit: &one}},
	} {
		text := string(c.meta.header())
		n := tokens.Count(text)
		t.Logf("%s: %d bytes, %d tokens\n%s", c.name, len(text), n, text)
		if len(text) != HeaderLen || strings.Contains(text, "  ") || n > 110 {
			t.Errorf("%s: %d bytes, %d tokens: %q", c.name, len(text), n, text)
		}
	}
}

// FuzzHeader: its length and lines are the same whatever is in it.
func FuzzHeader(f *testing.F) {
	f.Add(4711, "/home/ada", "make", 0, true)
	f.Add(1, "/größe/日本/"+strings.Repeat("日本/", 60), strings.Repeat("größe ", 60), 255, false)
	f.Add(-1<<31, "\xff\xfe\n  ", "  a\n\nb\t\x00", -1, true)
	f.Fuzz(func(t *testing.T, pid int, cwd, command string, exit int, running bool) {
		m := Meta{Pid: pid % (1 << 31), Cwd: cwd, LastCommand: command, LastExit: &exit}
		if exit %= 1 << 31; running {
			m.Command, m.CommandStarted = command, at("2026-11-22T08:00:00Z")
		}
		h := string(m.header())
		if len(h) != HeaderLen || strings.Count(h, "\n") != HeaderLines || !strings.HasPrefix(h, "---") || !strings.HasSuffix(h, "---\n") {
			t.Errorf("%d bytes: %q", len(h), h)
		}
	})
}

// TestFailed: what the user interrupted or ended has not failed.
func TestFailed(t *testing.T) {
	signal := func(s string) *string { return &s }
	for _, c := range []struct {
		command string
		exit    int // -1: not known
		signal  *string
		want    bool
	}{
		{"make", 2, nil, true},
		{"make", 0, nil, false},
		{"make", -1, nil, false},
		{"sleep 1000", 130, nil, false},
		{"sleep 1000", 130, signal("SIGINT"), false},
		{"server", 139, signal("SIGSEGV"), true},
		{"server", 143, nil, true},
		{"bash", 129, signal("SIGHUP"), false},
		{"exit", 2, nil, false},
		{"exit 3", 3, nil, false},
		{"  exit", 2, nil, false},
		{"exit;", 2, nil, false},
		{"logout", 2, nil, false},
		{"exit-code-of make", 2, nil, true},
		{"make; exit", 2, nil, true},
		{"# make", 2, nil, false},
		{"", 2, nil, true},
	} {
		r := Record{Command: c.command, Exit: exitPointer(c.exit), Signal: c.signal}
		fstest.Equal(t, r.Failed(), c.want, "failed", c.command, c.exit)
	}
}
