package prompt

import (
	"strconv"

	"ctxfs/fs"
)

// head is the beginning of every page, and foot its end.
const (
	head = `# Context in ~/.agentctx

Files for you, always current. Reading is free: look (ls, rg, cat, jq) before you
ask, guess or redo. Paths below are in ~/.agentctx, or where this file lies.

    ctxfs find create an issue    best matches of all this; or: ls find/"create an issue"
`
	foot = "\nSTATUS.md says what is wrong, and how to fix it.\n"
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
			order: 0, tokens: 67, title: "tools of MCP servers", sentences: true,
			how: `
    cat mcps/<server>/tools/<tool>.json      description, arguments
    mcps/<server>/bin/<tool> --flag value    call it; or: ctxfs call <server> <tool>
`,
			lead: "Servers (tools): ", none: "none yet", more: "ls mcps", remark: serverRemark,
		}
	case "skills":
		return text{
			order: 1, tokens: 29, sentences: true,
			lead: "Before a task that one covers, read skills/<name>/SKILL.md: ", none: "none yet",
			more: "skills/INDEX.md", remark: brokenRemark,
		}
	case "transcripts":
		return text{
			order: 2, tokens: 28, title: "past sessions", silent: true, none: "none yet",
			how: `
    ctxfs history    path of your own; of others: rg -il 'words' transcripts
`,
		}
	case "rules":
		return text{order: 3, tokens: 24, title: "of the user and of projects; for one file: ctxfs rules PATH", silent: true, none: "none yet"}
	case "results":
		return text{order: 4, tokens: 15, title: "long results of calls, whole; see INDEX.tsv", silent: true}
	case "terminals":
		return text{
			order: 5, tokens: 53, title: "the user's", sorted: true,
			how: `
    tail terminals/<id>.txt         what one showed; INDEX.md lists all
    cat terminals/<id>/failed.txt   output of the last command that failed
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
