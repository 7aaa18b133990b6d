package main

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/quick"
	"ctxfs/fs/fstest"
)

// hook has ctxfs answer a hook of an agent. By a configuration of its own the hook has time
// where the machine is busy.
func (b *box) hook(agent, event, input string) result {
	b.Helper()
	b.write("patient/ctxfs/config.toml", "[hooks]\ntimeout = \"2m\"\n")
	b.write("hook.json", input)
	return b.shell("XDG_CONFIG_HOME=~/patient ctxfs hook " + agent + " '" + event + "' <hook.json")
}

const startOfA = `{"session_id":"a","hook_event_name":"SessionStart","source":"startup","cwd":"/"}`

// TestHooksNeverFail: whatever is on the input and wherever it runs, a hook says nothing and
// the agent goes on, also where the real background process stands still.
func TestHooksNeverFail(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	for _, mounted := range []bool{false, true} {
		if mounted {
			b.mount()
		}
		for what, input := range map[string]string{
			"nothing":         "",
			"no JSON":         "hello",
			"half of it":      `{"session_id":"a","hook_event_name":"Sess`,
			"a list":          `[1,2]`,
			"null":            `null`,
			"other types":     `{"session_id":7,"hook_event_name":{"a":1},"cwd":[],"prompt":5}`,
			"an empty object": `{}`,
			"another event":   `{"session_id":"a","hook_event_name":"Stop"}`,
			"a path as id":    `{"session_id":"../../etc","hook_event_name":"SessionStart","source":"compact"}`,
			"dots as id":      `{"session_id":"..","hook_event_name":"SessionStart","source":"compact"}`,
			"an odd id":       `{"session_id":"a; rm -rf ~\u001b[31m","hook_event_name":"SessionStart","source":"compact"}`,
			"far too much":    `{"session_id":"` + strings.Repeat("a", quick.MaxInput) + `"}`,
		} {
			if r := b.hook("claude-code", "SessionStart", input); r.code != 0 || r.out != "" || r.err != "" {
				t.Errorf("%s: exit %d\n%v", what, r.code, r)
			}
		}
		b.write("hook.json", startOfA)
		for _, script := range []string{
			"ctxfs hook no-agent SessionStart <hook.json",
			"ctxfs hook claude-code <hook.json",
			"ctxfs hook claude-code SessionStart too many words <hook.json",
			"ctxfs hook claude-code SessionStart --flag <hook.json",
			"env -i PATH=$PATH GORACE=$GORACE ctxfs hook claude-code SessionStart <hook.json",
			"HOME=relative ctxfs hook claude-code SessionStart <hook.json",
			"HOME=/proc/none ctxfs hook claude-code SessionStart <hook.json",
			"ctxfs hook claude-code SessionStart <hook.json >&-",
			"ctxfs hook claude-code SessionStart <&-",
			"ctxfs hook claude-code SessionStart </dev/null",
			"mkdir gone; cd gone; rmdir ../gone; ctxfs hook claude-code SessionStart <$HOME/hook.json >/dev/null",
		} {
			if r := b.shell(script); r.code != 0 || strings.Contains(r.err, "panic") || strings.Contains(r.out, "Usage") {
				t.Errorf("%s: exit %d\n%v", script, r.code, r)
			}
		}
		if r := b.shell("ctxfs hook --nonsense"); r.code == 2 {
			t.Errorf("a wrong flag: exit %d\n%v", r.code, r)
		}
	}

	// An input that does not end, and a background process that does not answer.
	cmd := b.command(t.Context(), binary(), "hook", "claude-code", "SessionStart")
	in, err := cmd.StdinPipe()
	must(t, err)
	begun := time.Now()
	must(t, cmd.Start())
	_, err = io.WriteString(in, `{"session_id":`)
	must(t, err)
	must(t, cmd.Wait())
	if took := time.Since(begun); took < quick.Patience {
		t.Errorf("an input that does not end: it took %v", took)
	}
	pid := b.pid()
	signalTo(t, pid, syscall.SIGSTOP)
	r := b.shell("ctxfs hook claude-code SessionStart <hook.json")
	signalTo(t, pid, syscall.SIGCONT)
	if r.code != 0 || r.out != "" {
		t.Errorf("a process that does not answer: exit %d\n%v", r.code, r)
	}
}

// TestHooksWithoutProcess: without a background process only the history is named, and no
// process is started.
func TestHooksWithoutProcess(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	compacted := `{"session_id":"s1","hook_event_name":"SessionStart","source":"compact","cwd":"/"}`
	if r := b.hook("claude-code", "SessionStart", compacted); !strings.Contains(r.out, "cat transcripts/by-id/s1/transcript.md | rg -n WORDS") || !json.Valid([]byte(r.out)) || r.code != 0 {
		t.Errorf("after a compaction: %v", r)
	}
	if r := b.hook("claude-code", "PreCompact", `{"session_id":"s1","hook_event_name":"PreCompact"}`); !strings.HasPrefix(r.out, "End the summary with this line") {
		t.Errorf("before a compaction: %v", r)
	}
	if r := b.hook("claude-code", "SessionStart", startOfA); r.out != "" || r.code != 0 {
		t.Errorf("at a start: %v", r)
	}
	if _, err := os.Stat(b.state + "/ctxfs"); !os.IsNotExist(err) {
		t.Errorf("a state folder was made: %v", err)
	}
	if left := processesOf(b.dir); len(left) > 0 {
		t.Errorf("processes were started: %v", left)
	}
}

// TestHooksStartEarly: a hook is answered before the libraries, and before package net. What
// is initialised before main is up to the real program.
func TestHooksStartEarly(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.env = append(b.env, "GODEBUG=inittrace=1")
	r := b.hook("claude-code", "UserPromptSubmit", `{"session_id":"a","hook_event_name":"UserPromptSubmit"}`)
	if r.code != 0 || !strings.Contains(r.err, "init ") {
		t.Fatalf("exit %d, %v", r.code, r)
	}
	fstest.ContainsNot(t, r.err, "init net ", "init regexp ", "skills/check", "spf13")
}

// TestHooksOfAnotherHome: where two homes share a state folder, the process of the one
// tells sessions of the other nothing.
func TestHooksOfAnotherHome(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	other := b.dir + "/other"
	must(t, os.Mkdir(other, 0o700))
	compacted := `{"session_id":"s1","hook_event_name":"SessionStart","source":"compact","cwd":"/"}`
	fstest.Contains(t, b.hook("claude-code", "SessionStart", compacted).out, "Full history")
	b.write("hook.json", compacted)
	if r := b.with("HOME", other).shell("ctxfs hook claude-code SessionStart <" + b.home + "/hook.json"); r.out != "" || r.err != "" || r.code != 0 {
		t.Errorf("another home: %v", r)
	}
}
