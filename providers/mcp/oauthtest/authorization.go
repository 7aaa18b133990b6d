package oauthtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

func (s *Server) serveAuth(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.faults
	s.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		if !f.OpenID {
			s.writeMetadata(w, s.Issuer)
			return
		}
	case "/.well-known/openid-configuration":
		if f.OpenID {
			s.writeMetadata(w, s.Issuer)
			return
		}
	case "/register":
		s.register(w, r)
		return
	case "/authorize":
		s.authorize(w, r)
		return
	case "/token":
		s.mu.Lock()
		block, arrived := s.block, s.arrived
		s.mu.Unlock()
		if block != nil {
			arrived <- struct{}{}
			<-block
		}
		s.token(w, r)
		return
	case "/revoke":
		s.revoke(w, r)
		return
	}
	http.NotFound(w, r)
}

func (s *Server) writeMetadata(w http.ResponseWriter, issuer string) {
	s.mu.Lock()
	f := s.faults
	s.mu.Unlock()
	m := map[string]any{
		"issuer":                                issuer,
		"authorization_endpoint":                s.Issuer + "/authorize?tenant=1",
		"token_endpoint":                        s.Issuer + "/token",
		"response_types_supported":              []string{"code"},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"},
		"client_id_metadata_document_supported": true,
	}
	if f.WrongIssuer {
		m["issuer"] = "https://elsewhere.invalid"
	}
	if !f.NoRegistration {
		m["registration_endpoint"] = s.Issuer + "/register"
	}
	if !f.NoRevocation {
		m["revocation_endpoint"] = s.Issuer + "/revoke"
	}
	if f.NoPKCE {
		delete(m, "code_challenge_methods_supported")
	}
	if !f.NoIss {
		m["authorization_response_iss_parameter_supported"] = true
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(m)
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m struct {
		Redirects []string `json:"redirect_uris"`
		Kind      string   `json:"application_type"`
		Method    string   `json:"token_endpoint_auth_method"`
		Grants    []string `json:"grant_types"`
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil || len(m.Redirects) != 1 || m.Kind != "native" || !slices.Contains(m.Grants, "refresh_token") {
		refuse(w, http.StatusBadRequest, "invalid_client_metadata", "")
		return
	}
	s.counts.Registrations++
	id := fmt.Sprintf("client-%d", len(s.clients)+1)
	s.clients[id] = client{redirects: m.Redirects}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{"client_id": id, "token_endpoint_auth_method": m.Method})
}

// authorize is the page where users log in. This one allows everything.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	s.params = q
	c, known := s.clients[q.Get("client_id")]
	if strings.HasPrefix(q.Get("client_id"), "https://") { // a document
		known, c.redirects = true, []string{q.Get("redirect_uri")}
	}
	back, err := url.Parse(q.Get("redirect_uri"))
	if !known || err != nil || !slices.Contains(c.redirects, q.Get("redirect_uri")) {
		http.Error(w, "This client is not known.", http.StatusBadRequest)
		return
	}
	a := url.Values{"state": {q.Get("state")}}
	switch {
	case s.faults.Deny:
		a.Set("error", "access_denied")
		a.Set("error_description", "The user\x1b[31m said no")
	case q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" ||
		q.Get("tenant") != "1" || q.Get("state") == "" || q.Get("resource") != s.resource():
		a.Set("error", "invalid_request")
	default:
		code := s.secret("code")
		s.codes[code] = q
		a.Set("code", code)
	}
	if !s.faults.NoIss {
		a.Set("iss", s.Issuer)
		if s.faults.NoMetadata {
			a.Set("iss", s.origin)
		}
	}
	if s.faults.WrongIss {
		a.Set("iss", "https://elsewhere.invalid")
	}
	if s.faults.WrongState {
		a.Set("state", "another")
	}
	back.RawQuery = a.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// prove finds out which client it is.
func (s *Server) prove(r *http.Request) (id string, ok bool) {
	id, secret, basic := r.BasicAuth()
	if basic {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	c, ok := s.clients[id]
	return id, ok && c.secret == secret || strings.HasPrefix(id, "https://")
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = r.ParseForm()
	form := r.PostForm
	description := ""
	if s.faults.Echo {
		description = "you sent " + form.Encode()
	}
	id, known := s.prove(r)
	grantType := form.Get("grant_type")
	if grantType == "refresh_token" {
		s.counts.Refreshes++
	}
	var g grant
	switch {
	case s.faults.Down:
		refuse(w, http.StatusServiceUnavailable, "invalid_grant", description)
		return
	case !known:
		refuse(w, http.StatusUnauthorized, "invalid_client", description)
		return
	case grantType == "authorization_code":
		q, ok := s.codes[form.Get("code")]
		delete(s.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if !ok || q.Get("client_id") != id || q.Get("redirect_uri") != form.Get("redirect_uri") ||
			q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || q.Get("resource") != form.Get("resource") ||
			len(form.Get("code_verifier")) < 43 {
			refuse(w, http.StatusBadRequest, "invalid_grant", description)
			return
		}
		s.counts.Logins++
		g = grant{id, q.Get("scope"), q.Get("resource")}
	case grantType == "refresh_token":
		var ok bool
		g, ok = s.refresh[form.Get("refresh_token")]
		if !ok || g.client != id || g.resource != form.Get("resource") {
			refuse(w, http.StatusBadRequest, "invalid_grant", description)
			return
		}
		delete(s.refresh, form.Get("refresh_token")) // each is good once
	default:
		refuse(w, http.StatusBadRequest, "unsupported_grant_type", "")
		return
	}
	lifetime := s.faults.Lifetime
	if lifetime == 0 {
		lifetime = 3600
	}
	answer := map[string]any{"access_token": s.secret("access"), "token_type": "bearer", "expires_in": lifetime, "scope": g.scope}
	s.access[answer["access_token"].(string)] = g
	if !s.faults.NoRefresh {
		answer["refresh_token"] = s.secret("refresh")
		s.refresh[answer["refresh_token"].(string)] = g
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = r.ParseForm()
	if _, known := s.prove(r); !known {
		refuse(w, http.StatusUnauthorized, "invalid_client", "")
		return
	}
	s.counts.Revocations++
	delete(s.access, r.PostForm.Get("token"))
	delete(s.refresh, r.PostForm.Get("token"))
}

func refuse(w http.ResponseWriter, status int, code, description string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": description})
}
