package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client/transport" // lostError says that a server went away that had been ready.
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/mcp/supervise"
)

type lostError struct{ cause error }

func (e *lostError) Error() string {
	if e.cause == nil {
		return "the server has ended"
	}
	return WithoutAddress(e.cause).Error()
}

func (e *lostError) Unwrap() error { return e.cause }

// endedError says that the server's process ended by itself.
type endedError struct {
	status string
	cause  error
}

func (e *endedError) Error() string { return e.status }

func (e *endedError) Unwrap() error { return e.cause }

// Ending completes an error with how the process ended, if that is why. It is
// called before the connection is closed, which ends every process.
func (c *Connection) Ending(err error) error {
	var lost *lostError
	switch {
	case c.Process == nil || !hasEnded(err) && !errors.As(err, &lost):
		return err
	case c.Process.Await(c.timing.Grace.EOF):
		return &endedError{status: c.Process.Status(), cause: err}
	case hasEnded(err):
		return errMute
	}
	return err
}

// LostBy completes the error of a request in a connection that was ready.
func (c *Connection) LostBy(err error) error {
	if hasEnded(err) {
		err = &lostError{cause: err}
	}
	return c.Ending(err)
}

// slowError says that a start was given up.
type slowError struct {
	tooLong bool // though it made progress
	took    time.Duration
	cause   error
}

func (e *slowError) Error() string { return e.cause.Error() }

func (e *slowError) Unwrap() error { return e.cause }

// GivenUp makes of the error of a start why it was given up, if it was.
func GivenUp(start *supervise.Start, err error) error {
	cause := context.Cause(start.Context())
	if errors.Is(cause, supervise.ErrIdle) || errors.Is(cause, supervise.ErrTooLong) {
		return &slowError{tooLong: errors.Is(cause, supervise.ErrTooLong), took: start.Took(), cause: context.DeadlineExceeded}
	}
	return err
}

// AnsweredError is an error with which a server answered a request.
type AnsweredError struct {
	method, message string
	Code            int
}

func (e *AnsweredError) Error() string {
	return fmt.Sprintf("%s: the server answered: %s (code %d)", e.method, e.message, e.Code)
}

// unknownMethod tells whether the server does not know the request.
func unknownMethod(err error) bool {
	var answered *AnsweredError
	return errors.As(err, &answered) && answered.Code == mcp.METHOD_NOT_FOUND
}

// WithoutAddress takes the address out of an error of net/http: it may hold a token.
func WithoutAddress(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// unreachable is why a server could not even be asked, or nil.
func unreachable(err error) error {
	var ask *url.Error
	var op *net.OpError
	switch {
	case errors.As(err, &op):
		return op.Err // without the address, which is told already
	case errors.As(err, &ask):
		return ask.Err
	}
	return nil
}

// sessionError says that a server over HTTP has forgotten the session, as it
// does when it was started anew. It should answer 404 then; some answer 400.
type sessionError struct{ status int }

func (e *sessionError) Error() string {
	return fmt.Sprintf("the session has ended (HTTP status %d)", e.status)
}

// IsForgotten reports whether a request failed because the server has forgotten
// the session: it may be sent again in another connection.
func IsForgotten(err error) bool {
	var session *sessionError
	return errors.As(err, &session)
}

// IsRenewable tells whether the server of a connection that was lost is likely
// to be there, so that a new connection is worth making at once.
func IsRenewable(cause error) bool {
	var session *sessionError
	return errors.As(cause, &session) || errors.Is(cause, errStream)
}

// errMute says that a server's standard output has ended. Mostly that is
// because the server has.
var errMute = errors.New("the server has closed its standard output and runs on")

// hasEnded tells whether an error is that of a process that has ended.
func hasEnded(err error) bool {
	return errors.Is(err, transport.ErrTransportClosed) || errors.Is(err, syscall.EPIPE)
}

// Over returns the error of a connection that was lost.
func (c *Connection) Over() error { return c.OverBy(c.cause) }

// OverBy returns the error of a connection that is over for a known cause.
func (c *Connection) OverBy(cause error) error { return &lostError{cause: cause} }
