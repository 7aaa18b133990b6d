package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/modeltest"
)

// claudeSession is the id of the session of the stand-in for Claude Code.
const claudeSession = "39d9c83b-3ae4-443e-a8d4-faa8d3f750e4"

// standInClaude is a stand-in for Claude Code: it writes the log of a session, waits for a
// line of the FIFO go, tries to change its configuration, and prints events.
const standInClaude = `#!/bin/sh
printf '%s\n' "$@" >"$TMPDIR/arguments" || exit 3
cp "$TMPDIR/arguments" "$HOME/.claude/arguments"
mkdir -p "$HOME/.claude/projects/-work" || exit 4
cat >"$HOME/.claude/projects/-work/` + claudeSession + `.jsonl" <<X || exit 5
{"type":"user","sessionId":"` + claudeSession + `","cwd":"$PWD","uuid":"u1","parentUuid":null,"timestamp":"2026-11-26T13:31:14.000Z","version":"2.1.197","message":{"role":"user","content":"which walrus is it?"}}
{"type":"assistant","sessionId":"` + claudeSession + `","cwd":"$PWD","uuid":"u2","parentUuid":"u1","timestamp":"2026-11-26T13:31:15.000Z","version":"2.1.197","message":{"id":"m1","role":"assistant","model":"stand-in","content":[{"type":"text","text":"the grey one"}],"usage":{"input_tokens":20,"output_tokens":18}}}
X
echo '{"type":"system","subtype":"init","session_id":"` + claudeSession + `","model":"stand-in"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"Bash","input":{"command":"ls /nowhere"}}]},"session_id":"` + claudeSession + `"}'
read go <"$HOME/go"
{ echo '{"hooks":{}}' >"$HOME/.claude/settings.json"; mv "$HOME/.claude/settings.json" "$HOME/.claude/old"; echo x >"$HOME/.claude.json"; } 2>/dev/null
[ -z "$ADDS" ] || { mkdir -p "$HOME/.claude/commands" && echo x >"$HOME/.claude/commands/x.md"; }
echo '{"type":"result","subtype":"success","is_error":false,"result":"the grey one","session_id":"` + claudeSession + `","total_cost_usd":0.5,"usage":{"input_tokens":20,"cache_read_input_tokens":7,"output_tokens":18},"structured_output":{"walrus":"grey"}}'
`

// standInClaude puts the stand-in for Claude Code into the PATH.
func (b *box) standInClaude() {
	b.Helper()
	b.writeMode("programs/claude", standInClaude, 0o755)
	b.setenv("PATH", filepath.Join(b.home, "programs")+":"+filepath.Dir(binary())+":"+os.Getenv("PATH"))
}

