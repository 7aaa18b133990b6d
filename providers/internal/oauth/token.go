package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// grant is the response of a token endpoint, RFC 6749 section 5.1.
type grant struct {
	Access  string      `json:"access_token"`
	Type    string      `json:"token_type"`
	Seconds json.Number `json:"expires_in"`
	Refresh string      `json:"refresh_token"`
	Scope   *string     `json:"scope"`
}

// requestToken sends a request to the token endpoint of a record. An error response
// is a *refusal; any other error means that it does not work now.
func (c *Client) requestToken(ctx context.Context, rec *record, sec *secrets, form url.Values) (*grant, error) {
	const what = "the token endpoint"
	if rec.Audience != "" {
		form.Set("resource", rec.Audience)
	}
	status, body, err := c.postForm(ctx, what, rec.Token, rec.Client, sec.ClientSecret, form)
	if err != nil {
		return nil, err
	}
	var refused refusal
	switch err := json.Unmarshal(body, &refused); {
	case status >= 500 || status == http.StatusTooManyRequests:
		return nil, &statusError{what, status}
	case err == nil && refused.Code != "": // some send it with status 200
		return nil, &refused
	case status != http.StatusOK:
		return nil, &statusError{what, status}
	}
	var g grant
	if err := json.Unmarshal(body, &g); err != nil || g.Access == "" {
		return nil, errors.New("the answer of the token endpoint is not valid")
	}
	if g.Type != "" && !strings.EqualFold(g.Type, "Bearer") {
		return nil, fmt.Errorf("the token endpoint returns tokens of an unknown type, %s", quoted(g.Type))
	}
	if strings.ContainsFunc(g.Access, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, errors.New("the token endpoint returns tokens that cannot be sent")
	}
	return &g, nil
}

// take stores a grant in a record.
func (g *grant) take(rec *record, sec *secrets, now time.Time) {
	sec.Access, sec.Obtained, sec.Expires = g.Access, now.UTC(), time.Time{}
	if seconds, err := g.Seconds.Float64(); err == nil && seconds > 0 {
		sec.Expires = sec.Obtained.Add(time.Duration(min(seconds, 1e9) * float64(time.Second)))
	}
	if g.Refresh != "" { // else the old one stays valid
		sec.Refresh = g.Refresh
	}
	if g.Scope != nil && *g.Scope != "" {
		rec.Scopes = words(*g.Scope)
	}
}

// postForm sends a form as an authenticated client.
func (c *Client) postForm(ctx context.Context, what, endpoint string, reg registration, secret string, form url.Values) (int, []byte, error) {
	if reg.Method != "client_secret_basic" {
		form.Set("client_id", reg.ID)
	}
	if reg.Method == "client_secret_post" {
		form.Set("client_secret", secret)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, fmt.Errorf("the address of %s is not valid", what)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if reg.Method == "client_secret_basic" {
		req.SetBasicAuth(url.QueryEscape(reg.ID), url.QueryEscape(secret))
	}
	return c.do(req, what)
}

// ForgetAll deletes all logins that are stored in a folder, with what the system's keyring
// has of them. No client may use the folder meanwhile.
func ForgetAll(dir string, lookupEnv func(string) (string, bool)) error {
	s := &store{dir: dir, ring: systemKeyring(lookupEnv)}
	records, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	var failed []error
	for _, path := range records {
		key := strings.TrimSuffix(filepath.Base(path), ".json")
		rec, err := s.load(key)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if rec.Place == inKeyring && s.ring == nil {
			failed = append(failed, fmt.Errorf("the system keyring has a login %q of the service %q that cannot be reached from here: delete it there", key, keyringService))
		}
		failed = append(failed, s.remove(key, rec))
	}
	return errors.Join(failed...)
}
