package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// sessionError says that a server over HTTP has forgotten the session, as it
// does when it was started anew. It should answer 404 then; some answer 400.
type sessionError struct{ status int }

func (e *sessionError) Error() string {
	return fmt.Sprintf("the session has ended (HTTP status %d)", e.status)
}

// statusKey is the key in the context of a request to a *int, which is set to
// the status of an answer that is an error.
type statusKey struct{}

func withStatus(ctx context.Context) (context.Context, *int) {
	status := new(int)
	return context.WithValue(ctx, statusKey{}, status), status
}

// forgotten tells whether a request that was sent within a session, and was
// answered with a status, found it forgotten.
func forgotten(session string, status int) bool {
	return session != "" && (status == http.StatusNotFound || status == http.StatusBadRequest)
}

// renewable tells whether the server of a connection that was lost is likely
// to be there, so that a new connection is worth making at once.
func renewable(cause error) bool {
	var session *sessionError
	return errors.As(cause, &session) || errors.Is(cause, errStream)
}

// sessionCode tells whether an error with HTTP status 400 or 404 may speak of
// the session, and not of the request. Those are the codes that the SDKs have
// for it.
func sessionCode(code int) bool {
	return code == -32000 || code == -32001 || code == mcp.INVALID_REQUEST
}