// TestAgentPrograms: an agent that ctxfs knows gets its own flags; what it prints is shown
// as text, and becomes the result; its session is in the tree, from when it is known.
func TestAgentPrograms(t *testing.T) {
	t.Parallel()
	need(t, "git")
	b := newBox(t)
	b.standInClaude()
	goes := b.fifo("go")
	b.write(".claude/settings.json", "{}\n")
	b.write("schema.json", `{"type":"object"}`)
	b.write(".config/ctxfs/config.toml", "[agents.walrus]\nagent = \"claude\"\nargs = [\"--model\", \"opus\"]\n\n[agents.bad]\nagent = \"clade\"\n")
	b.mount()
	repo := b.repository("repo")
	got := b.run("agent", "run", "--agent", "walrus", "--repo", repo, "--schema", filepath.Join(b.home, "schema.json"), "--detach", "--", "which walrus is it?")
	id := strings.TrimSpace(got.out)
	if got.code != 0 || !strings.HasPrefix(id, "walrus-") || !strings.Contains(got.err, `[agents.bad] has the agent "clade"`) {
		t.Fatalf("%v", got)
	}
	b.inState(id, job.Running)
	awaitFiles(t, b.job(id), "its session is known", func() bool { return strings.Contains(readFile(t, b.job(id, job.StatusFile)), claudeSession) })
	b.logs(id, "ls /nowhere\n")
	b.shows("agents/"+id+"/status.json", `"session": "`+claudeSession+`"`, `"transcript": "transcripts/by-id/`+claudeSession+`/transcript.md"`)
	b.shows("agents/"+id+"/log.txt", "I look.\n* Bash ls /nowhere\n")
	if log := b.sh("cat .agentctx/agents/" + id + "/log.txt"); strings.Contains(log, "session_id") {
		t.Errorf("events are shown: %s", log)
	}
	b.shows("transcripts/by-id/"+claudeSession+"/transcript.md", "which walrus is it?")
	goes.Release()
	r := b.awaits(0, id)[0]
	mnt := b.mnt("transcripts/by-id", claudeSession)
	want := request.Result{
		Agent: "claude-code", Ended: request.Success, Text: "the grey one", Session: claudeSession,
		Transcript: filepath.Join(mnt, "transcript.md"), Digest: filepath.Join(mnt, "digest.md"),
	}
	if r.Agent != want.Agent || r.Ended != want.Ended || r.Text != want.Text || r.Session != want.Session || r.Transcript != want.Transcript || r.Digest != want.Digest || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
	if u := r.Usage; u == nil || *u != (request.Usage{InputTokens: 20, CacheReadTokens: 7, OutputTokens: 18, CostUSD: 0.5}) || strings.Join(strings.Fields(string(r.Structured)), "") != `{"walrus":"grey"}` {
		t.Errorf("%+v, %s", u, r.Structured)
	}
	if text := b.sh("cat " + r.Transcript + " " + r.Digest); !strings.Contains(text, "which walrus is it?") || !strings.Contains(text, "the grey one") {
		t.Errorf("%s", text)
	}
	own := "agents/" + id + "/transcript.md"
	if text := b.sh("cat .agentctx/" + own); text != b.sh("cat "+r.Transcript) || text != b.ok("cat", own) {
		t.Errorf("the link to its transcript: %s", text)
	}
	if found := b.sh("cd .agentctx && rg -l 'which walrus is it' agents transcripts | sort"); strings.Contains(found, "agents/"+id+"/transcript.md") || !strings.Contains(found, "/transcript.md\n") {
		t.Errorf("rg finds it in %s", found)
	}
	arguments := strings.Split(b.sh("cat .claude/arguments"), "\n")
	for _, word := range []string{"--print", "--permission-mode=acceptEdits", "--add-dir=" + b.mnt(), `--json-schema={"type":"object"}`, "--model", "opus"} {
		if !slices.Contains(arguments, word) {
			t.Errorf("%q is not among %q", word, arguments)
		}
	}

	// Its answer, its usage and why it was ended are there when it did not end by itself.
	if r := b.runs(124, "--agent", "claude-code", "--repo", repo, "--timeout", "10s", "--", "x"); r.Session != claudeSession || r.Text != "I look." || r.Transcript != want.Transcript || r.Usage == nil || r.Usage.OutputTokens != 18 {
		t.Errorf("%+v", r)
	}
	for name, hint := range map[string]string{"claud": "did you mean: --agent claude", "walruss": "did you mean: --agent walrus", "zebra": "what can be started here: walrus, claude"} {
		if got := b.run("agent", "run", "--agent", name, "--", "x"); got.code != 1 || !strings.Contains(got.err, hint) {
			t.Errorf("%s: %v", name, got)
		}
	}
	b.shows("STATUS.md", `[agents.bad] has the agent "clade"`)
	b.write(".config/ctxfs/config.toml", "[agents.claude]\nagent = \"claude\"\nread_only = true\ntimeout =\n")
	b.refused(1, []string{"config.toml", "no agent is started until it is corrected", "ctxfs config validate"}, "agent", "run", "--agent", "claude-code", "--", "x")
}

