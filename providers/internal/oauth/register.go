package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// clientName is the name of the client that the user sees when logging in.
const clientName = "ctxfs"

// identify returns the client to log in as. In this order: one that was registered
// by hand, the configured client ID metadata document, a dynamic registration.
func (s *Session) identify(ctx context.Context, at *authority, redirect string) (registration, string, error) {
	switch {
	case s.server.ClientID != "":
		reg := registration{ID: s.server.ClientID, Redirect: redirect, Method: "none"}
		if s.server.ClientSecret != "" {
			reg.Method = at.method("client_secret_basic", "client_secret_post")
		}
		return reg, s.server.ClientSecret, nil
	case s.server.Document != "" && at.Documents:
		return registration{ID: s.server.Document, Redirect: redirect, Method: "none"}, "", nil
	case at.Registration != "":
		return s.register(ctx, at, redirect)
	}
	mend := "register a client there by hand and put its client id into the entry"
	if at.Documents {
		mend += ", or set `client_id_document` in [mcp] of config.toml"
	}
	return registration{}, "", &Fault{
		What: "the authorization server " + quoted(at.Issuer) + " registers no clients by itself", Mend: mend,
	}
}

// method returns the first of the authentication methods that the authorization
// server supports; the first of all if it does not say, or supports none.
func (m *issuerMetadata) method(methods ...string) string {
	for _, method := range methods {
		if slices.Contains(m.TokenMethods, method) {
			return method
		}
	}
	return methods[0]
}

// register registers a client, RFC 7591.
func (s *Session) register(ctx context.Context, at *authority, redirect string) (reg registration, secret string, err error) {
	body, _ := json.Marshal(map[string]any{ // of our own types
		"client_name":                clientName,
		"redirect_uris":              []string{redirect},
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
		"token_endpoint_auth_method": at.method("none", "client_secret_basic", "client_secret_post"),
		"application_type":           "native",
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.Registration, bytes.NewReader(body))
	if err != nil {
		return reg, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	const what = "the registration of clients"
	status, answer, err := s.c.do(req, what)
	if err != nil {
		return reg, "", err
	}
	var got struct {
		refusal
		ID      string `json:"client_id"`
		Secret  string `json:"client_secret"`
		Method  string `json:"token_endpoint_auth_method"`
		Expires int64  `json:"client_secret_expires_at"` // seconds since 1970, 0: never
	}
	valid := json.Unmarshal(answer, &got) == nil
	switch {
	case valid && got.Code != "" && status < 500:
		return reg, "", &Fault{
			What: fmt.Sprintf("the authorization server %s does not register us: %v", quoted(at.Issuer), &got.refusal),
			Mend: "register a client there by hand and put its client id into the entry",
		}
	case status != http.StatusOK && status != http.StatusCreated:
		return reg, "", &statusError{what, status}
	case !valid || got.ID == "":
		return reg, "", fmt.Errorf("the answer of %s is not valid", what)
	}
	reg = registration{ID: got.ID, Method: got.Method, Redirect: redirect, Dynamic: true}
	if reg.Method == "" {
		reg.Method = "none"
		if got.Secret != "" {
			reg.Method = at.method("client_secret_basic", "client_secret_post")
		}
	}
	if got.Expires > 0 {
		reg.Expires = time.Unix(got.Expires, 0).UTC()
	}
	return reg, got.Secret, nil
}
