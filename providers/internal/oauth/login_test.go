package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/oauthtest"
)

func TestLogin(t *testing.T) {
	for name, c := range map[string]struct {
		faults oauthtest.Faults
		conf   func(*user)
		fault  string // the error, "" where it goes well
		mend   string
	}{
		"as it should be":            {},
		"metadata at the root":       {faults: oauthtest.Faults{RootMetadata: true}},
		"no challenge":               {faults: oauthtest.Faults{NoChallenge: true}},
		"no metadata":                {faults: oauthtest.Faults{NoMetadata: true}},
		"a stream only":              {faults: oauthtest.Faults{StreamOnly: true, Scope: "tools"}},
		"OpenID Connect":             {faults: oauthtest.Faults{OpenID: true}},
		"the origin as resource":     {faults: oauthtest.Faults{Origin: true}},
		"several authorities":        {faults: oauthtest.Faults{DeadFirst: true}},
		"no iss":                     {faults: oauthtest.Faults{NoIss: true}},
		"another resource":           {faults: oauthtest.Faults{OtherResource: true}, fault: "the metadata of the server is that of another one"},
		"another issuer":             {faults: oauthtest.Faults{WrongIssuer: true}, fault: `says that it is another one, "https://elsewhere.invalid"`},
		"another iss":                {faults: oauthtest.Faults{WrongIss: true}, fault: "the answer is from another authorization server"},
		"another iss, not announced": {faults: oauthtest.Faults{WrongIss: true, NoIss: true}, fault: "the answer is from another authorization server"},
		"no PKCE":                    {faults: oauthtest.Faults{NoPKCE: true}, fault: "PKCE"},
		"denied":                     {faults: oauthtest.Faults{Deny: true}, fault: "the login was denied: access_denied (The user said no)", mend: "again"},
		"token endpoint down":        {faults: oauthtest.Faults{Down: true}, fault: "HTTP status 503"},
		"no registration":            {faults: oauthtest.Faults{NoRegistration: true}, fault: "registers no clients", mend: "`client_id_document`"},
		"a document": {
			faults: oauthtest.Faults{NoRegistration: true},
			conf:   func(u *user) { u.conf.Document = "https://example.org/ctxfs.json" },
		},
		"by hand": {
			faults: oauthtest.Faults{NoRegistration: true},
			conf: func(u *user) {
				u.conf.ClientID, u.conf.ClientSecret = "by:hand", "s3cret s3cret"
				u.conf.Redirect = redirect
				u.server.AddClient("by:hand", "s3cret s3cret", u.conf.Redirect)
			},
		},
		"by hand, unknown": {
			conf: func(u *user) {
				u.conf.ClientID, u.conf.ClientSecret = "by hand", "wrong-secret"
				u.conf.Redirect = redirect
				u.server.AddClient("by hand", "s3cret", u.conf.Redirect)
			},
			fault: "the login could not be completed: invalid_client",
		},
		"metadata configured": {
			faults: oauthtest.Faults{NoPKCE: true},
			conf: func(u *user) {
				u.conf.Metadata = u.server.Issuer + "/.well-known/oauth-authorization-server"
			},
		},
		"a redirect elsewhere": {
			conf:  func(u *user) { u.conf.Redirect = "http://example.org/callback" },
			fault: "not one of this machine", mend: "http://localhost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			c.faults.Echo = true
			u.server.Set(c.faults)
			if c.conf != nil {
				c.conf(u)
			}
			s := u.session()
			status, err := u.login(s)
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("%v, want %q", err, c.fault)
				}
				if f := (*Fault)(nil); c.mend != "" && (!errors.As(err, &f) || !strings.Contains(f.Mend, c.mend)) {
					t.Errorf("%#v does not mend by %q", err, c.mend)
				}
				u.hidden(err.Error())
				if status, err := s.Status(); err != nil || status.LoggedIn {
					t.Errorf("logged in: %+v, %v", status, err)
				}
			} else {
				if err != nil || !status.LoggedIn || status.Since.IsZero() || status.Place != "file" {
					t.Fatalf("%+v, %v", status, err)
				}
				if !c.faults.StreamOnly {
					u.mustCall(s)
				}
				if p := u.server.Params(); p.Get("scope") != "tools" && !c.faults.NoMetadata {
					t.Errorf("parameters: %v", p)
				}
			}
			for _, page := range u.pages {
				u.hidden(page)
				fstest.Equal(t, strings.Contains(page, "You are logged in"), (c.fault == ""), "page", page)
			}
		})
	}
}

