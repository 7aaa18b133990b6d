package calls

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
)

func TestTally(t *testing.T) {
	l := NewLog(t.TempDir())
	if all, err := l.Tally(context.Background(), facts.CallsQuery{}); len(all) != 0 || err != nil {
		t.Errorf("without a log: %v, %v", all, err)
	}
	older := `{"time":"2026-11-20T09:00:00Z","server":"a","tool":"x","outcome":"ok","ms":100,"bytes":10,"project":"/p/shop"}
no line
{"time":"2026-11-21T09:00:00Z","server":"a","tool":"x","outcome":"timeout","ms":900,"agent":"codex","dir":"/p/shop/sub"}
`
	newer := `{"time":"2026-11-22T09:00:00Z","server":"a","tool":"x","outcome":"ok","ms":300,"bytes":50000,"file":"/r/1.txt","agent":"codex","project":"/p/shopper"}
{"time":"2026-11-22T10:00:00Z","server":"a","tool":"x","outcome":"asked","ms":-5,"bytes":-1}
{"time":"2026-11-22T11:00:00Z","server":"b\nc","tool":"x\u001b[1m","outcome":"denied"}
{"time":"2026-11-22T12:00:00Z","server":"a","tool":"half`
	for path, text := range map[string]string{l.path + olderSuffix: older, l.path: newer} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	x := facts.ToolCalls{Server: "a", Tool: "x", Calls: 4, Failed: 1, Outcomes: map[string]int{"ok": 2, "timeout": 1, "asked": 1}, Total: 1300, Median: 100, P95: 900, Bytes: 50010, Filed: 1, FiledBytes: 50000, Last: at(22, 10)}
	denied := facts.ToolCalls{Server: "b c", Tool: "x", Calls: 1, Failed: 1, Outcomes: map[string]int{"denied": 1}, Last: at(22, 11)}
	got, err := l.Tally(context.Background(), facts.CallsQuery{})
	if want := []facts.ToolCalls{x, denied}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want\n%+v", got, err, want)
	}
	for _, c := range []struct {
		q    facts.CallsQuery
		want int
	}{
		{facts.CallsQuery{Since: at(22, 0)}, 3}, {facts.CallsQuery{Until: at(22, 0)}, 2}, {facts.CallsQuery{Since: at(21, 9), Until: at(22, 10)}, 2},
		{facts.CallsQuery{Server: "a"}, 4}, {facts.CallsQuery{Agent: "codex"}, 2}, {facts.CallsQuery{Project: "/p/shop"}, 2}, {facts.CallsQuery{Server: "z"}, 0},
	} {
		all, err := l.Tally(context.Background(), c.q)
		n := 0
		for _, one := range all {
			n += one.Calls
		}
		if n != c.want || err != nil {
			t.Errorf("%+v: %d calls, %v, want %d", c.q, n, err, c.want)
		}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := l.Tally(ended, facts.CallsQuery{}); err == nil {
		t.Error("it goes on when nobody waits")
	}
	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(l.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Tally(context.Background(), facts.CallsQuery{}); err == nil || !strings.Contains(err.Error(), "calls.jsonl") {
		t.Errorf("a folder is no log: %v", err)
	}
	for n, want := range map[int][2]int64{1: {1, 1}, 2: {1, 2}, 20: {10, 19}, 21: {11, 20}, 100: {50, 95}} {
		var ms []int64
		for i := range n {
			ms = append(ms, int64(i+1))
		}
		if got := [2]int64{quantile(ms, 50), quantile(ms, 95)}; got != want {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
}
