package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// resourceMetadata is the metadata of a protected resource, RFC 9728.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`

	guessed bool // the server publishes no metadata
}

// issuerMetadata is the metadata of an authorization server, RFC 8414 or
// OpenID Connect Discovery.
type issuerMetadata struct {
	Issuer           string   `json:"issuer"`
	Authorization    string   `json:"authorization_endpoint"`
	Token            string   `json:"token_endpoint"`
	Registration     string   `json:"registration_endpoint"`
	Revocation       string   `json:"revocation_endpoint"`
	Scopes           []string `json:"scopes_supported"`
	TokenMethods     []string `json:"token_endpoint_auth_methods_supported"`
	ChallengeMethods []string `json:"code_challenge_methods_supported"`
	Documents        bool     `json:"client_id_metadata_document_supported"`
	NamesIssuer      bool     `json:"authorization_response_iss_parameter_supported"`
}

// authority is where to log in for a server, and with which audience and scopes.
type authority struct {
	issuerMetadata
	audience string   // the resource indicator, RFC 8707
	scopes   []string // that the server names
}

// discover finds where to log in for the server: it asks the server, then follows
// the metadata.
func (s *Session) discover(ctx context.Context, preferred string) (*authority, error) {
	address, err := s.server.address()
	if err != nil {
		return nil, err
	}
	asked, err := s.probe(ctx, address)
	if err != nil {
		return nil, err
	}
	resource, err := s.resource(ctx, address, asked)
	if err != nil {
		return nil, err
	}
	at := &authority{audience: resource.Resource, scopes: resource.Scopes}
	if scopes := words(asked.scope); len(scopes) > 0 {
		at.scopes = scopes
	}
	if s.server.Metadata != "" {
		at.issuerMetadata, err = s.configuredIssuer(ctx, address)
		return at, err
	}
	issuers := resource.Servers
	if slices.Contains(issuers, preferred) {
		issuers = append([]string{preferred}, issuers...)
	}
	var failed []error
	for _, issuer := range issuers {
		found, err := s.issuer(ctx, issuer, address)
		if err == nil {
			at.issuerMetadata = found
			return at, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		failed = append(failed, err)
	}
	if !asked.refused && resource.guessed {
		return nil, &Fault{What: "the server does not ask for a login"}
	}
	return nil, errors.Join(failed...)
}

// asked is the response of a server to a request without a token.
type asked struct {
	challenge
	refused bool
}

// probe sends the first request of the protocol without a token; if the server does
// not accept it there, the request for the stream of the protocol before 2025.
func (s *Session) probe(ctx context.Context, address *url.URL) (asked, error) {
	const hello = `{"jsonrpc":"2.0","id":"login","method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"ctxfs","version":"1"}}}`
	status, h, err := s.ask(ctx, address, http.MethodPost, strings.NewReader(hello))
	if err == nil && status >= 400 && !refused(status) {
		status, h, err = s.ask(ctx, address, http.MethodGet, nil)
	}
	return asked{parseChallenge(h), refused(status)}, err
}

func refused(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// ask sends a request without a token, and returns the head of the response.
func (s *Session) ask(ctx context.Context, address *url.URL, method string, body io.Reader) (int, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.server.URL, body)
	if err != nil {
		return 0, nil, &Fault{What: "the url of the server is not valid"}
	}
	for name, value := range s.server.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := s.c.http.Do(req)
	if err != nil {
		return 0, nil, unreachable("the server", address, err)
	}
	res.Body.Close() // not read: it may be an endless stream
	return res.StatusCode, res.Header, nil
}

// resource finds the metadata of the server: where the server says, or else in the
// two well-known places. Servers of versions before 2025-06-18 publish no such
// metadata; they are their own authorization servers.
func (s *Session) resource(ctx context.Context, address *url.URL, asked asked) (*resourceMetadata, error) {
	const what = "the metadata of the server"
	var places []*url.URL
	var failed []error
	if asked.metadata != "" {
		u, err := trusted("resource_metadata", asked.metadata, address)
		if err != nil {
			return nil, err
		}
		places = append(places, u)
	}
	places = append(places, wellKnown(address, "oauth-protected-resource", true))
	if path := strings.Trim(address.Path, "/"); path != "" {
		places = append(places, wellKnown(address, "oauth-protected-resource", false))
	}
	for _, u := range places {
		var m resourceMetadata
		err := s.c.getJSON(ctx, what, u, &m)
		if err == nil {
			err = m.check(address)
		}
		if err == nil {
			return &m, nil
		}
		var status *statusError
		if !errors.As(err, &status) || !status.absent() {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return nil, failed[0]
	}
	origin := (&url.URL{Scheme: address.Scheme, Host: address.Host}).String()
	return &resourceMetadata{Resource: address.String(), Servers: []string{origin}, guessed: true}, nil
}

// check refuses metadata of another resource: with that, a server could obtain
// tokens that are valid for the other one. The server may be part of the resource:
// its origin, or a folder above it.
func (m *resourceMetadata) check(address *url.URL) error {
	if m.Resource == "" {
		m.Resource = address.String()
	}
	u, err := url.Parse(m.Resource)
	if err != nil || u.Scheme != address.Scheme || !strings.EqualFold(u.Host, address.Host) ||
		!strings.HasPrefix(folder(address.Path), folder(u.Path)) {
		return fmt.Errorf("the metadata of the server is that of another one, %s", quoted(m.Resource))
	}
	if len(m.Servers) == 0 {
		m.Servers = []string{(&url.URL{Scheme: address.Scheme, Host: address.Host}).String()}
	}
	return nil
}

func folder(path string) string { return strings.TrimSuffix(path, "/") + "/" }

// wellKnown returns a well-known address for u, RFC 8615, with or without the path
// of u after it.
func wellKnown(u *url.URL, name string, withPath bool) *url.URL {
	w := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/.well-known/" + name}
	if withPath {
		w.Path += strings.TrimSuffix(u.Path, "/")
	}
	return w
}

// issuer finds the metadata of an authorization server, which must name the issuer
// that was asked for.
func (s *Session) issuer(ctx context.Context, issuer string, address *url.URL) (m issuerMetadata, err error) {
	u, err := trusted("the authorization server", issuer, address)
	if err != nil {
		return m, err
	}
	places := []*url.URL{
		wellKnown(u, "oauth-authorization-server", true),
		wellKnown(u, "openid-configuration", true),
	}
	if folder(u.Path) != "/" {
		places = append(places, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: folder(u.Path) + ".well-known/openid-configuration"})
	}
	var failed error
	for _, place := range places {
		m = issuerMetadata{}
		err := s.c.getJSON(ctx, "the authorization server "+u.Host, place, &m)
		if err == nil && !sameIssuer(m.Issuer, issuer) {
			err = fmt.Errorf("the authorization server %s says that it is another one, %s", quoted(issuer), quoted(m.Issuer))
		}
		if err == nil {
			return m, m.check(address, false)
		}
		var status *statusError
		if failed == nil || !errors.As(err, &status) || !status.absent() {
			failed = err
		}
	}
	return m, failed
}

// configuredIssuer returns the authorization server whose metadata is configured.
// It is trusted because the user configured it.
func (s *Session) configuredIssuer(ctx context.Context, address *url.URL) (m issuerMetadata, err error) {
	u, err := trusted("the address of the authorization server's metadata", s.server.Metadata, address)
	if err == nil {
		err = s.c.getJSON(ctx, "the authorization server "+u.Host, u, &m)
	}
	if err == nil {
		err = m.check(address, true)
	}
	return m, err
}

// sameIssuer reports whether two issuers are equal as strings, as RFC 8414
// requires, except that an address without a path may end in a slash.
func sameIssuer(a, b string) bool {
	if a == b {
		return true
	}
	a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
	return a == b && strings.Count(a, "/") == 2
}

// check refuses metadata that make a login impossible or unsafe.
func (m *issuerMetadata) check(address *url.URL, configured bool) error {
	for _, e := range []struct {
		what, address string
		must          bool
	}{
		{"its authorization endpoint", m.Authorization, true},
		{"its token endpoint", m.Token, true},
		{"its registration endpoint", m.Registration, false},
		{"its revocation endpoint", m.Revocation, false},
	} {
		if e.address == "" && !e.must {
			continue
		}
		if _, err := trusted(e.what, e.address, address); err != nil {
			return fmt.Errorf("the authorization server %s: %w", quoted(m.Issuer), err)
		}
	}
	// Many that support PKCE do not say so; only the user who configures one may
	// know.
	if !slices.Contains(m.ChallengeMethods, "S256") && (len(m.ChallengeMethods) > 0 || !configured) {
		return fmt.Errorf("the authorization server %s does not say that it protects logins by PKCE (S256)", quoted(m.Issuer))
	}
	return nil
}