// redirect is a redirect address with a port.
const redirect = "http://localhost:9100/oauth/callback"

func TestPortInUse(t *testing.T) {
	u := newUser(t)
	l, err := u.memory.Listen("tcp", "127.0.0.1:0")
	fstest.Must(t, err)
	defer l.Close()
	u.conf.Redirect = "http://" + l.Addr().String() + "/callback"
	_, err = u.login(u.session())
	if f := (*Fault)(nil); !errors.As(err, &f) || !strings.Contains(f.What, "is in use") || f.Mend == "" {
		t.Errorf("%v", err)
	}
}

// TestOtherTabs has browsers come back that should not.
func TestOtherTabs(t *testing.T) {
	u := newUser(t)
	s := u.session()
	arrived, release := u.server.Hold()
	pages := make(chan string, 1)
	_, err := s.Login(t.Context(), Prompt{
		Note: func(text string) { u.notes = append(u.notes, text) },
		Show: func(address string) {
			a, _ := url.Parse(address)
			back := a.Query().Get("redirect_uri")
			fstest.Contains(t, u.browse(back+"?code=stolen&state=wrong"), "the answer to another login")
			fstest.Contains(t, u.browse(strings.TrimSuffix(back, "callback")+"favicon.ico"), "404")
			go func() { pages <- u.browse(address) }()
			go func() {
				<-arrived // the code is being redeemed
				again := back + "?code=again&state=" + a.Query().Get("state")
				fstest.Contains(t, u.browse(again), "answered already")
				release()
			}()
		},
	})
	if err != nil || len(u.notes) != 1 {
		t.Errorf("%v, notes %q", err, u.notes)
	}
	fstest.Contains(t, <-pages, "You are logged in")
	u.mustCall(s)
}

// TestInterrupted gives up while the browser is away; what was there stays.
func TestInterrupted(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Login(ctx, Prompt{Show: func(string) { cancel() }})
	fstest.ErrorIs(t, err, context.Canceled)
	u.mustCall(s)
	if status, _ := s.Status(); !status.LoggedIn {
		t.Errorf("the old login is gone: %+v", status)
	}

	// The page may have been one that does not know us.
	u.server.ForgetClients()
	u.mustLogin()
	fstest.Equal(t, u.server.Counts().Registrations, 2, "registrations")
}

// TestRegisteredOnce logs in twice as the same client.
func TestRegisteredOnce(t *testing.T) {
	u := newUser(t)
	u.mustLogin()
	s := u.mustLogin()
	u.mustCall(s)
	if n := u.server.Counts(); n.Registrations != 1 || n.Logins != 2 {
		t.Errorf("%+v", n)
	}
}

func TestLogout(t *testing.T) {
	for _, f := range []oauthtest.Faults{{}, {NoRevocation: true}} {
		u := newUser(t)
		u.server.Set(f)
		s := u.mustLogin()
		was, untold, err := s.Logout(t.Context())
		if err != nil || !was || (untold != nil) != f.NoRevocation {
			t.Errorf("%v, %v, %v", was, untold, err)
		}
		if n := u.server.Counts().Revocations; (n == 2) == f.NoRevocation {
			t.Errorf("%d revocations", n)
		}
		if _, err := os.Stat(u.client.store.path(s.key)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the record is there: %v", err)
		}
		u.needs(u.call(s), "the server requires a login")
		if was, _, err := s.Logout(t.Context()); was || err != nil {
			t.Errorf("again: %v, %v", was, err)
		}
	}
}

// TestOpenServer does not log in where nobody asks for it.
func TestOpenServer(t *testing.T) {
	u := newUser(t)
	open := http.NewServeMux()
	open.HandleFunc("POST /mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	u.conf.URL = u.memory.Serve(open) + "/mcp"
	if _, err := u.login(u.session()); err == nil || !strings.Contains(err.Error(), "does not ask for a login") {
		t.Errorf("%v", err)
	}
}
