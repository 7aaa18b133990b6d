package agents

import "strings"

// Reading returns the the commands of ctxfs, each with its first words, that agents may run without
// asking: they read what is in the tree, and change nothing anywhere. All others ask, as the
// agent asks for whatever acts: call, since it acts through servers; run and term, since
// they run any program; trust, accept, auth and answer, since a person must decide these;
// remember and note, since what is written there is put before other agents; wait, which
// prints lines of any file and starts servers; stats, which writes its page to any file.
//
// Nothing else is allowed: "rg --pre" and "rg --hostname-bin" run any program, and jq reads
// any file and the environment. Claude Code, where they are missed most, lets both run
// without asking if no such option is given (2.1.330, its list of read-only commands).
func Reading() []string {
	return []string{
		"find", "here", "ls", "cat", "tools", "history", "stale", "rules", "plans", "memory show", "memory --summary",
		"ps", "status", "prompt",
	}
}

// connecting returns further commands that must reach the background process, where a
// sandbox closes its socket; they ask all the same. Run is not among them: it runs in
// the sandbox, unrecorded, without asking.
func connecting() []string { return []string{"call", "read", "remember", "note"} }

// quoted returns words as strings of TOML or Starlark, with commas between them.
func quoted(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }
