package facts

import (
	"context"
	"time"
)

// CostSource is a provider of what agents are otherwise given with each request to a model:
// the definitions of tools, the descriptions of skills, the texts of rules.
type CostSource interface {
	// Costs returns what an agent is given that works in a folder, an absolute path
	// without symbolic links, or "" for none: of each thing how many tokens it takes in
	// every request. It reads local files, and ends with ctx.
	Costs(ctx context.Context, dir string) ([]Cost, error)
}

// CostKind is what a [Cost] is for.
type CostKind string

// The kinds.
const (
	ServerCost CostKind = "server" // the definitions of an MCP server's tools
	SkillCost  CostKind = "skill"  // the name and description of a skill or a subagent
	RuleCost   CostKind = "rule"   // the text of a file of rules
)

// Cost is what one thing takes in every request of an agent that is given it.
type Cost struct {
	Kind CostKind `json:"kind"`
	Name string   `json:"name"`
	// Count is how many tools a server has.
	Count int `json:"count,omitempty"`
	// Agents are the ids of the agents that are given it; nil stands for all.
	Agents []string `json:"agents,omitempty"`
	// Tokens is what it takes. Unknown is a clause that says why that is not known, as of
	// a server that was never started, or "".
	Tokens  int    `json:"tokens"`
	Unknown string `json:"unknown,omitempty"`
}

// CallSource is a provider of tools that knows how they were called.
type CallSource interface {
	// Calls returns what became of the calls that a query asks for, a tool each, in any
	// order. It reads local files, and ends with ctx.
	Calls(ctx context.Context, q CallsQuery) ([]ToolCalls, error)
}

// CallsQuery says which calls are counted: those from Since until before Until, which are
// zero for all; and of a server, an agent and a project, unless these are "". Project is a
// folder on disk: calls for it and for folders in it count.
type CallsQuery struct {
	Since, Until           time.Time
	Server, Agent, Project string
}

// ToolCalls is what became of the calls of a tool.
type ToolCalls struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Calls  int    `json:"calls"`
	// Failed is how many of them failed, Outcomes how many ended in which way.
	Failed   int            `json:"failed"`
	Outcomes map[string]int `json:"outcomes"`
	// Total, Median and P95 are how long they took, in milliseconds: in all, and half and
	// 95 of 100 at most.
	Total  int64 `json:"total_ms"`
	Median int64 `json:"median_ms"`
	P95    int64 `json:"p95_ms"`
	// Bytes is the size of their results. Of these, Filed results with FiledBytes went to
	// files.
	Bytes      int64     `json:"bytes"`
	Filed      int       `json:"filed"`
	FiledBytes int64     `json:"filed_bytes"`
	Last       time.Time `json:"last"`
}

// ResultSource is a provider of long results that were written to files, instead of being given to
// agents whole.
type ResultSource interface {
	// Stored returns which results there are of the time and the server that a query asks
	// for, summed up by where they come from, in any order. It reads local files.
	Stored(ctx context.Context, q CallsQuery) ([]StoredResults, error)
}

// StoredResults are results from one place.
type StoredResults struct {
	// Source is what has written them: "call", "hook", or another word; Server and Tool are
	// those of a call. Each may be "".
	Source string `json:"source"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
}
