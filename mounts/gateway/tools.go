package gateway

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// The definitions are in every prompt of every agent: each word is paid for. A
// test counts them.
const (
	instructions = `The tools of this user's MCP servers, their skills and more are files in one tree. Nothing of it is in your prompt: look before you say that you cannot. To use a tool: find it by what it does; the match shows its arguments; call it. Before a task that a skill covers, read skills/<name>/SKILL.md. read AGENTS.md tells more.`

	findText = `Search the tools of all MCP servers, the skills and other context by what they are for. A match is "path — what it does"; that of a tool, mcps/<server>/tools/<tool>.json, is followed by its arguments ("?": optional), so that you can call it at once.`

	findSchema = `{"type":"object","properties":{` +
		`"query":{"type":"string","description":"e.g. \"create an issue\""},` +
		`"in":{"type":"string","description":"only below this folder, e.g. mcps/github or skills"},` +
		`"limit":{"type":"integer","minimum":1,"maximum":50,"default":8}},` +
		`"required":["query"]}`

	listText = `List a folder of the tree; "" is its root.`

	listSchema = `{"type":"object","properties":{` +
		`"path":{"type":"string","default":""},` +
		`"offset":{"type":"integer","minimum":1,"description":"first entry"}}}`

	readText = `Read a file of the tree. Long ones come in parts; each says how to read the next.`

	readSchema = `{"type":"object","properties":{` +
		`"path":{"type":"string"},` +
		`"offset":{"type":"integer","description":"first line; -20: the last 20"},` +
		`"limit":{"type":"integer","minimum":1,"description":"lines"},` +
		`"skip":{"type":"integer","minimum":0,"description":"bytes of the first line to leave out"}},` +
		`"required":["path"]}`

	callText = `Call a tool of an MCP server, both named as in mcps/<server>/tools/<tool>.json. A wrong argument is answered with the part of the schema that matters. A long result is shortened and names the file in results/ that has all of it: read that.`

	callSchema = `{"type":"object","properties":{` +
		`"server":{"type":"string"},` +
		`"tool":{"type":"string"},` +
		`"arguments":{"type":"object","additionalProperties":true},` +
		`"yes":{"type":"boolean","description":"confirms a call that was refused because it needs confirmation"}},` +
		`"required":["server","tool"]}`
)

func definition(name, text, schema string, reads bool) mcp.Tool {
	t := mcp.NewToolWithRawSchema(name, text, json.RawMessage(schema))
	t.Annotations.ReadOnlyHint = mcp.ToBoolPtr(reads)
	if reads {
		t.Annotations.OpenWorldHint = mcp.ToBoolPtr(false)
	}
	return t
}
