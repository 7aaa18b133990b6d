// Package logins has the logins of the user to servers.
package logins

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
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

// Error reports why a login failed, with the change that fixes it.
type Error struct {
	What string
	Mend string // may be empty
}

func (e *Error) Error() string { return e.What }

// Fix returns the change that fixes it; it may be "".
func (e *Error) Fix() string { return e.Mend }

// Logins are the logins of the user to all servers. They are safe for concurrent use.
type Logins struct {
	client   *oauth.Client
	document atomic.Pointer[string] // [mcp] client_id_document
}

// New returns the logins in a folder.
func New(o oauth.Options) *Logins { return &Logins{client: oauth.New(o)} }

// Close ends the logins under way.
func (l *Logins) Close() { l.client.Close() }

// Set applies the settings of logins.
func (l *Logins) Set(settings clients.Settings) {
	l.document.Store(&settings.ClientIDDocument)
	l.client.UseFiles(settings.TokenFiles)
}

// Document returns the address of the document that describes ctxfs as a client, or "".
func (l *Logins) Document() string { return *l.document.Load() }

// Session returns the login to a server, or nil if logins do not apply: the server
// is a process, or its entry has a header Authorization or allows no login.
func (l *Logins) Session(d *config.Server) *oauth.Session {
	if d.Transport == config.Stdio || d.URL == "" || d.Login.Off {
		return nil
	}
	for name := range d.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return nil
		}
	}
	return l.client.Session(oauth.Server{
		URL: d.URL, Headers: d.Headers, Document: l.Document(),
		ClientID: d.Login.ClientID, ClientSecret: d.Login.ClientSecret, Scopes: d.Login.Scopes,
		Redirect: d.Login.RedirectURL, Metadata: d.Login.MetadataURL,
	})
}

// Of is a server as logins see it: it returns its definition, the name of its folder,
// and its state.
type Of func() (d *config.Server, file, state string)

// Known returns the login to a server, whether or not the user is logged in, and
// whether there can be one. It reads a small file and sends nothing.
func (l *Logins) Known(of Of) (Login, bool) {
	d, _, _ := of()
	session := l.Session(d)
	if session == nil {
		return Login{}, false
	}
	return describe(session, of), true
}

func describe(session *oauth.Session, of Of) Login {
	d, name, state := of()
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

// Login lets the user log in to a server. It returns when the login has succeeded or
// failed, or ctx ends. A running server uses the login only after a restart. Errors
// are [*Error] and those of ctx.
func (l *Logins) Login(ctx context.Context, of Of, prompt oauth.Prompt) (Login, error) {
	session, err := l.allowed(of)
	if err != nil {
		return Login{}, err
	}
	if _, err = session.Login(ctx, prompt); err != nil {
		return Login{}, loginError(ctx, of, err)
	}
	return describe(session, of), nil
}

// Logout ends the login to a server, and returns the login that it had. Untold is
// why the authorization server could not be informed, or nil.
func (l *Logins) Logout(ctx context.Context, of Of) (was Login, untold, err error) {
	session, err := l.allowed(of)
	if err != nil {
		return was, nil, err
	}
	was = describe(session, of)
	if was.LoggedIn, untold, err = session.Logout(ctx); err != nil {
		err = loginError(ctx, of, err)
	}
	return was, untold, err
}

// loginError returns why a login failed, without secrets.
func loginError(ctx context.Context, of Of, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d, _, _ := of()
	e := &Error{What: clean.Cut(clean.Line(d.Redact(err.Error())), 1000)}
	if f := (*oauth.Fault)(nil); errors.As(err, &f) && f.Mend != "" {
		e.Mend = clean.Line(d.Redact(f.Mend)) + " (" + d.QuotedName() + " in " + d.File + ")"
	}
	return e
}

// allowed returns the login to a server, or why it cannot have one.
func (l *Logins) allowed(of Of) (*oauth.Session, error) {
	d, _, _ := of()
	where := d.QuotedName() + " in " + d.File
	switch {
	case d.Fault != nil:
		return nil, &Error{What: d.Fault.What, Mend: d.Fault.Fix}
	case d.Transport == config.Stdio:
		return nil, &Error{What: "the server is a program on this machine, which accepts no logins",
			Mend: "credentials go into `env` of the entry " + where}
	}
	if session := l.Session(d); session != nil {
		return session, nil
	}
	mend := "take the header out of the entry " + where + " to log in instead"
	if d.Login.Off {
		mend = "allow it in the entry " + where
	}
	return nil, &Error{What: "ctxfs does not log in for this entry: it has the header Authorization, or does not allow logins", Mend: mend}
}
