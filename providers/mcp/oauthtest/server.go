// Package oauthtest is an MCP server that requires logins, with its
// authorization server, for tests. It is strict where clients tend to be
// careless, and misbehaves on demand.
package oauthtest

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Faults are what the servers do wrong, or differently.
type Faults struct {
	Lifetime       int    // of access tokens, in seconds; 0 is an hour
	NoRefresh      bool   // there are no refresh tokens
	Down           bool   // the token endpoint answers 503
	WrongIssuer    bool   // the metadata names another issuer
	WrongIss       bool   // the browser comes back with the iss of another one
	NoIss          bool   // the browser comes back without iss
	WrongState     bool   // the browser comes back with another state, once
	Deny           bool   // the user does not allow it
	Origin         bool   // the metadata names the origin as the resource
	OtherResource  bool   // the metadata is that of another resource
	RootMetadata   bool   // the metadata is at the root only, and no challenge names it
	NoMetadata     bool   // of the resource; it is its own authorization server
	NoChallenge    bool   // 401 without WWW-Authenticate
	NoRegistration bool   // of clients
	NoRevocation   bool   // of tokens
	NoPKCE         bool   // the metadata does not tell of it
	DeadFirst      bool   // another authorization server is named first, which does not exist
	OpenID         bool   // metadata in the place of OpenID Connect alone
	StreamOnly     bool   // the MCP server takes no POST
	Scope          string // the MCP server wants it
	Echo           bool   // errors repeat what was sent
}

// Server is the pair of servers.
type Server struct {
	// URL is the address of the MCP server, Issuer that of its authorization
	// server.
	URL, Issuer string

	origin string // of the MCP server

	mu      sync.Mutex
	faults  Faults
	clients map[string]client
	codes   map[string]url.Values // the requests for which they were given
	access  map[string]grant
	refresh map[string]grant
	secrets []string
	counts  Counts
	refused sync.Cond     // one more request was refused
	block   chan struct{} // the token endpoint waits for it
	arrived chan struct{} // and reports here that a request has arrived
	params  url.Values
}

type client struct {
	secret    string
	redirects []string
}

type grant struct {
	client, scope, resource string
}

// Counts tell how often something was asked for.
type Counts struct{ Logins, Refreshes, Registrations, Revocations, Refused int }

// New starts the servers. They end with the test.
func New(t testing.TB) *Server {
	return NewOver(func(h http.Handler) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	})
}

// NewOver starts the servers by a function that serves, and returns the address.
func NewOver(serve func(http.Handler) string) *Server {
	s := &Server{
		clients: map[string]client{}, codes: map[string]url.Values{},
		access: map[string]grant{}, refresh: map[string]grant{},
	}
	s.refused.L = &s.mu
	s.Issuer = serve(http.HandlerFunc(s.serveAuth))
	s.origin = serve(http.HandlerFunc(s.serveMCP))
	s.URL = s.origin + "/mcp"
	return s
}

// Set changes what goes wrong.
func (s *Server) Set(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// Counts are the present counts.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Params are those of the last request for authorization.
func (s *Server) Params() url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.params
}

// Secrets are all that were ever given out.
func (s *Server) Secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.secrets)
}

// AddClient registers a client by hand.
func (s *Server) AddClient(id, secret string, redirects ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients[id] = client{secret, redirects}
}

// ForgetClients makes all registrations void.
func (s *Server) ForgetClients() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.clients)
}

// RevokeAccess makes all access tokens void.
func (s *Server) RevokeAccess() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
}

// RevokeRefresh makes all refresh tokens void.
func (s *Server) RevokeRefresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.refresh)
}

// AwaitRefused waits until so many calls were refused for their token.
func (s *Server) AwaitRefused(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.counts.Refused < n {
		s.refused.Wait()
	}
}

// Hold makes requests to the token endpoint wait until release is called. Arrived
// gets a value for each.
func (s *Server) Hold() (arrived <-chan struct{}, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block, s.arrived = make(chan struct{}), make(chan struct{}, 100)
	block := s.block
	return s.arrived, func() {
		s.mu.Lock()
		s.block = nil
		s.mu.Unlock()
		close(block)
	}
}

// secret makes a token. The lock is held.
func (s *Server) secret(kind string) string {
	text := kind + "-" + rand.Text()
	s.secrets = append(s.secrets, text)
	return text
}

func (s *Server) resource() string {
	switch {
	case s.faults.Origin:
		return s.origin
	case s.faults.OtherResource:
		return "https://elsewhere.invalid/mcp"
	}
	return s.URL
}

// serveMCP is the MCP server, of the old era and without sessions.
func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.faults
	g, known := s.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	metadata := ""
	switch {
	case f.NoMetadata || f.RootMetadata && r.URL.Path != "/.well-known/oauth-protected-resource":
	case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource"):
		issuers := []string{s.Issuer}
		if f.DeadFirst {
			issuers = []string{s.Issuer + "/nobody-here", s.Issuer}
		}
		body, _ := json.Marshal(map[string]any{"resource": s.resource(), "authorization_servers": issuers, "scopes_supported": []string{"tools"}})
		metadata = string(body)
	}
	refused := !known
	if refused && r.URL.Path == "/mcp" && r.Header.Get("Authorization") != "" {
		s.counts.Refused++
		s.refused.Broadcast()
	}
	s.mu.Unlock()
	switch {
	case metadata != "":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, metadata)
		return
	case f.NoMetadata && strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server"):
		s.writeMetadata(w, s.origin)
		return
	case r.URL.Path != "/mcp":
		http.NotFound(w, r)
		return
	}
	if f.StreamOnly && r.Method == http.MethodPost {
		http.Error(w, "no requests here", http.StatusMethodNotAllowed)
		return
	}
	body := ""
	if f.Echo {
		body = "not with " + r.Header.Get("Authorization")
	}
	challenge := `Basic realm="a, b", Bearer realm="mcp"`
	if !f.RootMetadata && !f.NoMetadata {
		challenge += fmt.Sprintf(`, resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, s.origin)
	}
	switch {
	case refused:
		if f.Scope != "" {
			challenge += `, scope="` + f.Scope + `"`
		}
		if !f.NoChallenge {
			w.Header().Set("WWW-Authenticate", challenge)
		}
		http.Error(w, body, http.StatusUnauthorized)
	case f.Scope != "" && !slices.Contains(strings.Fields(g.scope), f.Scope):
		w.Header().Set("WWW-Authenticate", challenge+`, error="insufficient_scope", scope="`+f.Scope+`"`)
		http.Error(w, body, http.StatusForbidden)
	case g.resource != s.URL && g.resource != s.origin:
		http.Error(w, "a token for "+g.resource, http.StatusUnauthorized)
	default:
		answerMCP(w, r)
	}
}

// answerMCP answers a message.
func answerMCP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "no stream here", http.StatusMethodNotAllowed)
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil {
		http.Error(w, "bad", http.StatusBadRequest)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer := `"error":{"code":-32601,"message":"method not found"}`
	switch m.Method {
	case "initialize":
		answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"guarded","version":"1"}}`
	case "tools/list":
		answer = `"result":{"tools":[{"name":"whoami","description":"Says who you are.","inputSchema":{"type":"object"}}]}`
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
}
