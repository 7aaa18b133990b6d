package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/cell"
	"ctxfs/providers/mcp/supervise"
)

// lostError reports that a server that had been ready went away.
type lostError struct{ cause error }

func (e *lostError) Error() string {
	if e.cause == nil {
		return "the server has exited"
	}
	return WithoutAddress(e.cause).Error()
}

func (e *lostError) Unwrap() error { return e.cause }

// endedError reports that the server's process exited by itself.
type endedError struct {
	status string
	cause  error
}

func (e *endedError) Error() string { return e.status }

func (e *endedError) Unwrap() error { return e.cause }

// Ending replaces an error by how the process exited, or by the fault of ours that lost it,
// if that is its cause. It must be called before the connection is closed, which ends the
// process.
func (c *Connection) Ending(err error) error {
	var (
		lost  *lostError
		fault *cell.Fault
	)
	switch {
	case c.IsLost() && errors.As(c.cause, &fault):
		return fault
	case c.Process == nil || !hasEnded(err) && !errors.As(err, &lost):
		return err
	case c.Process.Await(c.timing.Grace.EOF):
		return &endedError{status: c.Process.Status(), cause: err}
	case hasEnded(err):
		return errMute
	}
	return err
}

// LostBy is [Connection.Ending] for the error of a request over a connection that
// was ready.
func (c *Connection) LostBy(err error) error {
	if hasEnded(err) {
		err = &lostError{cause: err}
	}
	return c.Ending(err)
}

// slowError reports that a start was given up.
type slowError struct {
	tooLong bool // it made progress all the time
	took    time.Duration
	cause   error
}

func (e *slowError) Error() string { return e.cause.Error() }

func (e *slowError) Unwrap() error { return e.cause }

// GivenUp replaces the error of a start by why the start was given up, if it was.
func GivenUp(start *supervise.Start, err error) error {
	cause := context.Cause(start.Context())
	if errors.Is(cause, supervise.ErrIdle) || errors.Is(cause, supervise.ErrTooLong) {
		return &slowError{tooLong: errors.Is(cause, supervise.ErrTooLong), took: start.Took(), cause: context.DeadlineExceeded}
	}
	return err
}

// ResponseError is a server's error response to a request.
type ResponseError struct {
	method, message string
	Code            int
	data            json.RawMessage // what the server says besides, or nil
}

func (e *ResponseError) Error() string {
	text := fmt.Sprintf("%s: the server answered: %s (code %d)", e.method, e.message, e.Code)
	for _, q := range e.addresses() {
		text += fmt.Sprintf("; to go on, open %s (%s)", q.URL, q.Message)
	}
	return text
}

// unknownMethod reports whether the server does not know the request.
func unknownMethod(err error) bool {
	var answered *ResponseError
	return errors.As(err, &answered) && answered.Code == mcp.METHOD_NOT_FOUND
}

// WithoutAddress removes the address from an error of net/http: it may hold a
// token.
func WithoutAddress(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// unreachable returns why no connection to a server could be made, or nil.
func unreachable(err error) error {
	var ask *url.Error
	var op *net.OpError
	switch {
	case errors.As(err, &op):
		return op.Err // without the address, which the message has already
	case errors.As(err, &ask):
		return ask.Err
	}
	return nil
}

// sessionError reports that a server over HTTP has forgotten the session, as
// happens when it is restarted. It should answer with status 404; some use 400.
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

// IsRenewable reports whether the server of a connection that was lost is likely
// to be running, so that it should be connected to again at once.
func IsRenewable(cause error) bool {
	var session *sessionError
	return errors.As(cause, &session) || errors.Is(cause, errStream)
}

// errMute reports that a server's standard output has ended, usually because the
// server has exited.
var errMute = errors.New("the server has closed its standard output and runs on")

// hasEnded reports whether an error is that of a process that has exited.
func hasEnded(err error) bool {
	return errors.Is(err, transport.ErrTransportClosed) || errors.Is(err, syscall.EPIPE)
}

// Over returns the error of a connection that was lost.
func (c *Connection) Over() error { return c.OverBy(c.cause) }

// OverBy returns the error of a connection that ended for a known cause.
func (c *Connection) OverBy(cause error) error { return &lostError{cause: cause} }
