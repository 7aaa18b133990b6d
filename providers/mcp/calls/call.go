// Package calls is what calls of tools and readings of resources are made of,
// apart from the server that answers them.
//
// In the order in which a call meets it: [Call] is what is asked for (call.go);
// [ToolCache.Find] resolves the tool by name and [Tool.Prepare] judges the call
// by the policy and the tool's schema (tool.go); [NewResult] makes the raw answer
// ready to be handed over, with long texts and bytes in files (result.go), and
// says where it breaks the tool's output schema (misfit.go); [Log.Record] writes
// the line of the call (log.go). Errors and outcomes are in errors.go; what
// resources and prompts answer in reading.go.
package calls

import (
	"encoding/json"
	"time"

	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/mcp/wire"
)

// Word is one word of a command line that gives arguments.
type Word = arguments.Word

// Schema is what a tool takes.
type Schema = arguments.Schema

// Call is one call of a tool.
type Call struct {
	Server string // as Restart names it
	Tool   string // by its own name or that of its file
	// Words are the arguments as a command line, or Arguments are one JSON
	// object; without both it is an empty one.
	Words     []Word
	Arguments json.RawMessage
	Caller    Caller
	// Confirmed says that a tool may be called that wants to be confirmed.
	Confirmed bool
	// Limit is the size in bytes of text over which it goes to a file; 0 is
	// the usual one, less is none.
	Limit int
	// Timeout is how long the tool may neither answer nor tell of progress; 0
	// is the call_timeout of the server, or else five minutes. Whatever it
	// tells of, it has no longer than an hour, or Timeout where that is more.
	// Starting the server does not count; it is waited for as long again.
	Timeout time.Duration
	// Progress may be nil. It is called from a connection's reader: it only
	// posts, and may be called for a moment after Call has returned.
	Progress func(wire.Progress)
}

// Caller is who calls, for the log of calls.
type Caller struct {
	Via     string `json:"via,omitempty"` // "command", "bin", "file" or "gateway"
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Dir     string `json:"dir,omitempty"`
	PID     int    `json:"pid,omitempty"`
}

// Flag is an argument of a tool as a flag of a command line.
type Flag = arguments.Flag
