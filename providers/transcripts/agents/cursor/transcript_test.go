package cursor

import (
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/historytest"
)

func TestCursorTranscripts(t *testing.T) {
	small := historytest.RealSessions(t, "small-fixtures")
	for _, c := range []struct {
		file string
		want []string
	}{
		{"cursor/large.jsonl", []string{"user What files are here?", "thinking Let me check the directory.", "assistant I will list the files.",
			`tool-call Bash  {"command":"ls -la"}`, "tool-result  t1 file1.txt\nfile2.txt", "assistant There are two files.", "user Read file1.txt.",
			`tool-call Read  {"file_path":"file1.txt"}`, "tool-result  t2 hello world", "assistant The file contains: hello world.", "user Thanks.", "assistant You are welcome."}},
		{"cursor/small.jsonl", []string{"user List the files.", "assistant Here are the files.", "user Run ls.", "assistant Running ls.", `tool-call Bash  {"command":"ls"}`}},
		{"cursor/schema_drift.jsonl", []string{"user Use the repo context and explain the latest build issue.", "thinking I should inspect the build log before answering.",
			`tool-call read_file  {"path":"build.log"}`, "unknown custom_block", "tool-result read_file  Compile failed in Example.swift:42", "assistant The build issue is in Example.swift:42."}},
		{"cursor-store/test-session.jsonl", []string{"user run ls command", "assistant Running the ls command for you.",
			`tool-call Shell  {"command":"ls -la /tmp","description":"List directory contents"}`,
			"assistant Here are the directory contents:\n\n```\ntotal 0\ndrwxrwxrwt  12 root  wheel  384 Jan  1 00:00 .\ndrwxr-xr-x   6 root  wheel  192 Jan  1 00:00 ..\n```",
			"user now show me the git status", `tool-call Shell  {"command":"git status","description":"Check git status"}`, "assistant The repository is clean — no uncommitted changes."}},
	} {
		text, err := os.ReadFile(filepath.Join(small, filepath.FromSlash(c.file)))
		fstest.Must(t, err)
		home := t.TempDir()
		path := transcriptOf(t, home, "abc", string(text))
		historytest.CheckOutline(t, historytest.ReadStore(t, historytest.StoreAt(t, Agent(), historytest.Linux(home), path), path, "abc").Events, c.want...)
	}
}

func TestCursorTranscriptsOfText(t *testing.T) {
	home := t.TempDir()
	path := historytest.WriteFile(t, home, ".cursor/projects/src-app/agent-transcripts/old.txt", `user:
<timestamp>Tuesday</timestamp>
<user_query>
why?
</user_query>

assistant:
[Thinking] I look
at two lines
[Tool call] Read
  path: a.go
[Tool result] Read

It is this:
  indented
user:
thanks
`)
	historytest.WriteFile(t, home, ".cursor/projects/src-app/.workspace-trusted", `{"workspacePath":"/src/app"}`)
	c := historytest.ReadStore(t, historytest.StoreAt(t, Agent(), historytest.Linux(home), path), path, "old")
	historytest.CheckOutline(t, c.Events, "user why?", "thinking I look\nat two lines", `tool-call Read  {"path":"a.go"}`, "assistant It is this:\n  indented", "user thanks")
	if c.Of.CWD != "/src/app" || c.Of.Title != "why?" || !c.Events[0].Quiet {
		t.Errorf("%+v %+v", c.Of, c.Events[0])
	}
}

// TestCursorInjected: what the program puts around a prompt is not the user's.
func TestCursorInjected(t *testing.T) {
	for text, want := range map[string][2]string{
		"why?": {"why?", ""},
		"<agent_skills>\n<skill>a</skill>\n</agent_skills>":                            {"", "<agent_skills>\n<skill>a</skill>\n</agent_skills>"},
		"<user_info>\nOS: linux\n</user_info>\n\n<agent_skills>a</agent_skills>\nwhy?": {"why?", "<user_info>\nOS: linux\n</user_info>\n<agent_skills>a</agent_skills>"},
		"<user_info>x</user_info><user_query>\nwhy?\n</user_query><system_reminder>":   {"why?", "<user_info>x</user_info><system_reminder>"},
		"<mcp_instructions description=\"x\">a</mcp_instructions>":                     {"", "<mcp_instructions description=\"x\">a</mcp_instructions>"},
		"<div> is broken</div>":      {"<div> is broken</div>", ""},
		"<always_applied_rules> cut": {"", "<always_applied_rules> cut"},
	} {
		if query, around := userQuery(text); query != want[0] || around != want[1] {
			t.Errorf("%q: %q, %q", text, query, around)
		}
	}
}

func TestCursorTextArguments(t *testing.T) {
	for body, want := range map[string]string{
		"path: a.go": `{"path":"a.go"}`,
		"path: a.go\n  old_string: x: y\n    z\n  replace_all: true\n  limit: 5": `{"path":"a.go","old_string":"x: y\n    z","replace_all":true,"limit":5}`,
		`{"path":"a.go"}`:      `{"path":"a.go"}`,
		"*** Begin Patch\n+ x": "*** Begin Patch\n+ x",
		"":                     "",
		"a sentence: of words": "a sentence: of words",
	} {
		fstest.Equal(t, textArguments(body), want, body)
	}
}
