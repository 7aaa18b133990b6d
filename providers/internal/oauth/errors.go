package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"ctxfs/providers/internal/clean"
)

// Needed says that only a login by the user helps.
type Needed struct {
	// Reason is one line for people.
	Reason string
	// Certain tells that the server takes logins: it has asked for one by the
	// rules, or there was one.
	Certain bool
	// Narrow tells that there is a login, which is good for other requests.
	Narrow bool
}

func (e *Needed) Error() string { return e.Reason }

// Fault is an error with the change that mends it.
type Fault struct {
	What string
	Mend string // "" where trying again is all that can be done
}

func (f *Fault) Error() string { return f.What }

// refusal is an error that an authorization server answers with, RFC 6749
// section 5.2.
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

// final reports whether a refused renewal ends the login, so that trying again
// is of no use.
func (r *refusal) final() bool {
	switch r.Code {
	case "invalid_grant", "invalid_client", "unauthorized_client":
		return true
	}
	return false
}

// unreachable words an error of net/http without the address, which may hold
// what is not to be shown.
func unreachable(what string, u *url.URL, err error) error {
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		err = ue.Err
	}
	return fmt.Errorf("%s (%s) cannot be reached: %w", what, u.Host, err)
}

// quoted is a foreign address or name for a text.
func quoted(s string) string { return fmt.Sprintf("%q", clean.Cut(clean.Line(s), 200)) }

// words are the scopes in a space-separated list.
func words(scope string) []string { return strings.Fields(scope) }

// redacted is an error whose text was cleared of secrets.
type redacted struct {
	text  string
	cause error
}

func (e *redacted) Error() string { return e.text }
func (e *redacted) Unwrap() error { return e.cause }
