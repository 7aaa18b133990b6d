package main

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// hook has ctxfs answer a hook.
func (b *box) hook(input string) result {
	b.Helper()
	b.write("hook.json", input)
	return b.shell("ctxfs history --hook <hook.json")
}

// TestHooks answers each agent in its own way, with a mount and without one.
func TestHooks(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	const id = "08940314-9e93-46b1-a598-06bada65ed55"
	cases := []struct {
		what, input string
		want        string // LINE stands for the line, as JSON has it
	}{
		{"Claude Code at a start", `{"session_id":"` + id + `","transcript_path":"/h/.claude/projects/-w/` + id + `.jsonl","cwd":"/w","hook_event_name":"SessionStart","source":"startup","model":"claude-x"}`,
			`{"hookSpecificOutput":{"additionalContext":"LINE","hookEventName":"SessionStart"}}`},
		{"Claude Code after a compaction", `{"session_id":"` + id + `","transcript_path":"/h/x.jsonl","cwd":"/w","hook_event_name":"SessionStart","source":"compact"}`,
			`{"hookSpecificOutput":{"additionalContext":"LINE","hookEventName":"SessionStart"}}`},
		{"Claude Code before a compaction", `{"session_id":"` + id + `","transcript_path":"/h/x.jsonl","cwd":"/w","permission_mode":"default","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":null}`,
			"End the summary with this line, word for word:\nLINE"},
		{"Claude Code when it has compacted", `{"session_id":"` + id + `","transcript_path":"/h/x.jsonl","cwd":"/w","hook_event_name":"PostCompact","trigger":"auto","compact_summary":"<summary>"}`,
			`{"systemMessage":"LINE"}`},
		{"Codex at a start", `{"session_id":"` + id + `","transcript_path":null,"cwd":"/w","hook_event_name":"SessionStart","model":"gpt-x","permission_mode":"default","source":"resume"}`,
			`{"hookSpecificOutput":{"additionalContext":"LINE","hookEventName":"SessionStart"}}`},
		{"Codex before a compaction", `{"session_id":"` + id + `","turn_id":"t1","transcript_path":null,"cwd":"/w","hook_event_name":"PreCompact","model":"gpt-x","trigger":"auto"}`,
			`{"systemMessage":"LINE"}`},
		{"Codex after a compaction", `{"session_id":"` + id + `","turn_id":"t1","transcript_path":null,"cwd":"/w","hook_event_name":"PostCompact","model":"gpt-x","trigger":"manual"}`,
			`{"systemMessage":"LINE"}`},
		{"Cursor at a start", `{"conversation_id":"` + id + `","session_id":"other","generation_id":"g","hook_event_name":"sessionStart","cursor_version":"2.4.0","workspace_roots":["/w"],"user_email":"a@b.c","transcript_path":null,"is_background_agent":false,"composer_mode":"agent"}`,
			`{"additional_context":"LINE"}`},
		{"Cursor before a compaction", `{"conversation_id":"` + id + `","hook_event_name":"preCompact","trigger":"auto","context_usage_percent":85,"context_tokens":120000,"context_window_size":128000,"message_count":45,"messages_to_compact":30,"is_first_compaction":true}`,
			`{"user_message":"LINE"}`},
		{"Gemini CLI at a start", `{"session_id":"` + id + `","transcript_path":"/h/.gemini/tmp/w/chats/session-2026-05-12T01-02-08940314.jsonl","cwd":"/w","hook_event_name":"SessionStart","timestamp":"2026-05-12T01:02:27Z","source":"clear"}`,
			`{"hookSpecificOutput":{"additionalContext":"LINE","hookEventName":"SessionStart"}}`},
		{"Gemini CLI before a compression", `{"session_id":"` + id + `","transcript_path":"/x","cwd":"/w","hook_event_name":"PreCompress","timestamp":"2026-05-12T01:02:27Z","trigger":"auto"}`,
			`{"systemMessage":"LINE"}`},
		{"an agent that names its log alone", `{"transcript_path":"/h/` + id + `.jsonl","hook_event_name":"SessionStart"}`,
			`{"hookSpecificOutput":{"additionalContext":"LINE","hookEventName":"SessionStart"}}`},
	}
	const what = "Full history of this session, also from before compactions: "
	file := b.mnt("transcripts/by-id", id, "transcript.md")
	for _, mounted := range []bool{false, true} {
		line := what + "ctxfs cat transcripts/by-id/" + id + "/transcript.md | rg -n WORDS (ctxfs cat transcripts/by-id/" + id + "/digest.md sums up)."
		if mounted {
			b.mount()
			line = what + file + " (rg -n WORDS " + file + "; digest.md beside it sums up)."
		}
		for _, c := range cases {
			var r result
			want := strings.ReplaceAll(c.want, "LINE", line) + "\n"
			if !fstest.Becomes(func() bool { // on a busy machine the mount may be found out too late for a hook
				r = b.hook(c.input)
				return r.out == want && r.err == "" && r.code == 0
			}) {
				t.Errorf("%s: exit %d\n%v\nwant %s", c.what, r.code, r, want)
			}
			if strings.HasPrefix(c.want, "{") && !json.Valid([]byte(r.out)) {
				t.Errorf("%s: no JSON: %s", c.what, r.out)
			}
		}
	}

	// The path that was named before there was a log exists when there is one.
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Fatalf("before there is a log: %v", err)
	}
	b.session(".claude/projects/-repo/"+claudeID+".jsonl",
		claudeLine("/w", `"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-05-12T01:02:27Z","message":{"role":"user","content":"Find the heron"}`))
	fstest.Eventually(t, "the path is there", func() bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "Find the heron")
	})
}

