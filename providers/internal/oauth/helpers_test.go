package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/oauthtest"
)

// user is a user with a folder of logins and a browser.
type user struct {
	*testing.T
	client *Client
	server *oauthtest.Server
	conf   Server
	http   http.RoundTripper
	memory *fstest.Network // nil where the servers have sockets

	mu    sync.Mutex
	ahead time.Duration // of the clock
	pages []string      // that the browser has shown
	notes []string
}

func newUser(t *testing.T) *user {
	t.Helper()
	memory := fstest.NewNetwork(t)
	u := &user{T: t, server: oauthtest.NewOver(memory.Serve), http: memory, memory: memory}
	u.open(Options{HTTP: memory, Listen: memory.Listen})
	return u
}

// open makes the client.
func (u *user) open(o Options) {
	u.conf = Server{URL: u.server.URL}
	o.Dir, o.LookupEnv, o.Now = filepath.Join(u.TempDir(), "logins"), nothing, u.now
	u.client = New(o)
	u.client.store.ring = nil
	u.Cleanup(u.client.Close)
}

// nothing is an empty environment.
func nothing(string) (string, bool) { return "", false }

func (u *user) now() time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return time.Now().Add(u.ahead)
}

func (u *user) later(d time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ahead += d
}

func (u *user) session() *Session { return u.client.Session(u.conf) }

// browse follows an address as a browser does.
func (u *user) browse(address string) string {
	res, err := (&http.Client{Transport: u.http}).Get(address)
	if err != nil {
		u.Error(err)
		return ""
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pages = append(u.pages, string(body))
	return string(body)
}

// login logs in with the browser.
func (u *user) login(s *Session) (Status, error) {
	u.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var browser sync.WaitGroup
	defer browser.Wait()
	return s.Login(ctx, Prompt{
		Show: func(address string) { browser.Go(func() { u.browse(address) }) },
		Note: func(text string) {
			u.mu.Lock()
			u.notes = append(u.notes, text)
			u.mu.Unlock()
		},
	})
}

func (u *user) mustLogin() *Session {
	u.Helper()
	s := u.session()
	if _, err := u.login(s); err != nil {
		u.Fatal(err)
	}
	return s
}

// call sends a request as an MCP client does, and returns the error, if any.
func (u *user) call(s *Session) error {
	client := &http.Client{Transport: s.Transport(u.http)}
	res, err := client.Post(u.conf.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != 200 || !strings.Contains(string(body), "whoami")) {
		err = errors.New(res.Status + ": " + string(body))
	}
	return err
}

func (u *user) mustCall(s *Session) {
	u.Helper()
	fstest.Must(u, u.call(s))
}

// needs checks that an error asks for a login, for a reason.
func (u *user) needs(err error, words string) {
	u.Helper()
	var n *Needed
	if !errors.As(err, &n) || !strings.Contains(n.Reason, words) {
		u.Errorf("%v, which is no need of a login because of %q", err, words)
	}
}

// fails checks that an error is one that may pass.
func (u *user) fails(err error, words string) {
	u.Helper()
	var n *Needed
	if err == nil || errors.As(err, &n) || !strings.Contains(err.Error(), words) {
		u.Errorf("%v (%T), which is no passing error that says %q", err, err, words)
	}
}

// hidden checks that a text holds no secret.
func (u *user) hidden(text string) {
	u.Helper()
	for _, secret := range u.server.Secrets() {
		fstest.ContainsNot(u, text, secret)
	}
}
