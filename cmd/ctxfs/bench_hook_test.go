package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkHook runs `ctxfs hook` as agents do at each message and after each call, in turn
// with an empty Go program: without a background process, and with one that has a session
// of the agent and a workspace.
func BenchmarkHook(b *testing.B) {
	env, _ := benchServers(b, 0, 0)
	home := ""
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, "HOME="); ok {
			home = rest
		}
	}
	empty := filepath.Join(home, "empty")
	must(b, os.WriteFile(empty+".go", []byte("package main\n\nfunc main() {}\n"), 0o600))
	if out, err := exec.Command("go", "build", "-o", empty, empty+".go").CombinedOutput(); err != nil {
		b.Skipf("go build: %v\n%s", err, out)
	}
	repo := filepath.Join(home, "repo")
	must(b, os.MkdirAll(filepath.Join(repo, ".git"), 0o700))
	log := filepath.Join(home, ".claude", "projects", "-repo", claudeID+".jsonl")
	must(b, os.MkdirAll(filepath.Dir(log), 0o700))
	must(b, os.WriteFile(log, []byte(claudeLine(repo, `"type":"user","uuid":"u0","parentUuid":null,"timestamp":"2026-05-12T01:00:00Z","message":{"role":"user","content":"Fix it"}`)+"\n"), 0o600))
	input := func(event, more string) []byte {
		return fmt.Appendf(nil, `{"session_id":%q,"cwd":%q,"hook_event_name":%q%s}`, claudeID, repo, event, more)
	}
	events := map[string][]byte{
		"UserPromptSubmit": input("UserPromptSubmit", `,"prompt":"rename foo to bar in utils.py"`),
		"PostToolUse":      input("PostToolUse", `,"tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"`+strings.Repeat("a line\\n", 1000)+`","stderr":""}`),
	}
	once := func(stdin []byte, name string, args ...string) time.Duration {
		cmd := exec.Command(name, args...)
		cmd.Env, cmd.Dir, cmd.Stdin = env, repo, bytes.NewReader(stdin)
		begun := time.Now()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(begun)
	}
	measure := func(where string) {
		for _, event := range []string{"UserPromptSubmit", "PostToolUse"} {
			var hooks, programs []time.Duration
			for range 101 {
				programs = append(programs, once(events[event], empty))
				hooks = append(hooks, once(events[event], binary(), "hook", "claude-code", event))
			}
			median := func(all []time.Duration) time.Duration {
				slices.SortFunc(all, func(x, y time.Duration) int { return cmp.Compare(x, y) })
				return all[len(all)/2]
			}
			h, p := median(hooks), median(programs)
			b.Logf("%s, %s: %v, an empty program %v", event, where, h.Round(10*time.Microsecond), p.Round(10*time.Microsecond))
			b.ReportMetric(float64(h)/float64(p), event+"/"+where)
		}
	}
	for b.Loop() {
		measure("alone")
		benchRun(b, env, binary(), "mount")
		measure("mounted")
		benchRun(b, env, binary(), "unmount", "--all")
	}
	b.ReportMetric(0, "ns/op")
}
