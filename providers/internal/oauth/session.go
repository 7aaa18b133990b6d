package oauth

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Session is the login to one server. Changes that other processes make to the
// login are noticed at once. It is safe for concurrent use.
type Session struct {
	c      *Client
	server Server
	key    string

	mu      sync.Mutex
	version os.FileInfo // of the record in memory
	rec     *record
	sec     *secrets
	flight  *renewal
	seen    []string // all secrets that were ever in memory, for Redact
}

// renewal is a renewal under way.
type renewal struct {
	done  chan struct{}
	token string
	err   error
}

// Status describes a login. It holds no secrets.
type Status struct {
	// LoggedIn reports that there is a login that is not known to have ended.
	LoggedIn bool
	Since    time.Time // of the login
	Issuer   string    // the authorization server
	Scopes   []string  // granted
	// Missing are scopes that the server has asked for since.
	Missing []string
	// Ended says why the login is no longer valid, or is "".
	Ended string
	// Place is "file" or "keyring": where the secrets are.
	Place string
}

// Status reads the status of the login: one small file, no keyring, no network.
func (s *Session) Status() (Status, error) {
	rec, err := s.c.store.load(s.key)
	if err != nil {
		return Status{}, err
	}
	return Status{
		LoggedIn: rec.loggedIn(), Since: rec.Since, Issuer: rec.Issuer,
		Scopes: rec.Scopes, Missing: rec.Wanted, Ended: rec.Ended, Place: rec.Place,
	}, nil
}

// Redact replaces every secret of the login, past ones included, in a text, the
// longest first.
func (s *Session) Redact(text string) string {
	s.mu.Lock()
	seen := slices.Clone(s.seen)
	s.mu.Unlock()
	slices.SortFunc(seen, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, v := range seen {
		text = strings.ReplaceAll(text, v, "***")
	}
	return text
}

// current returns the login as it is stored now. The result must not be changed.
func (s *Session) current() (*record, *secrets, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, err := os.Stat(s.c.store.path(s.key))
	if err == nil && s.version != nil && os.SameFile(version, s.version) && version.ModTime().Equal(s.version.ModTime()) {
		return s.rec, s.sec, nil
	}
	rec, sec, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	// The record is at least as new as the version; if newer, it is read again.
	s.version, s.rec, s.sec = version, rec, sec
	s.rememberLocked(sec.values()...)
	return rec, sec, nil
}

// read reads the stored login.
func (s *Session) read() (*record, *secrets, error) {
	rec, err := s.c.store.load(s.key)
	if err != nil {
		return nil, nil, err
	}
	sec, err := s.c.store.secrets(s.key, rec)
	rec.Secrets = nil
	return rec, sec, err
}

// minSecret is the length in bytes of the shortest value that is redacted: shorter
// ones would hide ordinary words.
const minSecret = 6

// rememberLocked records secrets for Redact. The caller holds mu.
func (s *Session) rememberLocked(values ...string) {
	for _, v := range values {
		if len(v) >= minSecret && !slices.Contains(s.seen, v) {
			s.seen = append(s.seen, v)
		}
	}
}

// remember records secrets for Redact.
func (s *Session) remember(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rememberLocked(values...)
}

// token returns the access token to send, or "" if there is no login. One that has
// expired, or is about to, is renewed first.
func (s *Session) token(ctx context.Context) (string, error) {
	_, sec, err := s.current()
	if err != nil {
		return "", err
	}
	now := s.c.now()
	switch {
	case sec.Access != "" && !sec.stale(now):
		return sec.Access, nil
	case sec.Refresh == "" && sec.expired(now):
		return "", nil // the server will say what it needs
	case sec.Refresh == "":
		return sec.Access, nil
	}
	token, err := s.renew(ctx, sec.Access)
	if needed := (*Needed)(nil); err != nil && !errors.As(err, &needed) && sec.Access != "" && !sec.expired(now) {
		return sec.Access, nil // it is still valid for a while
	}
	return token, err
}

// renew replaces an access token that is no longer valid. For any number of
// callers, in this process and others, the authorization server is asked once. The
// renewal goes on after its callers have given up, since it ends the old login.
func (s *Session) renew(ctx context.Context, bad string) (string, error) {
	s.mu.Lock()
	f := s.flight
	if f == nil {
		f = &renewal{done: make(chan struct{})}
		begun := s.c.renewals.Go(func() {
			f.token, f.err = s.refresh(bad)
			s.mu.Lock()
			s.flight = nil
			s.mu.Unlock()
			close(f.done)
		})
		if !begun {
			s.mu.Unlock()
			return "", context.Canceled
		}
		s.flight = f
	}
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// refresh renews the login, unless another process has done so meanwhile.
func (s *Session) refresh(bad string) (string, error) {
	ctx, cancel := context.WithTimeout(s.c.background, 2*requestTime)
	defer cancel()
	unlock, err := s.c.store.lock(ctx, s.key)
	if err != nil {
		return "", err
	}
	defer unlock()
	rec, sec, err := s.read()
	if err != nil {
		return "", err
	}
	if sec.Access != "" && sec.Access != bad && !sec.expired(s.c.now()) {
		return sec.Access, nil
	}
	if sec.Refresh == "" {
		return "", s.ended(rec)
	}
	s.remember(sec.values()...)
	g, err := s.c.requestToken(ctx, rec, sec, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {sec.Refresh}})
	refused := (*refusal)(nil)
	switch {
	case errors.As(err, &refused) && refused.final():
		rec.Ended = "the authorization server has ended the login: " + s.Redact(refused.Error())
		left := &secrets{ClientSecret: sec.ClientSecret}
		if refused.Code != "invalid_grant" { // it has forgotten the client
			rec.Client, left = registration{}, &secrets{}
		}
		if err := s.c.store.save(s.key, rec, left); err != nil {
			return "", err
		}
		return "", s.ended(rec)
	case err != nil:
		return "", &redacted{"the login cannot be renewed now: " + s.Redact(err.Error()), err}
	}
	g.take(rec, sec, s.c.now())
	s.remember(sec.values()...)
	if err := s.c.store.save(s.key, rec, sec); err != nil {
		return "", err
	}
	return sec.Access, nil
}

// ended returns the error for a login that has ended.
func (s *Session) ended(rec *record) *Needed {
	return &Needed{Reason: cmp.Or(rec.Ended, "the login has expired or was revoked"), Certain: true}
}

// want records scopes that a server requires besides those that were granted.
func (s *Session) want(ctx context.Context, scopes []string) error {
	rec, _, err := s.current()
	if err != nil || !slices.ContainsFunc(scopes, func(w string) bool { return !slices.Contains(rec.Wanted, w) }) {
		return err
	}
	unlock, err := s.c.store.lock(ctx, s.key)
	if err != nil {
		return err
	}
	defer unlock()
	rec, sec, err := s.read()
	if err != nil {
		return err
	}
	rec.Wanted = union(rec.Wanted, scopes)
	return s.c.store.save(s.key, rec, sec)
}
