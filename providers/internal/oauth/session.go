package oauth

import (
	"context"
	"errors"
	"net/url"
	"os"
	"slices"
	"sync"
	"time"
)

// Session is the login of one server, as long as this process deals with it.
// It notices at once what other processes do with the login.
type Session struct {
	c      *Client
	server Server
	key    string

	mu      sync.Mutex
	version os.FileInfo // of the record that is held
	rec     *record
	sec     *secrets
	flight  *flight
	seen    []string // secrets that were ever held
}

// flight is a renewal that is under way.
type flight struct {
	done  chan struct{}
	token string
	err   error
}

// Status is how a login is. It holds no secrets.
type Status struct {
	// LoggedIn tells that there is a login that was not found to have ended.
	LoggedIn bool
	Since    time.Time // of the login
	Issuer   string    // the authorization server
	Scopes   []string  // granted
	// Missing are scopes that the server has asked for since.
	Missing []string
	// Ended says why the login is not good any more.
	Ended string
	// Place is "file" or "keyring": where the secrets are.
	Place string
}

// Status reads how the login is: one small file, no keyring, no network.
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

// Redact replaces in a text every secret of the login that was ever held.
func (s *Session) Redact(text string) string {
	s.mu.Lock()
	seen := slices.Clone(s.seen)
	s.mu.Unlock()
	return redact(text, seen)
}

// current is the login as it is stored now. What it returns is not written to.
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
	// What was read is as new as the version, or newer: then it is read again.
	s.version, s.rec, s.sec = version, rec, sec
	s.hold(sec.values()...)
	return rec, sec, nil
}

// read reads the login from where it is stored.
func (s *Session) read() (*record, *secrets, error) {
	rec, err := s.c.store.load(s.key)
	if err != nil {
		return nil, nil, err
	}
	sec, err := s.c.store.secrets(s.key, rec)
	rec.Secrets = nil
	return rec, sec, err
}

// minSecret is the length in bytes of the shortest value that is redacted:
// shorter ones would blot out ordinary words.
const minSecret = 6

// hold remembers secrets, for Redact. The lock is held.
func (s *Session) hold(values ...string) {
	for _, v := range values {
		if len(v) >= minSecret && !slices.Contains(s.seen, v) {
			s.seen = append(s.seen, v)
		}
	}
}

// keep is hold for who does not hold the lock.
func (s *Session) keep(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold(values...)
}

// token is an access token to send, "" if there is no login. One that has
// expired, or is about to, is renewed.
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
		return "", nil // the server says what it wants
	case sec.Refresh == "":
		return sec.Access, nil
	}
	token, err := s.renew(ctx, sec.Access)
	if needed := (*Needed)(nil); err != nil && !errors.As(err, &needed) && sec.Access != "" && !sec.expired(now) {
		return sec.Access, nil // it is good for a while yet
	}
	return token, err
}

// renew replaces an access token that is not good any more. However many ask
// for that, here and in other processes, the authorization server is asked
// once; and it is, even if who asked is gone: its answer ends the old login.
func (s *Session) renew(ctx context.Context, bad string) (string, error) {
	s.mu.Lock()
	f := s.flight
	if f == nil {
		f = &flight{done: make(chan struct{})}
		s.flight = f
		s.c.running.Go(func() {
			f.token, f.err = s.refresh(bad)
			s.mu.Lock()
			s.flight = nil
			s.mu.Unlock()
			close(f.done)
		})
	}
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// refresh renews the login, unless somebody has done so meanwhile.
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
		return "", s.gone(rec)
	}
	s.keep(sec.values()...)
	g, err := s.c.requestToken(ctx, rec, sec, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {sec.Refresh}})
	refused := (*refusal)(nil)
	switch {
	case errors.As(err, &refused) && refused.final():
		rec.Ended = "the authorization server has ended the login: " + s.Redact(refused.Error())
		left := &secrets{ClientSecret: sec.ClientSecret}
		if refused.Code != "invalid_grant" { // it does not know us any more
			rec.Client, left = registration{}, &secrets{}
		}
		if err := s.c.store.save(s.key, rec, left); err != nil {
			return "", err
		}
		return "", s.gone(rec)
	case err != nil:
		return "", &redacted{"the login cannot be renewed now: " + s.Redact(err.Error()), err}
	}
	g.take(rec, sec, s.c.now())
	s.keep(sec.values()...)
	if err := s.c.store.save(s.key, rec, sec); err != nil {
		return "", err
	}
	return sec.Access, nil
}

// gone is the error for a login that has ended.
func (s *Session) gone(rec *record) *Needed {
	reason := rec.Ended
	if reason == "" {
		reason = "the login has expired or was revoked"
	}
	return &Needed{Reason: reason, Certain: true}
}

// want notes scopes that a server wants besides those that were granted.
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
