package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/wire"
)

// ArgumentsError reports what is wrong with a call as it was written: its
// arguments, the name of its server or tool, or the project that it names.
type ArgumentsError struct {
	What string // one sentence
	// Hint suggests the nearest known name or what to write; it may be empty.
	Hint string
	// Part is the relevant part of the tool's schema, or nil.
	Part json.RawMessage
	// Project reports that the project is wrong, and not the arguments.
	Project bool
}

func (e *ArgumentsError) Error() string {
	text := e.What
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// The outcomes of calls, as written to the log of calls and distinguished by exit
// codes.
const (
	OutcomeOK           = "ok"
	OutcomeToolError    = "tool-error"    // the tool or its server reports a failure
	OutcomeBadArguments = "bad-arguments" // rejected before it was made, or by the server
	OutcomeDenied       = "denied"        // the policy forbids it, or it must be confirmed
	OutcomeNeedsAuth    = "needs-auth"
	OutcomeUnreachable  = "unreachable" // the server cannot be used
	OutcomeCancelled    = "cancelled"
	OutcomeTimeout      = "timeout"
	OutcomeAsked        = "asked"  // its server asks something, and it goes on without its caller
	OutcomeLost         = "lost"   // it was under way when its process ended
	OutcomeFailed       = "failed" // anything else
)

// invalidParams is the JSON-RPC code of a server that refuses arguments.
const invalidParams = -32602

// Outcome returns the outcome of a call that returned r and err.
func Outcome(r *Result, err error) string {
	var (
		args   *ArgumentsError
		denied *policy.DeniedError
		use    *UseError
		answer *wire.ResponseError
		asked  *AskedError
		ended  *EndedError
		undone *wire.CancelledError
	)
	switch {
	case errors.As(err, &ended):
		return ended.Outcome
	case errors.As(err, &asked):
		return OutcomeAsked
	case err == nil && r != nil && r.Failed:
		return OutcomeToolError
	case err == nil:
		return OutcomeOK
	case errors.As(err, &args):
		return OutcomeBadArguments
	case errors.As(err, &denied):
		return OutcomeDenied
	case errors.Is(err, context.DeadlineExceeded):
		return OutcomeTimeout
	case errors.Is(err, context.Canceled), errors.As(err, &undone):
		return OutcomeCancelled
	case errors.As(err, &answer) && answer.Code == invalidParams:
		return OutcomeBadArguments
	case errors.As(err, &answer):
		return OutcomeToolError
	case errors.As(err, &use) && use.State == wire.StateNeedsAuth:
		return OutcomeNeedsAuth
	case errors.As(err, &use) && use.State != "":
		return OutcomeUnreachable
	}
	return OutcomeFailed
}

// UseError reports why a server cannot be used, or has not answered, with the
// command or change that fixes it.
type UseError struct {
	// Server is the name of its folder.
	Server string
	// State is the state of the server, or "" if the server is not the cause.
	State string
	What  string
	Mend  string // may be empty
	Cause error
}

func (e *UseError) Error() string {
	if e.State == "" {
		return fmt.Sprintf("server %s: %s", e.Server, e.What)
	}
	return fmt.Sprintf("server %s (%s): %s", e.Server, e.State, e.What)
}

func (e *UseError) Unwrap() error { return e.Cause }

// Fix returns the command or change that fixes it, or "".
func (e *UseError) Fix() string { return e.Mend }

// AskedError reports that the server asks something, and that the call goes on
// without its caller, as a task.
type AskedError struct {
	Question questions.Question
	Task     string // the ID of the task
}

func (e *AskedError) Error() string {
	return "the server asks something, and the call goes on as " + e.Task + ": " + e.Question.Line()
}

// Fix returns the commands that answer, and that fetch the result.
func (e *AskedError) Fix() string {
	return e.Question.Answer + "\nthen fetch the result: ctxfs call --continue " + e.Task
}

// EndedError is the error of a call that ended without a result before it was asked
// for.
type EndedError struct {
	Outcome string // such as [OutcomeTimeout]
	What    string
	Mend    string // may be empty
}

func (e *EndedError) Error() string { return e.What }

// Fix returns the command or change that fixes it, or "".
func (e *EndedError) Fix() string { return e.Mend }
