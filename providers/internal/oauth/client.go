// Package oauth logs in to servers over HTTP as version 2026-07-28 of the Model
// Context Protocol specifies, and stores the logins: OAuth 2.1 for a public client
// with a loopback redirect.
//
// A [Client] has all logins of a user, a [Session] the login to one server. A
// session's [Session.Transport] adds the access token to requests and renews it,
// once for any number of requests and processes. It never asks the user anything:
// if only the user can help, requests fail with a [*Needed], and the user has to
// run [Session.Login].
//
// The files in the order of a login: discover.go finds the authorization server,
// register.go the client to log in as, login.go and callback.go have the user log
// in by browser, token.go obtains the tokens, store.go stores them; session.go and
// transport.go use and renew them.
//
// Sources: RFC 6749 (OAuth 2.0), RFC 7009 (revocation), RFC 7591 (dynamic
// registration), RFC 7636 (PKCE), RFC 8252 (loopback redirects), RFC 8414
// (metadata of authorization servers), RFC 8707 (resource indicators), RFC
// 9207 (iss in answers), RFC 9728 (metadata of protected resources), and the
// chapter on authorization of the MCP specification.
//
// Neither x/oauth2 nor mcp-go checks iss, requests more scopes on insufficient_scope,
// remembers a registered client, or shares one renewal among processes.
package oauth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"ctxfs/providers/internal/background"
)

// Options are the settings of a client.
type Options struct {
	// Dir is the folder of the logins; it is created with the first one.
	Dir string
	// LookupEnv looks up a variable of the environment.
	LookupEnv func(string) (string, bool)
	Now       func() time.Time
	// HTTP carries requests; nil is [http.DefaultTransport].
	HTTP http.RoundTripper
	// Listen opens the port to which browsers return; nil is [net.Listen].
	Listen func(network, address string) (net.Listener, error)
}

// Client has the logins of a user. It is safe for concurrent use.
type Client struct {
	store *store
	now   func() time.Time
	http  *http.Client
	open  func(network, address string) (net.Listener, error)

	background context.Context // of renewals, which outlive the requests that want them
	cancel     context.CancelFunc
	renewals   background.Work
}

// New returns a client. It reads and writes nothing.
func New(opts Options) *Client {
	c := &Client{store: &store{dir: opts.Dir, ring: systemKeyring(opts.LookupEnv)}, now: opts.Now, open: opts.Listen}
	if c.open == nil {
		c.open = net.Listen
	}
	c.http = &http.Client{
		Transport: opts.HTTP,
		Timeout:   requestTime,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch first := via[0]; {
			case first.Method != http.MethodGet || len(via) >= 3:
				return http.ErrUseLastResponse
			case first.URL.Scheme == "https" && req.URL.Scheme != "https", !web(req.URL):
				return errors.New("it redirects to an address that is not safe")
			}
			return nil
		},
	}
	c.background, c.cancel = context.WithCancel(context.Background())
	return c
}

// UseFiles sets where new secrets are stored: in files of the folder (0600), or, by
// default, in the system's keyring if there is one and it accepts them. Secrets
// that were stored before are found in either place.
func (c *Client) UseFiles(yes bool) { c.store.files.Store(yes) }

// Close ends what is under way. A renewal that has reached the authorization server
// gets a moment to finish, since its outcome replaces the old login.
func (c *Client) Close() {
	timer := time.AfterFunc(closingTime, c.cancel)
	c.renewals.End()
	timer.Stop()
	c.cancel()
	c.http.CloseIdleConnections()
}

const (
	requestTime = 30 * time.Second
	closingTime = 3 * time.Second
	maxAnswer   = 1 << 20 // bytes
)

// Server is a server that may require a login, and the configuration of the login.
type Server struct {
	// URL is the server's address.
	URL string
	// Headers are sent with every request.
	Headers map[string]string
	// ClientID and ClientSecret identify a client that was registered by hand.
	ClientID, ClientSecret string
	// Scopes are requested instead of those that the server names.
	Scopes []string
	// Redirect is the redirect address that was registered with ClientID: http, on
	// this machine. Without a port, any free one is used; "" is
	// http://127.0.0.1/callback.
	Redirect string
	// Metadata is the address of the authorization server's metadata, if it cannot
	// be discovered.
	Metadata string
	// Document is the address of a client ID metadata document.
	Document string
}

// key returns the name of the login to a server: of its address and, if there is
// one, of the client that was registered by hand.
func (s Server) key() string {
	sum := sha256.Sum256([]byte(s.URL + "\x00" + s.ClientID))
	return hex.EncodeToString(sum[:16])
}

// address returns the server's address without what may be secret in it.
func (s Server) address() (*url.URL, error) {
	u, err := url.Parse(s.URL)
	if err != nil || !web(u) {
		return nil, &Fault{What: "the url of the server is not valid"}
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}, nil
}

// Session returns the login to a server, whether or not the user is logged in.
func (c *Client) Session(s Server) *Session { return &Session{c: c, server: s, key: s.key()} }

// web reports whether an address is http or https.
func web(u *url.URL) bool { return (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" }

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// trusted parses an address that a server has given. It refuses one that exposes
// secrets to interception, or that reaches services of this machine: it must be
// https, except for the host that is configured with http, and for this machine if
// the server runs on it.
func trusted(what, address string, server *url.URL) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || !web(u) || u.User != nil {
		return nil, fmt.Errorf("%s %s is not a valid address", what, quoted(address))
	}
	if u.Scheme == "http" && !(server.Scheme == "http" && u.Hostname() == server.Hostname()) &&
		!(loopback(u.Hostname()) && loopback(server.Hostname())) {
		return nil, fmt.Errorf("%s %s is not https", what, quoted(u.Scheme+"://"+u.Host))
	}
	u.Fragment = ""
	return u, nil
}

// statusError is a response with an unexpected status.
type statusError struct {
	what   string
	status int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s answered with HTTP status %d %s", e.what, e.status, http.StatusText(e.status))
}

// absent reports whether an error means that the document does not exist.
func (e *statusError) absent() bool {
	return e.status >= 400 && e.status < 500 && e.status != http.StatusTooManyRequests
}

// getJSON fetches a JSON document.
func (c *Client) getJSON(ctx context.Context, what string, u *url.URL, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	status, body, err := c.do(req, what)
	switch {
	case err != nil:
		return err
	case status != http.StatusOK:
		return &statusError{what, status}
	case json.Unmarshal(body, into) != nil:
		return fmt.Errorf("%s (%s) is not valid", what, u.Host)
	}
	return nil
}

// do sends a request and reads the whole response.
func (c *Client) do(req *http.Request, what string) (status int, body []byte, err error) {
	res, err := c.http.Do(req)
	if err != nil {
		return 0, nil, unreachable(what, req.URL, err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, nil, unreachable(what, req.URL, err)
	case len(body) > maxAnswer:
		return 0, nil, fmt.Errorf("%s (%s) answers with more than %d MiB", what, req.URL.Host, maxAnswer>>20)
	}
	return res.StatusCode, bytes.TrimSpace(body), nil
}
