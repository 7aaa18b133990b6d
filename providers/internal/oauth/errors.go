package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
)

// Needed reports that only a login by the user helps.
type Needed struct {
	// Reason is one line for people.
	Reason string
	// Certain reports whether the server is known to accept logins: it has asked
	// for one as the specification requires, or there was one.
	Certain bool
	// Narrow reports that there is a login, which is valid for other requests.
	Narrow bool
}

func (e *Needed) Error() string { return e.Reason }

// Fault is an error with the change that fixes it.
type Fault struct {
	What string
	Mend string // "" where the user can only retry
}

func (f *Fault) Error() string { return f.What }

// refusal is an error response of an authorization server, RFC 6749 section 5.2.
type refusal struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (r *refusal) Error() string {
	text := clean.Cut(clean.Line(r.Code), 100)
	if d := clean.Cut(clean.Line(r.Description), 300); d != "" {
		text += " (" + d + ")"
	}
	return text
}

// final reports whether a refused renewal ends the login, so that retrying is
// useless.
func (r *refusal) final() bool {
	return slices.Contains([]string{"invalid_grant", "invalid_client", "unauthorized_client"}, r.Code)
}

// unreachable returns an error of net/http without the address, which may hold
// secrets.
func unreachable(what string, u *url.URL, err error) error {
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		err = ue.Err
	}
	return fmt.Errorf("%s (%s) cannot be reached: %w", what, u.Host, err)
}

// quoted returns a foreign address or name for a message.
func quoted(s string) string { return fmt.Sprintf("%q", clean.Cut(clean.Line(s), 200)) }

// words returns the scopes in a space-separated list.
func words(scope string) []string { return strings.Fields(scope) }

// redacted is an error whose text holds no secrets.
type redacted struct {
	text  string
	cause error
}

func (e *redacted) Error() string { return e.text }
func (e *redacted) Unwrap() error { return e.cause }
