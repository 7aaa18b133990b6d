package oauth

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Transport returns a round tripper that sends requests through next, those to the
// server itself with the access token of the login. A token that the server refuses
// is renewed once, and the request sent again. Errors:
//
//  1. [*Needed]: only a login by the user helps;
//  2. another error of the login: the authorization server cannot be reached now,
//     and the same request may succeed later;
//  3. errors of next.
func (s *Session) Transport(next http.RoundTripper) http.RoundTripper {
	return &bearer{session: s, next: next}
}

type bearer struct {
	session *Session
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	s := b.session
	if !s.owns(req.URL) {
		return b.next.RoundTrip(req)
	}
	token, err := s.token(req.Context())
	if err != nil {
		if req.Body != nil {
			req.Body.Close() // as a RoundTripper must
		}
		return nil, err
	}
	res, err := b.next.RoundTrip(withToken(req, token))
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusUnauthorized && token != "" && (req.Body == nil || req.GetBody != nil) {
		drain(res)
		if token, err = s.renew(req.Context(), token); err != nil {
			return nil, err
		}
		again := withToken(req, token)
		if req.GetBody != nil {
			if again.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
		if res, err = b.next.RoundTrip(again); err != nil {
			return nil, err
		}
	}
	challenge := parseChallenge(res.Header)
	switch {
	case res.StatusCode == http.StatusUnauthorized:
		drain(res)
		return nil, s.refused(challenge, token)
	case res.StatusCode == http.StatusForbidden && challenge.code == "insufficient_scope":
		drain(res)
		return nil, s.insufficient(req, challenge)
	}
	return res, nil
}

// refused returns the error for a server that requires a login, or another one.
func (s *Session) refused(c challenge, token string) error {
	n := &Needed{Reason: "the server requires a login (HTTP status 401)", Certain: c.bearer}
	rec, _, err := s.current()
	switch {
	case err != nil:
	case token != "":
		n.Reason, n.Certain = "the server does not accept the login, which is new (HTTP status 401)", true
	case rec.Ended != "":
		n.Reason, n.Certain = rec.Ended, true
	case rec.loggedIn():
		n.Reason, n.Certain = "the login has expired", true
	}
	return n
}

// insufficient returns the error for a login without the required scopes. Those
// that are missing are recorded for the next login.
func (s *Session) insufficient(req *http.Request, c challenge) error {
	wanted := words(c.scope)
	if err := s.want(req.Context(), wanted); err != nil {
		return err
	}
	reason := "the login does not grant enough (HTTP status 403, insufficient_scope)"
	if rec, _, err := s.current(); err == nil {
		missing := slices.DeleteFunc(wanted, func(w string) bool { return slices.Contains(rec.Scopes, w) })
		if len(missing) > 0 {
			reason += ": the server requires the scope " + quoted(strings.Join(missing, " ")) + " as well"
		}
	}
	return &Needed{Reason: reason, Certain: true, Narrow: true}
}

// owns reports whether an address has the server's own origin.
func (s *Session) owns(u *url.URL) bool {
	own, err := url.Parse(s.server.URL)
	return err == nil && u.Scheme == own.Scheme && strings.EqualFold(u.Host, own.Host)
}

func withToken(req *http.Request, token string) *http.Request {
	if token == "" {
		return req
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+token)
	return req
}

// drain reads a body to its end, so that its connection can be reused.
func drain(res *http.Response) {
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10)
	res.Body.Close()
}
