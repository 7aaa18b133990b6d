package oauth

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/oauthtest"
)

func TestExpired(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	u.mustCall(s)
	fstest.Equal(t, u.server.Counts().Refreshes, 0, "renewals")
	u.later(2 * time.Hour)
	u.mustCall(s)
	u.mustCall(s)
	if n := u.server.Counts(); n.Refreshes != 1 || n.Refused != 0 {
		t.Errorf("%+v", n)
	}
	u.later(2 * time.Hour)
	u.mustCall(s) // by the token that replaced the first
}

func TestExpiredWithoutRenewal(t *testing.T) {
	u := newUser(t)
	u.server.Set(oauthtest.Faults{NoRefresh: true})
	s := u.mustLogin()
	u.later(2 * time.Hour)
	u.needs(u.call(s), "the login has expired")
}

func TestAccessRevoked(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	u.server.RevokeAccess()
	u.mustCall(s)
	if n := u.server.Counts(); n.Refreshes != 1 || n.Refused != 1 {
		t.Errorf("%+v", n)
	}
}

func TestLoginRevoked(t *testing.T) {
	u := newUser(t)
	u.server.Set(oauthtest.Faults{Echo: true})
	s := u.mustLogin()
	u.server.RevokeAccess()
	u.server.RevokeRefresh()
	for range 2 {
		err := u.call(s)
		u.needs(err, "the authorization server has ended the login: invalid_grant")
		u.hidden(err.Error())
	}
	fstest.Equal(t, u.server.Counts().Refreshes, 1, "renewals")
	if status, err := s.Status(); err != nil || status.LoggedIn || status.Ended == "" {
		t.Errorf("%+v, %v", status, err)
	}
	u.mustLogin()
	u.mustCall(s)
}

// TestTokenEndpointDown does not take it for the end of the login.
func TestTokenEndpointDown(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	u.server.Set(oauthtest.Faults{Down: true, Echo: true})
	u.server.RevokeAccess()
	err := u.call(s)
	u.fails(err, "the login cannot be renewed now: the token endpoint answered with HTTP status 503")
	u.hidden(err.Error())
	u.later(2 * time.Hour)
	u.fails(u.call(s), "HTTP status 503")
	u.server.Set(oauthtest.Faults{})
	u.mustCall(s)
}

// TestNearlyExpired goes on with a token that is good for a while yet, where
// it cannot be renewed.
func TestNearlyExpired(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	u.later(time.Hour - 30*time.Second)
	u.server.Set(oauthtest.Faults{Down: true})
	u.mustCall(s)
	u.server.Set(oauthtest.Faults{})
	u.mustCall(s)
	fstest.Equal(t, u.server.Counts().Refreshes, 2, "renewals")
}

func TestClientForgotten(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	u.server.ForgetClients()
	u.server.RevokeAccess()
	u.needs(u.call(s), "invalid_client")
	u.mustLogin()
	u.mustCall(s)
}

func TestInsufficientScope(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	u.server.Set(oauthtest.Faults{Scope: "admin"})
	u.needs(u.call(s), `the server requires the scope "admin" as well`)
	if status, err := s.Status(); err != nil || !status.LoggedIn || strings.Join(status.Missing, " ") != "admin" {
		t.Errorf("%+v, %v", status, err)
	}
	u.mustLogin()
	fstest.Equal(t, u.server.Params().Get("scope"), "admin tools", "asked")
	u.mustCall(s)
	if status, _ := s.Status(); len(status.Missing) > 0 {
		t.Errorf("%+v", status)
	}
}

func TestScopes(t *testing.T) {
	u := newUser(t)
	u.server.Set(oauthtest.Faults{Scope: "write"})
	u.mustCall(u.mustLogin())
	fstest.Equal(t, u.server.Params().Get("scope"), "write", "asked")
	u.conf.Scopes = []string{"a", "b"}
	u.mustLogin()
	fstest.Equal(t, u.server.Params().Get("scope"), "a b", "asked")
}

// TestManyCallers renews once for ten of them, some of which go away.
func TestManyCallers(t *testing.T) {
	u := newUser(t)
	sessions := []*Session{u.mustLogin(), u.session(), u.session()}
	u.later(2 * time.Hour)
	arrived, release := u.server.Hold()
	var callers sync.WaitGroup
	for i := range 10 {
		callers.Go(func() {
			if err := u.call(sessions[i%len(sessions)]); err != nil {
				t.Error(err)
			}
		})
	}
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sessions[0].token(ctx); err == nil {
		t.Error("who does not wait has a token")
	}
	release()
	callers.Wait()
	if n := u.server.Counts(); n.Refreshes != 1 || n.Refused != 0 {
		t.Errorf("%+v", n)
	}
}

// TestAbandoned renews though who asked for it is gone.
func TestAbandoned(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	u.later(2 * time.Hour)
	arrived, release := u.server.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := s.token(ctx)
		failed <- err
	}()
	<-arrived
	cancel()
	if err := <-failed; err == nil {
		t.Error("no error")
	}
	release()
	u.mustCall(s)
	fstest.Equal(t, u.server.Counts().Refreshes, 1, "renewals")
}

// The variables that make this program a process that sends a request.
const (
	callDir = "CTXFS_TEST_LOGINS"
	callURL = "CTXFS_TEST_URL"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(callDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	c := New(Options{Dir: dir, LookupEnv: nothing, Now: time.Now})
	u := &user{client: c, conf: Server{URL: os.Getenv(callURL)}, http: http.DefaultTransport}
	err := u.call(u.session())
	c.Close()
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// TestTwoProcesses renews once for four of them.
func TestTwoProcesses(t *testing.T) {
	u := &user{T: t, server: oauthtest.New(t), http: http.DefaultTransport}
	u.open(Options{})
	u.mustLogin()
	u.server.RevokeAccess()
	arrived, release := u.server.Hold()
	var processes sync.WaitGroup
	for range 4 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), callDir+"="+u.client.store.dir, callURL+"="+u.conf.URL)
		processes.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	<-arrived
	u.server.AwaitRefused(4)
	release()
	processes.Wait()
	if n := u.server.Counts(); n.Refreshes != 1 || n.Refused != 4 {
		t.Errorf("%+v", n)
	}
}
