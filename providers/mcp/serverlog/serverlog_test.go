package serverlog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/mcp/wire"
)

func newLog(t *testing.T) (l *Log, path string) {
	path = filepath.Join(t.TempDir(), "logs", "a.txt")
	return New(Options{
		Path:    path,
		Now:     func() time.Time { return time.Date(2026, 11, 22, 14, 20, 11, 480e6, time.UTC) },
		Clean:   func(text string) string { return mask.Text(clean.Text(text)) },
		Written: func(bool) {},
	}), path
}

func text(t *testing.T, path string) string {
	t.Helper()
	is, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(is)
}

// TestLines has a message be one line, whatever its server writes, or indented
// lines, and none with a secret.
func TestLines(t *testing.T) {
	l, path := newLog(t)
	if l.Node() != nil {
		t.Error("a file is shown before there is one")
	}
	l.Post(wire.LogMessage{Level: "warning", Logger: "db\x1b[2J", Text: "the index\r\n2026-11-22T14:20:11.480Z info forged: line\n\n"}, "~/src/app")
	l.Post(wire.LogMessage{Level: "info", Text: "token ghp_0123456789abcdefghijABCDEFGHIJ012345 \x1b]0;title\x07\u202e", Dropped: 1}, "")
	l.Post(wire.LogMessage{}, "")
	l.Close()
	l.Post(wire.LogMessage{Text: "after the end"}, "")
	const want = "2026-11-22T14:20:11.480Z warning db [~/src/app]: the index\n" +
		"  2026-11-22T14:20:11.480Z info forged: line\n" +
		"2026-11-22T14:20:11.480Z ctxfs: left out 1 message, because too many came at once\n" +
		"2026-11-22T14:20:11.480Z info: token [REDACTED:github]\n" +
		"2026-11-22T14:20:11.480Z -:\n"
	if got := text(t, path); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	is, err := l.Node().Attr(context.Background())
	if err != nil || !is.Live || is.Size != info.Size() {
		t.Errorf("%+v, %v", is, err)
	}
}

// TestTheEndIsKept has the file stay below its limit, and begin with a whole
// message.
func TestTheEndIsKept(t *testing.T) {
	l, path := newLog(t)
	for i := range 100 {
		l.Post(wire.LogMessage{Level: "info", Text: fmt.Sprintf("message %d\n%s", i, strings.Repeat("long\n", 2000))}, "")
		if i%10 == 9 {
			l.Close()
			l = New(l.o)
		}
	}
	got := text(t, path)
	if len(got) > maxText || len(got) < keptText/2 {
		t.Errorf("%d bytes", len(got))
	}
	if !strings.HasPrefix(got, "2026-11-22T14:20:11.480Z info: message ") || !strings.Contains(got, "message 99\n") {
		t.Errorf("it begins with %.60q", got)
	}
}

// TestATornLine has a line that was cut off by a crash not run into the next.
func TestATornLine(t *testing.T) {
	l, path := newLog(t)
	l.Post(wire.LogMessage{Level: "info", Text: "one"}, "")
	l.Close()
	if err := os.Truncate(path, 30); err != nil {
		t.Fatal(err)
	}
	l = New(l.o)
	l.Post(wire.LogMessage{Level: "info", Text: "two"}, "")
	l.Close()
	if got := text(t, path); got != "2026-11-22T14:20:11.480Z info:\n2026-11-22T14:20:11.480Z info: two\n" {
		t.Errorf("%q", got)
	}
}

// TestTooMuch has a log that cannot be written as fast as it comes drop messages
// and say so, and one on a full or missing disk cost nothing.
func TestTooMuch(t *testing.T) {
	l, path := newLog(t)
	long := strings.Repeat("x", 64<<10)
	for range 1000 {
		l.Post(wire.LogMessage{Level: "info", Text: long}, "")
	}
	l.Close()
	l = New(l.o)
	l.Post(wire.LogMessage{Level: "info", Text: "the last", Dropped: 3}, "")
	l.Close()
	if got := text(t, path); len(got) > maxText || !strings.Contains(got, "left out 3 messages") {
		t.Errorf("%d bytes", len(got))
	}
	broken := New(Options{Path: filepath.Join(path, "not-a-folder.txt"), Now: time.Now, Clean: strings.Clone})
	broken.Post(wire.LogMessage{Text: "lost"}, "")
	broken.Close()
	var _ fs.Node = broken.node
	if broken.Node() != nil {
		t.Error("it is shown")
	}
}
