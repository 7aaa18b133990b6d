package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
)

// Prompt is how a login communicates with the user.
type Prompt struct {
	// Show shows the user the address for logging in.
	Show func(address string)
	// Note reports something that does not end the login; it may be nil.
	Note func(text string)
}

// Login lets the user log in: it shows an address, and waits on a port of this
// machine until the browser returns or ctx ends. An existing login is replaced only
// if the new one succeeds. Errors that the user can fix are [*Fault].
func (s *Session) Login(ctx context.Context, p Prompt) (Status, error) {
	if p.Note == nil {
		p.Note = func(string) {}
	}
	err := s.login(ctx, p)
	if err != nil {
		if f := (*Fault)(nil); errors.As(err, &f) {
			return Status{}, &Fault{What: s.Redact(f.What), Mend: f.Mend}
		}
		return Status{}, &redacted{s.Redact(err.Error()), err}
	}
	return s.Status()
}

func (s *Session) login(ctx context.Context, p Prompt) error {
	before, sec, err := s.read()
	if err != nil { // a damaged login does not prevent a new one
		before, sec = new(record), new(secrets)
	}
	s.remember(sec.values()...)
	at, err := s.discover(ctx, before.Issuer)
	if err != nil {
		return err
	}
	rec := &record{
		Issuer: at.Issuer, Audience: at.audience, Token: at.Token, Revocation: at.Revocation,
		Since: s.c.now().UTC(),
	}
	secret := ""
	back, err := s.returning(before, at)
	if err != nil {
		return err
	}
	reused := back != nil
	if reused {
		rec.Client, secret = before.Client, sec.ClientSecret
	} else if back, err = s.c.listen(s.server.Redirect); err != nil {
		return err
	}
	defer back.close()
	if !reused {
		if rec.Client, secret, err = s.identify(ctx, at, back.address); err != nil {
			return err
		}
	}
	s.remember(secret)
	code, verifier, err := s.authorize(ctx, at, rec, back, p, s.scopes(before, at))
	if err == nil {
		err = s.redeem(ctx, rec, secret, code, verifier)
	} else if reused && ctx.Err() != nil {
		// The page may have said that the client is unknown, without redirecting
		// the browser: the next login registers again.
		s.forgetClient()
	}
	if err != nil {
		back.writeOutcome(errors.New(s.Redact(err.Error())))
		return err
	}
	back.writeOutcome(nil)
	return nil
}

// returning listens on the port of the client that an earlier login registered. It
// returns nil if no such client is to be used or its port is in use.
func (s *Session) returning(before *record, at *authority) (*callback, error) {
	c := before.Client
	if !c.Dynamic || s.server.ClientID != "" || s.server.Document != "" && at.Documents ||
		!sameIssuer(before.Issuer, at.Issuer) || !c.Expires.IsZero() && !s.c.now().Before(c.Expires) ||
		s.server.Redirect != "" && s.server.Redirect != c.Redirect {
		return nil, nil
	}
	back, err := s.c.listen(c.Redirect)
	if err != nil && s.server.Redirect == "" {
		return nil, nil // register for another port
	}
	return back, err
}

// scopes returns the scopes to request: those that are configured or that the
// server names, those that were missing since, and the one for renewals.
func (s *Session) scopes(before *record, at *authority) []string {
	scopes := at.scopes
	if len(s.server.Scopes) > 0 {
		scopes = s.server.Scopes
	}
	if len(before.Wanted) > 0 {
		scopes = union(scopes, before.Scopes, before.Wanted)
	}
	if len(scopes) > 0 && slices.Contains(at.Scopes, offline) {
		scopes = union(scopes, []string{offline})
	}
	return scopes
}

// offline is the scope of OpenID Connect for refresh tokens.
const offline = "offline_access"

