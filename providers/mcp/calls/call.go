// Package calls has the parts of tool calls and resource reads that do not depend
// on the server that answers.
//
// In the order of a call: [Call] is the request (call.go); [ToolCache.Find]
// resolves the tool by name and [Tool.Prepare] judges the call by the policy and
// the tool's schema (tool.go); [NewResult] prepares the raw answer for the caller,
// with long texts and bytes in files (result.go), and says where it violates the
// tool's output schema (misfit.go); [Log.Record] writes the line of the call
// (log.go). Errors and outcomes are in errors.go; the answers of resources and
// prompts in reading.go.
package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/wire"
)

// Word is one word of a command line with the arguments of a tool.
type Word = arguments.Word

// Schema is the compiled schema of a tool's arguments.
type Schema = arguments.Schema

// Call is one call of a tool.
type Call struct {
	Server string // the name of its folder or entry
	Tool   string // by its own name or that of its file
	// Words are the arguments as a command line, or Arguments are one JSON
	// object; without both it is an empty one.
	Words     []Word
	Arguments json.RawMessage
	Caller    Caller
	// Project is the folder of the project for which the call is made, as the
	// caller named it; "" means that of Caller.
	Project string
	// ProjectFolders identify Project and the folders above it, see
	// [fs.Standpoint]; without them Project is a path of this machine.
	ProjectFolders []fs.FileID
	// Wanted is what the caller had searched for before; "" is not logged.
	Wanted string
	// Confirmed allows the call of a tool that must be confirmed.
	Confirmed bool
	// Limit is the size in bytes above which text goes to a file; 0 is the usual
	// limit, a negative number means none.
	Limit int
	// Timeout is how long the tool may neither answer nor report progress; 0 is the
	// call_timeout of the server, or else five minutes. With progress a call may
	// take up to an hour, or Timeout if that is longer. Starting the server is not
	// part of it, and may take as long again.
	Timeout time.Duration
	// Progress is called with the progress of the tool; it may be nil. It is
	// called from a connection's reader, so it must not block, and may be called
	// for a moment after Call has returned.
	Progress func(wire.Progress)
	// Asked is called when the server asks something in the course of the call, and
	// when that has been answered or withdrawn, by whomever: then open is false.
	// The call waits meanwhile. It must not block; it may be nil.
	Asked func(q questions.Question, open bool)
	// Leave lets the call go on without its caller when the server asks something:
	// the call then ends with an [*AskedError].
	Leave bool
	// Samples reports that the caller can answer for a language model itself.
	Samples bool
}

// Caller identifies the caller in the log of calls.
type Caller struct {
	Via     string `json:"via,omitempty"` // "command", "bin", "file" or "gateway"
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Dir     string `json:"dir,omitempty"`
	PID     int    `json:"pid,omitempty"`
	// Folders identify Dir and the folders above it, see [fs.Standpoint].
	Folders []fs.FileID `json:"-"`
	// Unknown says why Dir or Folders are not known, see [fs.Standpoint].
	Unknown string `json:"-"`
	// Confined is set if the caller may only read: only tools are called for it that
	// change nothing.
	Confined *fs.Confined `json:"-"`
}

// Standpoint returns where the caller stands.
func (c Caller) Standpoint() fs.Standpoint {
	return fs.Standpoint{Dir: c.Dir, Folders: c.Folders, PID: c.PID, Unknown: c.Unknown}
}

// Flag describes an argument of a tool as a flag of a command line.
type Flag = arguments.Flag

// ErrSilent and ErrEndless are the causes for which a call is given up.
var (
	ErrSilent  = fmt.Errorf("the tool is silent: %w", context.DeadlineExceeded)
	ErrEndless = fmt.Errorf("the tool does not finish: %w", context.DeadlineExceeded)
)

// Patience gives a call up when its tool is silent for too long, or does not finish.
// While a question waits for its answer, the tool has reason to be silent. It is
// safe for concurrent use; the zero value waits for nothing yet.
type Patience struct {
	mu              sync.Mutex
	silent, endless *time.Timer // nil until Start
	quiet, longest  time.Duration
	paused          bool
}

// Start begins to wait: giveUp is called with [ErrSilent] after quiet without a sign
// of the tool, or with [ErrEndless] after longest, until Stop is called.
func (p *Patience) Start(quiet, longest time.Duration, giveUp context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quiet, p.longest = quiet, longest
	p.silent = time.AfterFunc(quiet, func() { giveUp(ErrSilent) })
	p.endless = time.AfterFunc(longest, func() { giveUp(ErrEndless) })
}

// Heard reports that the tool was not silent.
func (p *Patience) Heard() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent != nil && !p.paused {
		p.silent.Reset(p.quiet)
	}
}

// Pause reports that a question waits, or no longer does: both times then start
// again.
func (p *Patience) Pause(paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.paused = paused; {
	case p.silent == nil:
	case paused:
		p.silent.Stop()
		p.endless.Stop()
	default:
		p.silent.Reset(p.quiet)
		p.endless.Reset(p.longest)
	}
}

// Stop ends waiting.
func (p *Patience) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent.Stop()
	p.endless.Stop()
	p.silent, p.endless = nil, nil
}
