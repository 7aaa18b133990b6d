package gateway

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Agents starts agents for agents. Its methods are called concurrently and return when
// their context ends; an error that is a [Fault] has a fix.
type Agents interface {
	// Schema returns the JSON Schema of a request, which RunAgent takes.
	Schema() json.RawMessage
	// RunAgent starts an agent for a client that says that it works in root, or "", and
	// returns at once, with what is to be done next.
	RunAgent(ctx context.Context, request json.RawMessage, root string) (string, error)
	// WaitAgents waits until runs have ended, or for its timeout, and returns what came of
	// them. It may call progress from any goroutine until it returns.
	WaitAgents(ctx context.Context, w AgentWait, progress func(Progress)) (string, error)
	// AgentResult returns what came of a run, or how it stands.
	AgentResult(ctx context.Context, id string) (string, error)
}

// AgentWait is what a client waits for.
type AgentWait struct {
	IDs     []string
	Any     bool // one of them is enough
	Timeout time.Duration
}

const (
	agentRunText = `Have another coding agent do one task, with a context of its own: it knows nothing but the prompt. Returns the id of the run at once; agent_wait waits for the result. Several run side by side.`

	agentWaitText = `Wait until runs of agent_run have ended, and get their results. Not in time: call it again.`

	agentWaitSchema = `{"type":"object","properties":{` +
		`"ids":{"type":"array","items":{"type":"string"},"minItems":1},` +
		`"any":{"type":"boolean","description":"one is enough"},` +
		`"seconds":{"type":"number","default":50}},` +
		`"required":["ids"]}`

	agentResultText = `The result of a run that has ended, or how it stands. What it shows: read agents/<id>/log.txt.`

	agentResultSchema = `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`
)

// offerAgents adds the tools for agents.
func (g *Gateway) offerAgents(a Agents) {
	g.add(definition("agent_run", agentRunText, string(a.Schema()), false), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		root, asked := g.root(ctx, r)
		if asked != nil {
			return asked, nil
		}
		request := r.Params.RawArguments
		if len(request) == 0 {
			request = json.RawMessage("{}")
		}
		text, err := a.RunAgent(ctx, request, root)
		return texts(text), err
	})
	g.add(definition("agent_wait", agentWaitText, agentWaitSchema, true), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := struct {
			IDs     []string `json:"ids"`
			Any     bool     `json:"any"`
			Seconds float64  `json:"seconds"`
		}{Seconds: usualWait.Seconds()}
		if err := decode(r, &args); err != nil {
			return nil, err
		}
		text, err := a.WaitAgents(ctx, AgentWait{args.IDs, args.Any, waitTime(args.Seconds)}, g.progressFor(ctx, r))
		return texts(text), err
	})
	g.add(definition("agent_result", agentResultText, agentResultSchema, true), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args struct {
			ID string `json:"id"`
		}
		if err := decode(r, &args); err != nil {
			return nil, err
		}
		text, err := a.AgentResult(ctx, args.ID)
		return texts(text), err
	})
}
