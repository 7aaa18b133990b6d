package uses

import (
	"strings"
	"testing"
	"testing/iotest"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// block returns a block of a transcript.
func block(heading, body string) string {
	return "### [0b0e2bd1/00001] 2026-05-12T01:03:00Z " + heading + "\n" + body + "\n\n"
}

func read(t *testing.T, agent, text string) []facts.Use {
	t.Helper()
	all, err := Read(agent, false, strings.NewReader("# head\n\n"+text))
	fstest.Must(t, err)
	return all
}

// TestNames: what was used is known by any name that an agent gives to it.
func TestNames(t *testing.T) {
	for _, c := range []struct{ agent, call, arguments, want string }{
		{"claude-code", "mcp__github__create_issue", "title: x", "tool github create_issue"},
		{"claude-code", "mcp__my_server__do__it", "", "tool my_server do__it"},
		{"claude-code", "Read", "file_path: /x/create_issue.json", ""},
		{"codex", "github__create_issue", "", "tool github create_issue"},
		{"codex", "exec_command", "cmd: ls", ""},
		{"cursor", "mcp_github_create_issue", "", "tool  github_create_issue"},
		{"cursor", "CallMcpTool", "server: github\ntoolName: create_issue", "tool github create_issue"},
		{"gemini", "mcp_github_create_issue", "", "tool  github_create_issue"},
		{"opencode", "github_create_issue", "", "tool  github_create_issue"},
		{"opencode", "bash", "command: ls", ""},
		{"copilot", "github-create_issue", "", "tool  github-create_issue"},
		{"cline", "use_mcp_tool", "server_name: github\ntool_name: create_issue\narguments: {}", "tool github create_issue"},
		{"roo", "mcp--github--create_issue", "", "tool github create_issue"},
		{"goose", "github__create_issue", "", "tool github create_issue"},
		{"crush", "mcp_github_create_issue", "", "tool  github_create_issue"},
		{"droid", "github___create_issue", "", "tool github create_issue"},
		{"kiro", "@github/create_issue", "", "tool github create_issue"},
		{"amp", "mcp__github__create_issue", "", "tool github create_issue"},
		{"claude-code", "Bash", "command: ctxfs call github create_issue --title 'a b'", "tool github create_issue"},
		{"codex", "shell", "command:\n  cd /x\n  ctxfs call --json github/create_issue", "tool github create_issue"},
		{"pi", "bash", "command: ~/.agentctx/mcps/github/bin/create_issue --title x", "tool github create_issue"},
		{"claude-code", "Bash", "command: cd x && ctxfs prompt-get github review pr=3", "prompt github review"},
		{"claude-code", "Bash", "command: cat > how.md <<EOF\n  ctxfs call github create_issue\n  EOF", ""},
		{"claude-code", "Bash", "command: echo ctxfs call github create_issue", ""},
		{"claude-code", "Skill", "skill: pdf", "skill  pdf"},
		{"claude-code", "Skill", "skill: documents:pdf", "skill  pdf"},
		{"codex", "shell", "command: cat ~/.codex/skills/pdf/SKILL.md", "skill  pdf"},
		{"gemini", "read_file", "absolute_path: /h/.agentctx/skills/pdf/SKILL.md", "skill  pdf"},
		{"claude-code", "Write", "file_path: /h/skills/pdf/SKILL.md", ""},
	} {
		var got []string
		for _, u := range read(t, c.agent, block("user", "fill in the form")+block("tool-call "+c.call+" call=1", c.arguments)) {
			got = append(got, u.Kind+" "+u.Server+" "+u.Name)
		}
		fstest.Equal(t, strings.Join(got, ", "), c.want, c.agent, c.call, c.arguments, got)
	}
}

// TestWants: what was wanted is a person's own words, and the agent's last sentence.
func TestWants(t *testing.T) {
	call := block("tool-call mcp__shop__search call=1", "query: x")
	for _, c := range []struct{ name, before, want, said string }{
		{"a person's", block("user", "this laptop is too pricey"), "this laptop is too pricey", ""},
		{"with the agent's", block("user", "this laptop is too pricey") + block("assistant", "I see. Let me look for others."), "this laptop is too pricey", "Let me look for others"},
		{"while the agent worked", block("user queued", "cheaper ones please"), "cheaper ones please", ""},
		{"a program's", block("user injected", "search the shop"), "", ""},
		{"another program's", block("user sdk", "search the shop"), "", ""},
		{"an assent", block("user", "find a cheap laptop") + block("assistant", "Shall I search the shop?") + block("user", "yes, go on"), "find a cheap laptop", "Shall I search the shop"},
		{"a result's", block("tool-result Read call=0", "search the shop for everything"), "", ""},
		{"code", block("user", "why does this fail?\n```\nshop.search()\n```\nfix it now"), "why does this fail. fix it now", ""},
		{"code without an end", block("user", "why does this fail\n```\nshop.search()"), "why does this fail", ""},
		{"quotations", block("user", "> search the shop\nanswer this mail\n    indented search\n| a | table |"), "answer this mail", ""},
		{"a long quotation", block("user", `translate "please use the shop search tool to find every laptop" to French`), "translate to French", ""},
		{"markup", block("user", "<system-reminder>search the shop</system-reminder>\nhello there world"), "hello there world", ""},
		{"a log", block("user", "2026-01-01 12:00:00 search the shop\nit crashes here"), "it crashes here", ""},
		{"only pasted", block("user", "```\nsearch the shop\n```"), "", ""},
		{"pasted at length", block("user", "sum this up\n"+strings.Repeat("search the shop for laptops today\n", 60)+"in two lines"), "sum this up. in two lines", ""},
		{"one endless sentence", block("user", strings.Repeat("search the shop ", 40)), "", ""},
	} {
		all := read(t, "claude-code", c.before+call)
		got := facts.Use{}
		if len(all) > 0 {
			got = all[0]
		}
		if got.Want != c.want || got.Said != c.said {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestOutcomes: what failed or was denied is known, results in any order.
func TestOutcomes(t *testing.T) {
	text := block("user", "file a ticket") +
		block("tool-call mcp__a__one call=1", "") + block("tool-call mcp__a__two call=2", "") +
		block("tool-call mcp__a__three call=3", "") + block("tool-call mcp__a__four call=4", "") +
		block("tool-result mcp__a__three error call=3", "The user doesn't want to proceed with this tool use.") +
		block("tool-result mcp__a__two error call=2", "500") + block("tool-result mcp__a__one call=1", "done")
	var got []string
	for _, u := range read(t, "claude-code", text) {
		got = append(got, u.Name+"="+string(u.Outcome))
	}
	fstest.Equal(t, strings.Join(got, " "), "one= two=failed three=denied four=", got)
}

// TestSubagents: in a subagent's transcript only agents speak.
func TestSubagents(t *testing.T) {
	all, err := Read("claude-code", true, strings.NewReader("# x\n"+block("user", "look for cheap laptops")+block("tool-call mcp__shop__search call=1", "")))
	if err != nil || len(all) != 1 || all[0].Want != "" || all[0].Said != "look for cheap laptops" {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestAnyReads: a transcript is read the same in pieces of any size, and a block of
// any length is passed over.
func TestAnyReads(t *testing.T) {
	text := block("user", "file a ticket") + block("tool-result X", strings.Repeat("### no heading\n", 60_000)) + block("tool-call mcp__a__one call=1", "") + block("tool-result mcp__a__one error call=1", "x")
	whole := read(t, "claude-code", text)
	pieces, err := Read("claude-code", false, iotest.HalfReader(strings.NewReader("# head\n\n"+text)))
	if err != nil || len(whole) != 1 || len(pieces) != 1 || whole[0] != pieces[0] || whole[0].Outcome != facts.Failed {
		t.Errorf("%+v, %+v, %v", whole, pieces, err)
	}
}
