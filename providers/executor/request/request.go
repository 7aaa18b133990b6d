// Package request defines what ctxfs is asked to have an agent do, and the result: one
// JSON object in, one out.
package request

import (
	"encoding/json"
	"time"
)

// Request is one task for one agent.
type Request struct {
	// RepoDir is the folder in which the agent works, an absolute path.
	RepoDir string `json:"repoDir"`
	Prompt  string `json:"prompt"`
	// TimeoutMS is how long it may take, in milliseconds; 0 stands for [DefaultTimeout].
	TimeoutMS int64 `json:"timeoutMs,omitempty"`
	ReadOnly  bool  `json:"readOnly,omitempty"`
	// Agent is an agent, by its id or the name of its program, or a kind of subagent from
	// the configuration.
	Agent string `json:"agent,omitempty"`
	// Worktree has it work in a git worktree of its own.
	Worktree bool `json:"worktree,omitempty"`
	// Schema is a JSON Schema for its answer, or nil.
	Schema json.RawMessage `json:"schema,omitempty"`
}

// DefaultTimeout is how long an agent may take if nothing else is said.
const DefaultTimeout = 10 * time.Minute

// Timeout returns how long the agent may take.
func (r *Request) Timeout() time.Duration {
	if r.TimeoutMS == 0 {
		return DefaultTimeout
	}
	return time.Duration(r.TimeoutMS) * time.Millisecond
}

// Ended says how a run has ended.
type Ended string

// How runs end.
const (
	Success   Ended = "success"   // the agent exited with 0 and reported no failure
	Failure   Ended = "failure"   // it failed, or could not be started
	Timeout   Ended = "timeout"   // the time limit was reached
	Cancelled Ended = "cancelled" // it was stopped, or the process that started it ended
	Lost      Ended = "lost"      // the processes that kept it were killed: its end is not known
)

// How far a run was kept from writing.
const (
	Enforced  = "enforced"  // by the kernel
	Requested = "requested" // by the agent's own flags only
)

// Unsupported stands for a structured answer that the agent has no flag for, as a JSON
// string.
const Unsupported = `"unsupported"`

// Result is what came of a run. Paths are absolute; one that is "" does not exist.
type Result struct {
	ID    string `json:"id"`
	Agent string `json:"agent"` // the agent's id, or the name of the kind with a command of its own
	Ended Ended  `json:"ended"`
	// ExitCode is the agent's, 128 plus its number if a signal ended it, or nil if it
	// was not started or its end is not known.
	ExitCode *int `json:"exit_code"`
	// Text is the agent's answer, at most [MaxText] bytes of it; TextFile has all.
	Text     string `json:"text"`
	TextFile string `json:"text_file,omitempty"`
	// Structured is the answer to a Schema, or [Unsupported].
	Structured json.RawMessage `json:"structured,omitempty"`
	Usage      *Usage          `json:"usage,omitempty"`
	// ReadOnly is [Enforced] or [Requested] of a read-only run.
	ReadOnly string `json:"read_only,omitempty"`
	// Error says what went wrong, on a line, and Fix what to do about it.
	Error string `json:"error,omitempty"`
	Fix   string `json:"fix,omitempty"`

	TerminalLog string `json:"terminal_log,omitempty"`
	// Session is the agent's id of its session.
	Session    string `json:"session,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	Digest     string `json:"digest,omitempty"`
	// Diff is a patch of all that changed while it ran, in the whole repository, which
	// paths in it are relative to; "" if nothing did, or Notes say why it is missing.
	// Changed are the files, also those that are too large for a patch, relative to the
	// folder in which it worked, with slashes.
	Diff    string   `json:"diff,omitempty"`
	Changed []string `json:"changed,omitempty"`
	// Worktree is kept if it has changes; Branch is the one that is checked out in it.
	Worktree string `json:"worktree,omitempty"`
	Branch   string `json:"branch,omitempty"`

	// Notes are what else is to be known, a line each.
	Notes []string `json:"notes,omitempty"`

	DurationMS int64 `json:"duration_ms"`
}

// MaxText is how much of an answer is in a Result, in bytes.
const MaxText = 64 << 10

// SeeLog is the fix of a run that has failed: what it has shown says more.
func SeeLog(path string) string { return "see what it has shown: " + path }

// Usage is what the agent's log says that a run took.
type Usage struct {
	InputTokens      int64   `json:"input_tokens"`
	CacheReadTokens  int64   `json:"cache_read_tokens,omitempty"`
	CacheWriteTokens int64   `json:"cache_write_tokens,omitempty"`
	OutputTokens     int64   `json:"output_tokens"`
	CostUSD          float64 `json:"cost_usd,omitempty"`
}
