package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// logged are the lines of the log of calls.
func (w *world) logged() []Called {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.opts.StateDir, callLogName))
	if err != nil {
		w.t.Fatal(err)
	}
	var all []Called
	for line := range bytes.Lines(text) {
		var c Called
		if err := json.Unmarshal(line, &c); err != nil {
			w.t.Fatalf("%q: %v", line, err)
		}
		all = append(all, c)
	}
	return all
}

func TestCallLog(t *testing.T) {
	w := newWorld(t)
	w.opts.StateDir = filepath.Join(w.dir, "state")
	w.opts.Results = &shelf{dir: w.dir}
	const secret = "s3cret \"token\" of mine"
	w.claude(map[string]any{"callee": stub("calls", "TOKEN", secret)})
	w.settings("[mcp.policy]\ndeny = [\"*/delete*\"]\n")
	w.open()
	caller := Caller{Via: "command", Agent: "claude-code", Session: "s\x1b[1m1", Dir: "/tmp/x", PID: 7}
	expired, stop := context.WithCancel(context.Background())
	stop()
	failing, _ := json.Marshal(map[string]string{"result": `{"isError":true,"content":[{"type":"text","text":"\nno ` + strings.ReplaceAll(secret, `"`, `\"`) + `\nmore"}]}`})
	large, _ := json.Marshal(map[string]string{"text": strings.Repeat("x", 20_000)})
	for i, c := range []struct {
		call Call
		want Called
	}{
		{Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}, Called{Tool: "echo", Outcome: "ok", Bytes: 1}},
		{Call{Tool: "echo", Arguments: large}, Called{Tool: "echo", Outcome: "ok", Bytes: 20_000, File: "0.callee.echo.txt"}},
		{Call{Tool: "echo"}, Called{Tool: "echo", Outcome: "bad-arguments", Error: `missing "text"`}},
		{Call{Tool: "ecko\nx"}, Called{Tool: "ecko x", Outcome: "bad-arguments", Error: "server callee has no tool"}},
		{Call{Tool: "delete_all"}, Called{Tool: "delete_all", Outcome: "denied", Error: "callee/delete_all may not be called"}},
		{Call{Tool: "give_result", Arguments: failing}, Called{Tool: "give.result", Outcome: "tool-error", Error: "no ***", Bytes: 31}},
		{Call{Tool: "refuses"}, Called{Tool: "refuses", Outcome: "bad-arguments", Error: "these arguments will not do"}},
		{Call{Tool: "dies"}, Called{Tool: "dies", Outcome: "unreachable", Error: "exit status 5"}},
	} {
		c.call.Server, c.call.Caller = "callee", caller
		_, err := w.p.Call(context.Background(), c.call)
		all := w.logged()
		if len(all) != i+1 {
			t.Fatalf("%d lines after %+v, %v", len(all), c.call, err)
		}
		got := all[i]
		if got.Server != "callee" || got.Tool != c.want.Tool || got.Outcome != c.want.Outcome || got.Bytes != c.want.Bytes || !strings.HasSuffix(got.File, c.want.File) ||
			(c.want.Error == "") != (got.Error == "") || !strings.Contains(got.Error, c.want.Error) || got.Session != "s1" || got.PID != 7 || got.Via != "command" || got.Arguments != nil || got.Time.IsZero() {
			t.Errorf("%+v: %+v", c.call, got)
		}
	}
	for _, c := range []Call{{Server: "nobody", Tool: "x"}, {Server: "callee", Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}} {
		_, err := w.p.Call(expired, c)
		all := w.logged()
		if got := all[len(all)-1]; got.Outcome != Outcome(nil, err) || got.Server != c.Server {
			t.Errorf("%v: %+v", err, got)
		}
	}
	path := filepath.Join(w.opts.StateDir, callLogName)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(err, info.Mode())
	}

	w.settings("[mcp.policy]\nlog_arguments = true\n")
	w.p.Reload()
	args, _ := json.Marshal(map[string]any{"text": "of " + secret})
	if _, err := w.call("echo", string(args)); err != nil {
		t.Fatal(err)
	}
	huge, _ := json.Marshal(map[string]any{"text": strings.Repeat("y", 100_000)})
	if _, err := w.call("echo", string(huge)); err != nil {
		t.Fatal(err)
	}
	all := w.logged()
	if got := string(all[len(all)-2].Arguments); got != `{"text":"of ***"}` {
		t.Error(got)
	}
	if got := string(all[len(all)-1].Arguments); got != `"100.0 KB left out"` {
		t.Error(got)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, []byte("s3cret")) {
		t.Errorf("%v: a secret is in the log", err)
	}
}

// TestCallLogOfManyWriters has several logs on one file, which is renamed when
// it is full, and loses no line and no piece of one.
func TestCallLogOfManyWriters(t *testing.T) {
	dir := t.TempDir()
	const writers, lines = 8, 100
	line := func(w, i int) string { return fmt.Sprintf("%d-%d %s\n", w, i, strings.Repeat("x", 100)) }
	var all sync.WaitGroup
	for w := range writers {
		l := newCallLog(filepath.Join(dir, "state"))
		l.max = writers * lines * int64(len(line(0, 0))) * 2 / 3 // it is renamed once
		all.Go(func() {
			for i := range lines {
				if err := l.add([]byte(line(w, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	seen := make(map[string]int)
	for _, name := range []string{callLogName, callLogName + ".1"} {
		text, err := os.ReadFile(filepath.Join(dir, "state", name))
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(text)) {
			seen[l]++
		}
	}
	for w := range writers {
		for i := range lines {
			if seen[line(w, i)] != 1 {
				t.Fatalf("line %d of %d is there %d times", i, w, seen[line(w, i)])
			}
		}
	}
}

func BenchmarkCallLog(b *testing.B) {
	l := newCallLog(b.TempDir())
	line := []byte(strings.Repeat("x", 300) + "\n")
	for b.Loop() {
		if err := l.add(line); err != nil {
			b.Fatal(err)
		}
	}
}
