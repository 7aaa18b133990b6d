package calls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// tableOf returns the text of a table, as readers get it who read pieces of n bytes.
func tableOf(t *testing.T, node fs.Node, n int) string {
	t.Helper()
	a, err := node.Attr(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for p := make([]byte, n); ; {
		got, err := node.(fs.File).ReadAt(context.Background(), p, int64(out.Len()))
		out.Write(p[:got])
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if int64(out.Len()) != a.Size {
		t.Errorf("%d bytes of %d", out.Len(), a.Size)
	}
	return out.String()
}

func TestTable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	l := NewLog(dir)
	table := l.Tables()[TableName]
	if got := tableOf(t, table, 7); got != tableColumns {
		t.Errorf("without a call: %q", got)
	}
	empty, _ := table.Attr(context.Background())
	begun := time.Date(2026, 11, 22, 10, 0, 0, 5e6, time.FixedZone("", 3600))
	record := func(c Call, took time.Duration, r *Result, err error) {
		t.Helper()
		if _, err := l.Record(&c, Entry{Begun: begun, Took: took}, r, err); err != nil {
			t.Fatal(err)
		}
	}
	record(Call{Server: "github", Tool: "create_issue", Caller: Caller{Via: "command", Agent: "claude-code", Session: "0b0e2bd1"}}, 1500*time.Millisecond, &Result{File: "/home/x/.agentctx/results/1.github.txt"}, nil)
	before, _ := table.Attr(context.Background())
	record(Call{Server: "a\tb", Tool: "x\ny\x1b[31m\u202e"}, 0, nil, &ArgumentsError{What: "no"})
	record(Call{Server: "s", Tool: "t", Caller: Caller{Via: "gateway"}}, 0, &Result{Failed: true}, nil)
	const rows = "2026-11-22T09:00:00.005Z\tclaude-code/0b0e2bd1\tgithub\tcreate_issue\tok\t1500\tresults/1.github.txt\n" +
		"2026-11-22T09:00:00.005Z\tperson\ta b\tx y\tbad-arguments\t0\t\n" +
		"2026-11-22T09:00:00.005Z\tgateway\ts\tt\ttool-error\t0\t\n"
	for _, n := range []int{1, 10, 1 << 16} {
		if got := tableOf(t, table, n); got != tableColumns+rows {
			t.Errorf("%q", got)
		}
	}
	after, _ := table.Attr(context.Background())
	if empty.Version != before.Version || after.Version != before.Version || after.Size <= before.Size || !after.Live {
		t.Errorf("it grows: %+v, then %+v", before, after)
	}

	// A line that is being written, what is no line, and one that others have made.
	raw, err := os.OpenFile(l.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	fmt.Fprint(raw, "\x00\xff broken\n[]\n{}\n\n{\"time\":\"2026-11-22T09:00:01Z\",\"agent\":\"a\\tb\",\"session\":\"\\n\",\"tool\":\"half")
	if got := tableOf(t, table, 100); got != tableColumns+rows {
		t.Errorf("half a line: %q", got)
	}
	fmt.Fprint(raw, "\",\"file\":\"../../etc/x\\ty\"}\n")
	const last = "2026-11-22T09:00:01.000Z\ta b/\t\thalf\t\t0\tresults/x y\n"
	if got := tableOf(t, table, 100); got != tableColumns+rows+last {
		t.Errorf("the rest of it: %q", got)
	}
	again := NewLog(dir) // as after a kill
	if got := tableOf(t, again.Tables()[TableName], 100); got != tableColumns+rows+last {
		t.Errorf("after a restart: %q", got)
	}
	if again.Tables()[olderName] != nil {
		t.Error("files that are not there")
	}

	// A full log is renamed, and the table begins anew.
	l.max = 10
	record(Call{Server: "new", Tool: "t"}, 0, &Result{}, nil)
	if got := tableOf(t, l.Tables()[olderName], 100); got != tableColumns+rows+last {
		t.Errorf("the older one: %q", got)
	}
	if got := tableOf(t, table, 100); got != tableColumns+"2026-11-22T09:00:00.005Z\tperson\tnew\tt\tok\t0\t\n" {
		t.Errorf("the new one: %q", got)
	}
	if a, _ := table.Attr(context.Background()); a.Version == after.Version {
		t.Error("it is the same incarnation")
	}
	fstest.Check(t, fs.NewTree(fs.NewFolder(begun, l.Tables()), fs.TreeOptions{}), fstest.Expect(TableName, olderName))

	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	if got := tableOf(t, table, 100); got != tableColumns {
		t.Errorf("after it was removed: %q", got)
	}
	if err := os.Mkdir(l.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Attr(context.Background()); err == nil {
		t.Error("a folder is no log")
	}
}

// TestLongTable: each piece of a long table is what a reader of the whole sees there.
func TestLongTable(t *testing.T) {
	l := NewLog(t.TempDir())
	var log strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&log, `{"time":"2026-11-22T09:00:00Z","server":"s%d","tool":"%s","outcome":"ok"}`+"\n", i, strings.Repeat("é", i%90))
	}
	if err := os.WriteFile(l.path, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := tableOf(t, l.table, 1<<20)
	if n := strings.Count(whole, "\n"); n != 5001 {
		t.Fatalf("%d lines", n)
	}
	if len(l.table.marks) < 5 {
		t.Errorf("%d marks", len(l.table.marks))
	}
	for off := 0; off < len(whole); off += 4999 {
		p := make([]byte, 300)
		n, err := l.table.ReadAt(context.Background(), p, int64(off))
		if want := whole[off:min(off+300, len(whole))]; string(p[:n]) != want || (err != nil) != (n < 300) {
			t.Fatalf("at %d: %q, %v, want %q", off, p[:n], err, want)
		}
	}
	if _, err := l.table.ReadAt(context.Background(), make([]byte, 1), -1); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
	if n, err := l.table.ReadAt(context.Background(), make([]byte, 1), 1<<40); n != 0 || !errors.Is(err, io.EOF) {
		t.Error(n, err)
	}
}
