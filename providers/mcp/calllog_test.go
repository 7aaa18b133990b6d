package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/mcp/calls"
)

// logged are the lines of the log of calls.
func (w *world) logged() []calls.Called {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.opts.State, "calls.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	var all []calls.Called
	for line := range bytes.Lines(text) {
		var c calls.Called
		if err := json.Unmarshal(line, &c); err != nil {
			w.t.Fatalf("%q: %v", line, err)
		}
		all = append(all, c)
	}
	return all
}

func TestCallLog(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.State = filepath.Join(w.dir, "state")
		w.opts.Results = &shelf{dir: w.dir}
		const secret = "s3cret \"token\" of mine"
		w.claude(map[string]any{"callee": stub("calls", "TOKEN", secret)})
		w.settings("[mcp.policy]\ndeny = [\"*/delete*\"]\n")
		w.open()
		caller := calls.Caller{Via: "command", Agent: "claude-code", Session: "s\x1b[1m1", Dir: "/tmp/x", PID: 7}
		expired, stop := context.WithCancel(context.Background())
		stop()
		failing, _ := json.Marshal(map[string]string{"result": `{"isError":true,"content":[{"type":"text","text":"\nno ` + strings.ReplaceAll(secret, `"`, `\"`) + `\nmore"}]}`})
		large, _ := json.Marshal(map[string]string{"text": strings.Repeat("x", 20_000)})
		for i, c := range []struct {
			call calls.Call
			want calls.Called
		}{
			{calls.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}, calls.Called{Tool: "echo", Outcome: "ok", Bytes: 1}},
			{calls.Call{Tool: "echo", Arguments: large}, calls.Called{Tool: "echo", Outcome: "ok", Bytes: 20_000, File: "0.callee.echo.txt"}},
			{calls.Call{Tool: "echo"}, calls.Called{Tool: "echo", Outcome: "bad-arguments", Error: `missing "text"`}},
			{calls.Call{Tool: "ecko\nx"}, calls.Called{Tool: "ecko x", Outcome: "bad-arguments", Error: "server callee has no tool"}},
			{calls.Call{Tool: "delete_all"}, calls.Called{Tool: "delete_all", Outcome: "denied", Error: "callee/delete_all may not be called"}},
			{calls.Call{Tool: "give_result", Arguments: failing}, calls.Called{Tool: "give.result", Outcome: "tool-error", Error: "no ***", Bytes: 31}},
			{calls.Call{Tool: "refuses"}, calls.Called{Tool: "refuses", Outcome: "bad-arguments", Error: "these arguments will not do"}},
			{calls.Call{Tool: "dies"}, calls.Called{Tool: "dies", Outcome: "unreachable", Error: "exited with status 5"}},
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
		for _, c := range []calls.Call{{Server: "nobody", Tool: "x"}, {Server: "callee", Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}} {
			_, err := w.p.Call(expired, c)
			all := w.logged()
			if got := all[len(all)-1]; got.Outcome != calls.Outcome(nil, err) || got.Server != c.Server || got.Outcome == calls.OutcomeCancelled && got.Error != "" {
				t.Errorf("%v: %+v", err, got)
			}
		}
		path := filepath.Join(w.opts.State, "calls.jsonl")
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
	})
}
