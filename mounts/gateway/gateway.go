// Package gateway shows a tree to agents that have no shell: it is a server of
// the Model Context Protocol with five tools, find, list, read, call and wait.
//
// It does not repeat the tools of other servers in its own list: an agent that
// connects pays for five short definitions, whatever the number of servers
// behind them; where the user allows it there are three more, which start other agents. It finds a tool by words, gets its arguments with the match, and
// calls it: two steps from nothing to a call.
//
// A [Gateway] has no tree and starts no server. Everything comes from a
// [Backend], so that any number of gateways share what one background process
// owns. It speaks every version of the protocol, over a pair of streams
// ([Gateway.ServeStdio]) or over HTTP on a loopback address
// ([Gateway.ServeHTTP]).
//
// Long files are read in parts. A result has at most [MaxText] bytes of text.
// One that is incomplete says how to continue; the result of a call has extra
// lines for that.
package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxfs/fs"
)

// MaxText is the most bytes of text in a result.
const MaxText = 12_000

// Options are the settings of a [Gateway].
type Options struct {
	Backend Backend
	// Confined returns what confines the program at the other end of a connection that is
	// served by HTTP; nil if nothing does. The contexts that the backend is given tell it
	// ([fs.ConfinedIn]). It may be nil.
	Confined func(net.Conn) *fs.Confined
	// Agents starts agents; nil offers none.
	Agents Agents
	// Version is the version of the program.
	Version string
	Log     *slog.Logger
}

// Gateway is a server of the Model Context Protocol over a tree. It is safe
// for concurrent use and may serve several clients at once.
type Gateway struct {
	backend  Backend
	confined func(net.Conn) *fs.Confined
	log      *slog.Logger
	server   *server.MCPServer
	limits   httpLimits
	peer     func(peer, here net.Addr) error // why a connection may not be used
	clients  sync.Map                        // *clientState by the ID of a session over HTTP
}

// New returns a gateway. It starts nothing.
func New(opts Options) *Gateway {
	g := &Gateway{backend: opts.Backend, confined: opts.Confined, log: opts.Log, limits: usualLimits(), peer: checkPeer}
	hooks := new(server.Hooks)
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		g.stateOf(ctx) // from now on it may listen
		result.Instructions = g.instructions(ctx)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		result.Instructions = g.instructions(ctx)
	})
	hooks.AddOnUnregisterSession(g.sessionEnded)
	g.server = server.NewMCPServer("ctxfs", opts.Version,
		server.WithToolCapabilities(false), server.WithHooks(hooks), server.WithRecovery())
	g.server.AddNotificationHandler(mcp.MethodNotificationRootsListChanged, g.rootsAnnounced)
	g.add(definition("find", findText, findSchema, true), g.find)
	g.add(definition("list", listText, listSchema, true), g.list)
	g.add(definition("read", readText, readSchema, true), g.read)
	g.add(definition("call", callText, callSchema, false), g.call)
	g.add(definition("wait", waitText, waitSchema, true), g.wait)
	if opts.Agents != nil {
		g.offerAgents(opts.Agents)
	}
	return g
}

// instructions returns the text that an agent reads first. It includes the overview
// if the backend returns that in time.
func (g *Gateway) instructions(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, overviewTime)
	defer cancel()
	overview, err := g.backend.Overview(ctx)
	if err != nil {
		g.log.Warn("no overview for a client", "error", err)
	}
	if overview == "" {
		return instructions
	}
	return instructions + "\n\n" + cut(overview, maxOverview)
}

// maxOverview is the length in bytes of the longest overview, which is part of
// every prompt.
const maxOverview = 1_200

// add adds a tool. Its errors are returned to the agent as results. An agent that is
// confined uses those that only read, and call; the backend refuses calls that write.
func (g *Gateway) add(t mcp.Tool, handle func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
	forAll := *t.Annotations.ReadOnlyHint || t.Name == "call"
	g.server.AddTool(t, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if by := fs.ConfinedIn(ctx); by != nil && !forAll {
			return mcp.NewToolResultError(by.Error()), nil
		}
		result, err := handle(ctx, r)
		if err != nil {
			return mcp.NewToolResultError(words(err)), nil
		}
		return result, nil
	})
}

// decode decodes a tool's arguments, from their original text, so that long
// numbers keep their digits.
func decode(r mcp.CallToolRequest, into any) error {
	raw := r.Params.RawArguments
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &Fault{
			What: fmt.Sprintf("the arguments of %s do not fit: %s", r.Params.Name, strings.TrimPrefix(err.Error(), "json: ")),
			Mend: "its definition has their types",
		}
	}
	return nil
}

func texts(blocks ...string) *mcp.CallToolResult {
	result := new(mcp.CallToolResult)
	for _, b := range blocks {
		if b != "" {
			result.Content = append(result.Content, mcp.NewTextContent(b))
		}
	}
	return result
}

// cut shortens a text to at most n bytes, between characters.
func cut(s string, n int) string {
	const more = "…"
	if len(s) <= n {
		return s
	}
	s = s[:n-len(more)]
	return s[:wholeCharacters([]byte(s))] + more
}

// wholeCharacters returns the length of a text without an incomplete character at its
// end.
func wholeCharacters(text []byte) int {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// The definitions are in every prompt of every agent, so each word costs. A test
// counts them.
const (
	instructions = `The tools of this user's MCP servers, their skills and more are files in one tree. Nothing of it is in your prompt: look before you say that you cannot. To use a tool: find it by what it does; the match shows its arguments; call it. Before a task that a skill covers, read skills/<name>/SKILL.md. read AGENTS.md tells more.`

	findText = `Search the tools of all MCP servers, the skills and other context by what they are for. The best matches come first; a tool's is "server/tool(arguments) — what it does" ("?": optional, "[]": list, "{}": object), so that you can call it at once.`

	findSchema = `{"type":"object","properties":{` +
		`"query":{"type":"string","description":"2 to 5 words, e.g. \"create issue\"; one want a line"},` +
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

	callText = `Call a tool of an MCP server, as found. Its file is mcps/<server>/tools/<tool>.json. A wrong argument is answered with the part of the schema that matters. A long result is shortened and names the file in results/ that has all of it: read that. If the server asks something first, the result says how to continue.`

	callSchema = `{"type":"object","properties":{` +
		`"server":{"type":"string"},` +
		`"tool":{"type":"string"},` +
		`"arguments":{"type":"object","additionalProperties":true},` +
		`"yes":{"type":"boolean","description":"confirms a call that was refused because it needs confirmation"},` +
		`"continue":{"type":"string"},` +
		`"answer":{"type":"object","additionalProperties":true},` +
		`"decline":{"type":"boolean"}}}`

	waitText = `Wait instead of polling, for: terminal 3 --for REGEX|--exit|--idle 2s; server X ready; session ID --idle|--asks; question; file PATH --for REGEX; port 3000. Several: " , " between.`

	waitSchema = `{"type":"object","properties":{` +
		`"for":{"type":"string"},` +
		`"any":{"type":"boolean"},` +
		`"seconds":{"type":"number","default":50}},` +
		`"required":["for"]}`
)

func definition(name, text, schema string, reads bool) mcp.Tool {
	t := mcp.NewToolWithRawSchema(name, text, json.RawMessage(schema))
	t.Annotations.ReadOnlyHint = mcp.ToBoolPtr(reads)
	if reads {
		t.Annotations.OpenWorldHint = mcp.ToBoolPtr(false)
	}
	return t
}
