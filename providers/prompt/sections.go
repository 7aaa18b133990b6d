package prompt

import (
	"strconv"

	"ctxfs/fs"
)

// head begins every page, and foot ends it.
const (
	head = `# Context in ~/.agentctx

Files for you, always current. Reading is free: look (ls, rg, cat, jq) before you
ask, guess or redo. Paths below are in ~/.agentctx, or where this file lies.

    ctxfs find create an issue    best matches of all this; or: ls find/"create an issue"
`
	foot = "\nSTATUS.md says what is not well, and what mends it.\n"
)

// text is what is always said of a folder.
type text struct {
	// place orders the folders: what changes most often comes last.
	place int
	// tokens are those of all that is always said of it, at most: 0 where that
	// was not counted.
	tokens int
	title  string
	// how tells how to look and what to do, in lines after an empty one.
	how string
	// lead stands before the names.
	lead string
	// none is all that is told of a folder that is empty, "" the same as ever.
	none string
	// more is where the names are that there was no room for.
	more string
	// remark follows an item's name.
	remark func(fs.Item) string
	// sentences tells whether those of its items are worth their room.
	sentences bool
	// sorted orders the items by name; otherwise the provider's order holds.
	sorted bool
	// silent names no items: they change too often, or are too many.
	silent bool
}

// textOf is what is said of a provider's folder, one that is not known included.
func textOf(folder string) text {
	switch folder {
	case "mcps":
		return text{
			place: 0, tokens: 67, title: "tools of MCP servers", sentences: true,
			how: `
    cat mcps/<server>/tools/<tool>.json      description, arguments
    mcps/<server>/bin/<tool> --flag value    call it; or: ctxfs call <server> <tool>
`,
			lead: "Servers (tools): ", none: "none yet", more: "ls mcps", remark: serverRemark,
		}
	case "skills":
		return text{
			place: 1, tokens: 29, sentences: true,
			lead: "Before a task that one covers, read skills/<name>/SKILL.md: ", none: "none yet",
			more: "skills/INDEX.md", remark: brokenRemark,
		}
	case "transcripts":
		return text{
			place: 2, tokens: 28, title: "past sessions", silent: true, none: "none yet",
			how: `
    ctxfs history    path of your own; of others: rg -il 'words' transcripts
`,
		}
	case "results":
		return text{place: 4, tokens: 15, title: "long results of calls, whole; see INDEX.tsv", silent: true}
	case "terminals":
		return text{
			place: 5, tokens: 53, title: "the user's", sorted: true,
			how: `
    tail terminals/<id>.txt         what one showed; INDEX.md lists all
    cat terminals/<id>/failed.txt   output of the last command that failed
`,
			lead: "Open now: ", none: "none recorded yet", more: "terminals/INDEX.md", remark: noRemark,
		}
	}
	return text{place: 3, sentences: true, sorted: true, none: "none yet", more: "ls " + folder, remark: noRemark}
}

func noRemark(fs.Item) string { return "" }

func brokenRemark(i fs.Item) string {
	if i.State == "error" {
		return " (error)"
	}
	return ""
}

func count(i fs.Item) string { return strconv.Itoa(max(i.Count, 0)) }