// TestAgentProgramsReadOnly: an agent that may only read writes its sessions, and not what
// its later sessions do; what it adds to that is told.
func TestAgentProgramsReadOnly(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*testing.T) *box{"root": realBox, "user": newUserBox} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := make(t)
			b.standInClaude()
			b.write(".claude/settings.json", "{}\n")
			b.write(".claude.json", "{\"numStartups\":1}\n")
			b.write("go", "\n")
			b.mount()
			args := []string{"--agent", "claude", "--repo", b.home, "--read-only", "--", "x"}
			r := b.runs(0, args...)
			if r.ReadOnly != request.Enforced || r.Text != "the grey one" || len(r.Notes) > 0 {
				t.Errorf("%+v", r)
			}
			b.settled()
			b.sh("grep -q walrus .agentctx/transcripts/by-id/" + claudeSession + "/transcript.md")
			if text := b.sh("cat .claude/settings.json .claude.json; grep permission .claude/arguments"); text != "{}\n{\"numStartups\":1}\n--permission-mode=plan\n" {
				t.Errorf("%s", text)
			}
			b.setenv("ADDS", "1")
			commands := filepath.Join(b.home, ".claude/commands")
			if r := b.runs(0, args...); r.Transcript == "" || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], commands+" was made since it began") {
				t.Errorf("%+v", r)
			}
			if _, err := os.Stat(commands); !os.IsNotExist(err) {
				t.Errorf("what it has made is there: %v", err)
			}
		})
	}
}

// TestAgentRunReal runs agents themselves, with a model of tests. See [modeltest.Variable].
func TestAgentRunReal(t *testing.T) {
	t.Parallel()
	need(t, "git")
	for _, a := range append(modeltest.Agents(), modeltest.Copilot()) {
		t.Run(a.ID, func(t *testing.T) {
			t.Parallel()
			b := realBox(t)
			const prompt, answer = "which walrus is it?", "the grey one"
			must(t, os.Mkdir(filepath.Join(b.dir, "tmp"), 0o700))
			b.setenv("TMPDIR", filepath.Join(b.dir, "tmp")) // Codex keeps no programs below it
			// Gemini CLI would ask for what model it is first, and a model of tests cannot say.
			b.write(".config/ctxfs/config.toml", "[agents.gemini]\nagent = \"gemini\"\nargs = [\"--model\", \"gemini-2.5-pro\"]\n")
			repo := b.repository("repo")
			run := func(step modeltest.Step, args ...string) request.Result {
				t.Helper()
				m := modeltest.Start(t, prompt, answer, step)
				a.Configure(t, b.home, m)
				cmd := a.Command(t, m)
				env := append(b.env, cmd.Env...)
				own := b.with("PATH", filepath.Dir(cmd.Path)+":"+filepath.Dir(binary())+":"+os.Getenv("PATH"))
				own.env = append(own.env, env[len(b.env):]...)
				return own.runs(0, append(append([]string{"--agent", a.ID, "--repo", repo}, args...), "--", prompt)...)
			}
			b.mount()
			r := run(modeltest.Step{Until: "did-that", Calls: modeltest.Shell("echo x >made && echo did-that")})
			if r.Ended != request.Success || r.Text != answer || r.Session == "" || r.Transcript == "" || r.Usage == nil || !slices.Contains(r.Changed, "made") {
				t.Errorf("%+v, usage %+v", r, r.Usage)
			}
			if text := b.sh("cat " + r.Transcript); !strings.Contains(text, prompt) || !strings.Contains(text, answer) {
				t.Errorf("its transcript: %s", text)
			}
			// Some have no shell then: the call is not made, and the model has no answer.
			r = run(modeltest.Step{Until: "cannot-write", Calls: modeltest.Shell("echo x >other || echo cannot-write")}, "--read-only")
			if r.Ended != request.Success || r.ReadOnly != request.Enforced || r.Text == "" || r.Transcript == "" || len(r.Notes) > 0 {
				t.Errorf("read-only: %+v\n%s", r, readFile(t, r.TerminalLog))
			}
			if _, err := os.Stat(filepath.Join(repo, "other")); err == nil {
				t.Error("it has written")
			}
		})
	}
}
