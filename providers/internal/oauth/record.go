package oauth

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// record is what is kept of a server, its secrets apart.
type record struct {
	// Of the login. Its credentials are good for this issuer and this audience
	// alone.
	Issuer     string       `json:"issuer,omitempty"`
	Audience   string       `json:"audience,omitempty"` // the resource indicator
	Token      string       `json:"token_endpoint,omitempty"`
	Revocation string       `json:"revocation_endpoint,omitempty"`
	Client     registration `json:"client,omitzero"`
	Scopes     []string     `json:"scopes,omitempty"` // granted
	Since      time.Time    `json:"since,omitzero"`   // of the login
	Ended      string       `json:"ended,omitempty"`  // why it is not good any more
	Wanted     []string     `json:"wanted,omitempty"` // scopes that were missing

	// Place is where the secrets are: "file" for this one, or "keyring".
	Place   string   `json:"place,omitempty"`
	Secrets *secrets `json:"secrets,omitempty"`
}

// registration is what an authorization server knows us as.
type registration struct {
	ID       string    `json:"client_id,omitempty"`
	Method   string    `json:"method,omitempty"` // how the client proves who it is
	Redirect string    `json:"redirect_uri,omitempty"`
	Dynamic  bool      `json:"dynamic,omitempty"` // made by us, RFC 7591
	Expires  time.Time `json:"expires,omitzero"`  // of its secret
}

// secrets are the part of a record that belongs into a keyring.
type secrets struct {
	Access       string    `json:"access_token,omitempty"`
	Refresh      string    `json:"refresh_token,omitempty"`
	ClientSecret string    `json:"client_secret,omitempty"`
	Obtained     time.Time `json:"obtained,omitzero"` // the access token
	Expires      time.Time `json:"expires,omitzero"`  // zero: not told
}

// expired tells whether the access token is not good any more.
func (s *secrets) expired(now time.Time) bool { return !s.Expires.IsZero() && !now.Before(s.Expires) }

// stale tells whether it is time to renew the access token: a bit before it
// expires, so that no request travels with one that ends on the way.
func (s *secrets) stale(now time.Time) bool {
	margin := min(time.Minute, s.Expires.Sub(s.Obtained)/10)
	return !s.Expires.IsZero() && !now.Add(margin).Before(s.Expires)
}

// loggedIn tells whether there is a login that was not found to have ended.
func (r *record) loggedIn() bool { return !r.Since.IsZero() && r.Ended == "" }

// values are the texts that must not be shown.
func (s *secrets) values() []string {
	return slices.DeleteFunc([]string{s.Access, s.Refresh, s.ClientSecret}, func(v string) bool { return v == "" })
}

// union puts lists of scopes together, each once, in their order.
func union(lists ...[]string) (all []string) {
	for _, list := range lists {
		for _, scope := range list {
			if !slices.Contains(all, scope) {
				all = append(all, scope)
			}
		}
	}
	return all
}

// redact replaces secrets in a text, the longest first.
func redact(text string, values []string) string {
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, v := range values {
		text = strings.ReplaceAll(text, v, "***")
	}
	return text
}
