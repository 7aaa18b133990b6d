package prompt

import (
	"strconv"

	"ctxfs/fs"
)

// head is the beginning of every page, and foot its end.
const (
	head = `# Context in ~/.agentctx, or where this file lies

Reading is free: look (ls, rg, cat) before you ask or guess.

    ctxfs here --page    this place: state, tests, tasks
    ctxfs find "create issue" "send message"    or: cat find/"create issue"/00*

A want: two to five words, as a tool describes itself.
`
	foot = "\nWhat is wrong: STATUS.md\n"
)

// text is the fixed text of a folder, and how its items are shown.
type text struct {
	// order is the folder's position: what changes most often comes last.
	order int
	// tokens is an upper bound for the tokens of the fixed text; 0 if it was not
	// counted.
	tokens int
	title  string
	// how is how to look and what to do, in lines after an empty one.
	how string
	// lead is the text before the names.
	lead string
	// none is the text for an empty folder; "" means the usual text.
	none string
	// more is where the names are that do not fit.
	more string
	// remark returns what follows an item's name.
	remark func(fs.Item) string
	// sentences means that descriptions of its items are worth their tokens.
	sentences bool
	// early means that they come before the names of things, and are short: a page of
	// names has them, as far as there is room.
	early bool
	// sorted sorts the items by name; otherwise they are in the provider's order.
	sorted bool
	// silent leaves out the items: they change too often, or are too many.
	silent bool
}

// textOf returns the text for the folder of a provider, also for an unknown one.
func textOf(folder string) text {
	switch folder {
	case "mcps":
		return text{
			order: 0, tokens: 60, title: "tools of MCP servers", sentences: true,
			how: `
    ctxfs call <server> <tool> --flag value    or: mcps/<server>/bin/<tool>
    cat mcps/<server>/tools/<tool>.json    all it takes
`,
			lead: "Servers (tools): ", none: "none yet", more: "ls mcps", remark: serverRemark,
		}
	case "skills":
		return text{
			order: 1, tokens: 29, sentences: true, early: true,
			lead: "Before a task that one covers, read skills/<name>/SKILL.md: ", none: "none yet",
			more: "skills/INDEX.md", remark: brokenRemark,
		}
	case "transcripts":
		return text{
			order: 2, tokens: 45, title: "past sessions", silent: true, none: "none yet",
			how: `
    ctxfs find --in transcripts login test    what was said; digest.md sums up
    ctxfs history, ctxfs stale    your own; files changed since
`,
		}
	case "workspaces":
		return text{order: 3, tokens: 15, title: "HERE.md of each place", silent: true}
	case "rules":
		return text{order: 3, tokens: 24, title: "of the user and of projects; for one file: ctxfs rules PATH", silent: true}
	case "memory":
		return text{order: 3, tokens: 20, title: "known from before: SUMMARY.md; ctxfs remember", silent: true}
	case "plans":
		return text{order: 3, tokens: 20, title: "what agents have planned and not done: OPEN.md", silent: true}
	case "agents":
		return text{order: 3, tokens: 20, title: "agents started by ctxfs agent run", none: "none yet", silent: true}
	case "results":
		return text{order: 4, tokens: 15, title: "long results, whole; see INDEX.tsv", silent: true}
	case "terminals":
		return text{
			order: 5, tokens: 42, title: "the user's", sorted: true,
			how: `
    tail terminals/<id>.txt
    cat terminals/<id>/failed.txt    its last failed command
`,
			lead: "Open now: ", none: "none recorded yet", more: "terminals/INDEX.md", remark: noRemark,
		}
	}
	return text{order: 3, sentences: true, sorted: true, none: "none yet", more: "ls " + folder, remark: noRemark}
}

func noRemark(fs.Item) string { return "" }

func brokenRemark(i fs.Item) string {
	if i.State == "error" {
		return " (error)"
	}
	return ""
}

func count(i fs.Item) string { return strconv.Itoa(max(i.Count, 0)) }
