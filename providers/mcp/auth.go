package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
)

// Login describes the login of the user to a server.
type Login struct {
	// Server is the name of its folder, State the state of the server.
	Server string `json:"server"`
	State  string `json:"state"`
	// Address is the part of the server's address that may be shown.
	Address  string    `json:"address"`
	LoggedIn bool      `json:"logged_in"`
	Since    time.Time `json:"since,omitzero"`
	Issuer   string    `json:"issuer,omitempty"` // the authorization server
	Scopes   []string  `json:"scopes,omitempty"` // granted
	// Missing are scopes that the server has asked for since the login.
	Missing []string `json:"missing,omitempty"`
	// Stored is "file" or "keyring".
	Stored string `json:"stored,omitempty"`
	// Problem says why the login cannot be used, or is "".
	Problem string `json:"problem,omitempty"`
}

// LoginPrompt is how a login communicates with the user.
type LoginPrompt struct {
	// Show shows the user the address for logging in.
	Show func(address string)
	// Note reports something that does not end the login.
	Note func(text string)
}

// LoginError reports why a login failed, with the change that fixes it.
type LoginError struct {
	What string
	Mend string // may be empty
}

func (e *LoginError) Error() string { return e.What }

// Fix returns the change that fixes it; it may be "".
func (e *LoginError) Fix() string { return e.Mend }

// session returns the login of a server, or nil where there can be none: the
// server is a process, its entry has a header Authorization or allows no login, or
// there is no folder for logins.
func (p *Provider) session(d *config.Server) *oauth.Session {
	if d.Transport == config.Stdio || d.URL == "" || d.Login.Off || p.opts.StateDir == "" {
		return nil
	}
	for name := range d.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return nil
		}
	}
	p.mu.Lock()
	document := p.document
	p.mu.Unlock()
	return p.logins.Session(oauth.Server{
		URL: d.URL, Headers: d.Headers, Document: document,
		ClientID: d.Login.ClientID, ClientSecret: d.Login.ClientSecret, Scopes: d.Login.Scopes,
		Redirect: d.Login.RedirectURL, Metadata: d.Login.MetadataURL,
	})
}

// storeLogins applies the settings of logins.
func (p *Provider) storeLogins(settings clients.Settings) {
	p.mu.Lock()
	p.document = settings.ClientIDDocument
	p.mu.Unlock()
	p.logins.UseFiles(settings.TokenFiles)
}

// Logins returns the logins of all servers that can have one, whether or not the
// user is logged in. It reads small files and sends nothing.
func (p *Provider) Logins() []Login {
	all := []Login{}
	for _, s := range p.all() {
		d, name, state := s.named()
		if session := p.session(d); session != nil {
			all = append(all, describeLogin(session, d, name, state))
		}
	}
	return all
}

func describeLogin(session *oauth.Session, d *config.Server, name, state string) Login {
	l := Login{Server: name, State: state, Address: d.Address()}
	status, err := session.Status()
	if err != nil {
		l.Problem = clean.Line(err.Error())
		return l
	}
	l.LoggedIn, l.Since, l.Issuer, l.Stored = status.LoggedIn, status.Since, clean.Line(status.Issuer), status.Place
	l.Scopes, l.Missing, l.Problem = cleanAll(status.Scopes), cleanAll(status.Missing), clean.Line(status.Ended)
	return l
}

func cleanAll(texts []string) (out []string) {
	for _, t := range texts {
		out = append(out, clean.Line(t))
	}
	return out
}

// Login lets the user log in to a server, named as in Restart. It returns when the
// login has succeeded or failed, or ctx ends. A running server uses the login only
// after a restart. Errors are [*LoginError] and those of ctx.
func (p *Provider) Login(ctx context.Context, name string, prompt LoginPrompt) (Login, error) {
	s, session, err := p.withLogin(name)
	if err != nil {
		return Login{}, err
	}
	_, err = session.Login(ctx, oauth.Prompt{Show: prompt.Show, Note: prompt.Note})
	d, file, state := s.named()
	if err != nil {
		return Login{}, loginError(ctx, d, err)
	}
	return describeLogin(session, d, file, state), nil
}

// Logout ends the login to a server, and returns the login that it had. Untold is
// why the authorization server could not be informed, or nil.
func (p *Provider) Logout(ctx context.Context, name string) (was Login, untold, err error) {
	s, session, err := p.withLogin(name)
	if err != nil {
		return was, nil, err
	}
	d, file, state := s.named()
	was = describeLogin(session, d, file, state)
	was.LoggedIn, untold, err = session.Logout(ctx)
	if err != nil {
		return was, untold, loginError(ctx, d, err)
	}
	return was, untold, nil
}

// loginError returns why a login failed, without secrets.
func loginError(ctx context.Context, d *config.Server, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &LoginError{What: clean.Cut(clean.Line(d.Redact(err.Error())), 1000)}
	if f := (*oauth.Fault)(nil); errors.As(err, &f) && f.Mend != "" {
		e.Mend = clean.Line(d.Redact(f.Mend)) + " (" + d.QuotedName() + " in " + d.File + ")"
	}
	return e
}

// withLogin returns the server with a name, and its login.
func (p *Provider) withLogin(name string) (*server, *oauth.Session, error) {
	chosen, err := p.choose(name)
	if err != nil {
		return nil, nil, err
	}
	if len(chosen) > 1 {
		names := ""
		for _, s := range chosen {
			names += " " + s.summary().file
		}
		return nil, nil, &LoginError{What: fmt.Sprintf("several servers are called %q", clean.Line(name)), Mend: "name one of:" + names}
	}
	s := chosen[0]
	d, _, _ := s.named()
	where := d.QuotedName() + " in " + d.File
	switch {
	case d.Fault != nil:
		return nil, nil, &LoginError{What: d.Fault.What, Mend: d.Fault.Fix}
	case d.Transport == config.Stdio:
		return nil, nil, &LoginError{What: "the server is a program on this machine, which accepts no logins",
			Mend: "credentials go into `env` of the entry " + where}
	}
	session := p.session(d)
	if session == nil {
		mend := "take the header out of the entry " + where + " to log in instead"
		if d.Login.Off {
			mend = "allow it in the entry " + where
		}
		return nil, nil, &LoginError{What: "ctxfs does not log in for this entry: it has the header Authorization, or does not allow logins", Mend: mend}
	}
	return s, session, nil
}

// named returns the definition, the folder's name and the state of a server.
func (s *server) named() (d *config.Server, file, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.def, s.file, s.condition.State
}