// authorize shows the address of the authorization server, and waits for the code
// that the browser returns with.
func (s *Session) authorize(ctx context.Context, at *authority, rec *record, back *callback, p Prompt, scopes []string) (code, verifier string, err error) {
	verifier, state := rand.Text()+rand.Text(), rand.Text()
	s.remember(verifier, state)
	u, err := url.Parse(at.Authorization)
	if err != nil {
		return "", "", err
	}
	challenge := sha256.Sum256([]byte(verifier))
	q := u.Query()
	for name, value := range map[string]string{
		"response_type":         "code",
		"client_id":             rec.Client.ID,
		"redirect_uri":          back.address,
		"state":                 state,
		"code_challenge":        base64.RawURLEncoding.EncodeToString(challenge[:]),
		"code_challenge_method": "S256",
		"resource":              rec.Audience,
	} {
		q.Set(name, value)
	}
	if len(scopes) > 0 {
		q.Set("scope", strings.Join(scopes, " "))
		rec.Scopes = scopes // unless the response says otherwise
		if slices.Contains(scopes, offline) {
			q.Set("prompt", "consent") // required for this scope
		}
	}
	u.RawQuery = q.Encode()
	back.serve(state, p.Note)
	p.Show(u.String())
	var answer url.Values
	select {
	case answer = <-back.answers:
	case <-ctx.Done():
		return "", "", ctx.Err()
	}
	iss := answer.Get("iss")
	switch {
	case iss != "" && !sameIssuer(iss, at.Issuer):
		return "", "", fmt.Errorf("the answer is from another authorization server, %s, and not from %s", quoted(iss), quoted(at.Issuer))
	case iss == "" && at.NamesIssuer:
		return "", "", errors.New("the answer does not say from which authorization server it is, though it should")
	}
	if refused := (&refusal{Code: answer.Get("error"), Description: answer.Get("error_description")}); refused.Code != "" {
		if refused.Code == "access_denied" {
			return "", "", &Fault{What: "the login was denied: " + refused.Error(), Mend: "run the command again to allow it"}
		}
		return "", "", fmt.Errorf("the authorization server refuses the login: %w", refused)
	}
	if code = answer.Get("code"); code == "" {
		return "", "", errors.New("the answer of the authorization server has neither a code nor an error")
	}
	s.remember(code)
	return code, verifier, nil
}

// redeem exchanges the code for tokens and stores the login.
func (s *Session) redeem(ctx context.Context, rec *record, secret, code, verifier string) error {
	sec := &secrets{ClientSecret: secret}
	g, err := s.c.requestToken(ctx, rec, sec, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {code},
		"redirect_uri":  {rec.Client.Redirect},
		"code_verifier": {verifier},
	})
	if err != nil {
		refused := (*refusal)(nil)
		if errors.As(err, &refused) && refused.Code == "invalid_client" {
			s.forgetClient()
		}
		return fmt.Errorf("the login could not be completed: %w", err)
	}
	g.take(rec, sec, s.c.now())
	s.remember(sec.values()...)
	unlock, err := s.c.store.lock(ctx, s.key)
	if err != nil {
		return err
	}
	defer unlock()
	return s.c.store.save(s.key, rec, sec)
}

// forgetClient drops a registration that the authorization server seems to have
// forgotten. An error of storing that is reported with the login.
func (s *Session) forgetClient() {
	ctx, cancel := context.WithTimeout(s.c.background, requestTime)
	defer cancel()
	unlock, err := s.c.store.lock(ctx, s.key)
	if err != nil {
		return
	}
	defer unlock()
	if rec, sec, err := s.read(); err == nil && rec.Client.Dynamic {
		rec.Client.Dynamic = false
		_ = s.c.store.save(s.key, rec, sec)
	}
}

// Logout ends the login: it revokes the tokens at the authorization server, if it
// can be reached, and deletes everything that is stored of the login. It reports
// whether there was one; untold is why the authorization server could not be
// informed.
func (s *Session) Logout(ctx context.Context) (was bool, untold, err error) {
	unlock, err := s.c.store.lock(ctx, s.key)
	if err != nil {
		return false, nil, err
	}
	defer unlock()
	rec, err := s.c.store.load(s.key)
	if err != nil {
		rec = new(record)
	}
	sec, untold := s.c.store.secrets(s.key, rec)
	if untold == nil {
		s.remember(sec.values()...)
		untold = s.revoke(ctx, rec, sec)
	}
	return rec.loggedIn(), untold, s.c.store.remove(s.key, rec)
}

// revoke revokes the tokens at the authorization server, RFC 7009.
func (s *Session) revoke(ctx context.Context, rec *record, sec *secrets) error {
	if sec.Access == "" && sec.Refresh == "" {
		return nil
	}
	if rec.Revocation == "" {
		return errors.New("the authorization server does not support logout; its tokens expire by themselves")
	}
	const what = "the revocation endpoint"
	for _, t := range []struct{ hint, token string }{{"refresh_token", sec.Refresh}, {"access_token", sec.Access}} {
		if t.token == "" {
			continue
		}
		form := url.Values{"token": {t.token}, "token_type_hint": {t.hint}}
		status, _, err := s.c.postForm(ctx, what, rec.Revocation, rec.Client, sec.ClientSecret, form)
		if err == nil && status != 200 {
			err = &statusError{what, status}
		}
		if err != nil {
			return errors.New(clean.Line(s.Redact(err.Error())))
		}
	}
	return nil
}