// TestHooksNeverFail: whatever is on the input, the agent goes on.
func TestHooksNeverFail(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	for what, c := range map[string]struct{ input, why string }{
		"nothing":         {"", "not the JSON of a hook"},
		"no JSON":         {"hello", "not the JSON of a hook"},
		"half of it":      {`{"session_id":"a","hook_event_name":"Sess`, "not the JSON of a hook"},
		"a list":          {`[1,2]`, "not the JSON of a hook"},
		"other types":     {`{"session_id":7,"hook_event_name":"SessionStart"}`, "not the JSON of a hook"},
		"an empty object": {`{}`, "names no session"},
		"no event":        {`{"session_id":"a"}`, "names no event"},
		"another event":   {`{"session_id":"a","hook_event_name":"PreToolUse"}`, `to the event "PreToolUse"`},
		"a path as id":    {`{"session_id":"../../etc","hook_event_name":"SessionStart"}`, "cannot be a name"},
		"dots as id":      {`{"session_id":"..","hook_event_name":"SessionStart"}`, "cannot be a name"},
		"an odd id":       {`{"session_id":"a; rm -rf ~\u001b[31m","hook_event_name":"SessionStart"}`, "cannot be a name"},
		"far too much":    {`{"session_id":"` + strings.Repeat("a", 8<<20) + `"}`, "more than"},
	} {
		r := b.hook(c.input)
		if r.code != 0 || r.out != "" || !strings.HasPrefix(r.err, "ctxfs: the hook is not answered: ") || !strings.Contains(r.err, c.why) || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%s: exit %d\n%v", what, r.code, r)
		}
	}
	const start = `{"session_id":"a","hook_event_name":"SessionStart"}`
	for _, script := range []string{
		"ctxfs history --hook some words --json --all --cwd x <hook.json",
		"env -i PATH=$PATH GORACE=$GORACE ctxfs history --hook <hook.json",
		"HOME=relative ctxfs history --hook <hook.json",
		"ctxfs history --hook <hook.json >&-",
	} {
		b.write("hook.json", start)
		if r := b.shell(script); r.code != 0 || strings.Contains(r.err, "panic") {
			t.Errorf("%s: exit %d\n%v", script, r.code, r)
		}
	}

	// An input that does not end, and a background process that does not answer.
	cmd := b.command(t.Context(), binary(), "history", "--hook")
	var errs strings.Builder
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	_, err = io.WriteString(in, `{"session_id":`)
	must(t, err)
	must(t, cmd.Wait())
	if !strings.Contains(errs.String(), "its input did not end") {
		t.Errorf("an input that does not end: %s", errs.String())
	}
	b.mount()
	pid := b.pid()
	signalTo(t, pid, syscall.SIGSTOP)
	r := b.hook(start)
	signalTo(t, pid, syscall.SIGCONT)
	if r.code != 0 || !strings.Contains(r.out, "ctxfs cat transcripts/by-id/a/transcript.md") {
		t.Errorf("a process that does not answer: exit %d\n%v", r.code, r)
	}
}
