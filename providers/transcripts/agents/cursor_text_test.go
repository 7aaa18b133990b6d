package agents

import "testing"

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
		if got := textArguments(body); got != want {
			t.Errorf("%q: %s", body, got)
		}
	}
}
