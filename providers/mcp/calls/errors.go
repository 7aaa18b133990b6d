package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/wire"
)

// ArgumentsError reports what is wrong with a call as it was written: its
// arguments, or the name of its server or tool.
type ArgumentsError struct {
	What string // one sentence
	// Hint suggests the nearest known name or what to write; it may be empty.
	Hint string
	// Part is the relevant part of the tool's schema, or nil.
	Part json.RawMessage
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
	)
	switch {
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
	case errors.Is(err, context.Canceled):
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
