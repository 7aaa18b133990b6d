package oauth

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// ring is a keyring in memory.
type ring struct {
	texts map[string]string
	fault error
}

func (r *ring) get(name string) (string, error) {
	text, ok := r.texts[name]
	if !ok && r.fault == nil {
		return "", errNoSecret
	}
	return text, r.fault
}

func (r *ring) set(name, text string) error {
	if r.fault == nil {
		r.texts[name] = text
	}
	return r.fault
}

func (r *ring) remove(name string) error {
	if _, ok := r.texts[name]; !ok {
		return errNoSecret
	}
	delete(r.texts, name)
	return r.fault
}

func TestFiles(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	info, err := os.Stat(u.client.store.path(s.key))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(u.client.store.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	text, _ := os.ReadFile(u.client.store.path(s.key))
	if !strings.Contains(string(text), u.server.Secrets()[1]) {
		t.Errorf("the login is not in %s", text)
	}
}

func TestKeyring(t *testing.T) {
	u := newUser(t)
	r := &ring{texts: map[string]string{}}
	u.client.store.ring = r
	s := u.mustLogin()
	u.mustCall(s)
	if status, err := s.Status(); err != nil || status.Place != "keyring" {
		t.Errorf("%+v, %v", status, err)
	}
	text, err := os.ReadFile(u.client.store.path(s.key))
	fstest.Must(t, err)
	u.hidden(string(text))
	u.later(2 * time.Hour)
	u.mustCall(s)

	// Of a login that has ended nothing is left there.
	u.server.RevokeAccess()
	u.server.RevokeRefresh()
	u.needs(u.call(s), "invalid_grant")
	fstest.Equal(t, len(r.texts), 0, "keyring", r.texts)
	u.mustLogin()

	// Out of reach, it is neither lost nor taken for none.
	u.client.store.ring = nil
	u.fails(u.call(u.session()), "the login is in the system keyring, which cannot be reached from here")
	u.client.store.ring = &ring{fault: errors.New("it is locked")}
	u.fails(u.call(u.session()), "which does not return it: it is locked")
	u.client.store.ring = r
	u.mustCall(u.session())

	if was, _, err := s.Logout(t.Context()); !was || err != nil || len(r.texts) != 0 {
		t.Errorf("%v, %v, %v", was, err, r.texts)
	}

	// One that is not to be used is left alone, one that takes nothing is replaced by the file.
	u.client.store.ring = r
	u.client.UseFiles(true)
	u.mustCall(u.mustLogin())
	fstest.Equal(t, len(r.texts), 0, "keyring", r.texts)
	u.client.UseFiles(false)
	u.client.store.ring = &ring{fault: errors.New("it is locked")}
	u.mustCall(u.mustLogin())
}

func TestDamagedLogin(t *testing.T) {
	u := newUser(t)
	s := u.mustLogin()
	fstest.Must(t, os.WriteFile(u.client.store.path(s.key), []byte("{"), 0o600))
	u.fails(u.call(s), "the stored login is damaged")
	u.mustLogin()
	u.mustCall(s)
}

func TestKeyringThatHangs(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	_, err := within(time.Millisecond, func() (string, error) { <-hang; return "", nil })
	fstest.ErrorIs(t, err, errKeyringMute)
}

func TestOtherHosts(t *testing.T) {
	remote, _ := Server{URL: "https://example.org/mcp"}.address()
	local, _ := Server{URL: "http://127.0.0.1:80/mcp"}.address()
	for _, given := range []string{"http://127.0.0.1:8/x", "http://[::1]:8/x", "http://localhost/x"} {
		if _, err := trusted("it", given, local); err != nil {
			t.Error(err)
		}
		if _, err := trusted("it", given, remote); err == nil {
			t.Errorf("a remote server sends us to %s", given)
		}
	}
	inside, _ := Server{URL: "http://inside/mcp"}.address()
	if _, err := trusted("it", "http://inside:8080/token", inside); err != nil {
		t.Error(err)
	}
	for given, want := range map[string]bool{
		"https://elsewhere.org/x":   true,
		"http://example.org/x":      false,
		"http://elsewhere.org/x":    false,
		"file:///etc/passwd":        false,
		"javascript:alert(1)":       false,
		"https://user@elsewhere/x":  false,
		"https://":                  false,
		"http://localhost.evil.org": false,
		"%zz":                       false,
	} {
		if _, err := trusted("it", given, remote); (err == nil) != want {
			t.Errorf("%s: %v", given, err)
		}
	}
	for a, b := range map[string]string{"https://a.org": "https://a.org/", "https://a.org/x": "https://a.org/x"} {
		if !sameIssuer(a, b) {
			t.Errorf("%s is not %s", a, b)
		}
	}
	for a, b := range map[string]string{"https://a.org/x": "https://a.org/x/", "https://a.org": "http://a.org"} {
		if sameIssuer(a, b) {
			t.Errorf("%s is %s", a, b)
		}
	}
}
