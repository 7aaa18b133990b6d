package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	system "github.com/zalando/go-keyring"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/filelock"
)

// Where secrets are stored.
const (
	inFile    = "file"
	inKeyring = "keyring"
)

// store has a record per server: a file of its own (0600), which also says whether
// the secrets are in it or in the keyring. So a keyring asks its user for a
// password only if there is a login.
type store struct {
	dir   string
	ring  keyring     // nil: none
	files atomic.Bool // store new secrets in files
}

func (s *store) path(key string) string { return filepath.Join(s.dir, key+".json") }

// load reads a record; it returns an empty one if the file does not exist.
func (s *store) load(key string) (*record, error) {
	rec := new(record)
	text, err := os.ReadFile(s.path(key))
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return rec, nil
	case err != nil:
		return nil, fmt.Errorf("the stored login cannot be read: %w", err)
	}
	if err := json.Unmarshal(text, rec); err != nil {
		return nil, &Fault{What: "the stored login is damaged", Mend: "delete " + s.path(key) + " and log in again"}
	}
	return rec, nil
}

// secrets reads the secrets of a loaded record.
func (s *store) secrets(key string, rec *record) (*secrets, error) {
	sec := new(secrets)
	switch {
	case rec.Place != inKeyring:
		if rec.Secrets != nil {
			*sec = *rec.Secrets
		}
		return sec, nil
	case s.ring == nil:
		return nil, &Fault{What: "the login is in the system keyring, which cannot be reached from here",
			Mend: "start ctxfs where the keyring can be reached, or log in again from here"}
	}
	blob, err := s.ring.get(key)
	switch {
	case errors.Is(err, errNoSecret):
		return sec, nil
	case err != nil:
		return nil, &Fault{What: "the login is in the system keyring, which does not return it: " + err.Error(), Mend: "unlock the keyring"}
	}
	if err := json.Unmarshal([]byte(blob), sec); err != nil {
		return nil, &Fault{What: "the login in the system keyring is damaged", Mend: "log in again"}
	}
	return sec, nil
}

// save writes a record. The secrets go to the file if the keyring does not accept
// them.
func (s *store) save(key string, rec *record, sec *secrets) error {
	out := *rec
	out.Place, out.Secrets = inFile, sec
	switch {
	case s.ring == nil:
	case *sec == (secrets{}): // no reason to ask for a password
		if rec.Place == inKeyring {
			_ = s.ring.remove(key) // what is left there is useless
		}
	case !s.files.Load():
		blob, _ := json.Marshal(sec) // of our own types
		if s.ring.set(key, string(blob)) == nil {
			out.Place, out.Secrets = inKeyring, nil
		}
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err == nil {
		err = atomicfile.Write(s.path(key), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the login cannot be stored: %w", err)
	}
	return nil
}

// remove deletes a record. The keyring is used only if it holds a part of it.
func (s *store) remove(key string, rec *record) error {
	var fromRing error
	if rec.Place == inKeyring && s.ring != nil {
		fromRing = s.ring.remove(key)
	}
	if err := os.Remove(s.path(key)); err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return fmt.Errorf("the stored login cannot be removed: %w", err)
	}
	if fromRing != nil && !errors.Is(fromRing, errNoSecret) {
		return fmt.Errorf("the login cannot be taken out of the system keyring: %w", fromRing)
	}
	return nil
}

// lock prevents other processes and goroutines from changing a record until unlock
// is called.
func (s *store) lock(ctx context.Context, key string) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("the login cannot be stored: %w", err)
	}
	l, err := filelock.Wait(ctx, filepath.Join(s.dir, key+".lock"), filelock.Exclusive)
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, fmt.Errorf("another process is renewing the login: %w", ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("the stored login cannot be locked: %w", err)
	}
	return l.Release, nil
}

// record is what is stored for a server, without its secrets.
type record struct {
	// The login. Its credentials are valid for this issuer and this audience
	// only.
	Issuer     string       `json:"issuer,omitempty"`
	Audience   string       `json:"audience,omitempty"` // the resource indicator
	Token      string       `json:"token_endpoint,omitempty"`
	Revocation string       `json:"revocation_endpoint,omitempty"`
	Client     registration `json:"client,omitzero"`
	Scopes     []string     `json:"scopes,omitempty"` // granted
	Since      time.Time    `json:"since,omitzero"`   // of the login
	Ended      string       `json:"ended,omitempty"`  // why it is no longer valid
	Wanted     []string     `json:"wanted,omitempty"` // scopes that were missing

	// Place is where the secrets are: "file" for this one, or "keyring".
	Place   string   `json:"place,omitempty"`
	Secrets *secrets `json:"secrets,omitempty"`
}

// registration is a client as an authorization server knows it.
type registration struct {
	ID       string    `json:"client_id,omitempty"`
	Method   string    `json:"method,omitempty"` // the authentication method
	Redirect string    `json:"redirect_uri,omitempty"`
	Dynamic  bool      `json:"dynamic,omitempty"` // registered by us, RFC 7591
	Expires  time.Time `json:"expires,omitzero"`  // of its secret
}

// secrets are the part of a record that belongs in a keyring.
type secrets struct {
	Access       string    `json:"access_token,omitempty"`
	Refresh      string    `json:"refresh_token,omitempty"`
	ClientSecret string    `json:"client_secret,omitempty"`
	Obtained     time.Time `json:"obtained,omitzero"` // the access token
	Expires      time.Time `json:"expires,omitzero"`  // zero where it is not known
}

// expired reports whether the access token has expired.
func (s *secrets) expired(now time.Time) bool { return !s.Expires.IsZero() && !now.Before(s.Expires) }

// stale reports whether it is time to renew the access token: shortly before it
// expires, so that it does not expire during a request.
func (s *secrets) stale(now time.Time) bool {
	margin := min(time.Minute, s.Expires.Sub(s.Obtained)/10)
	return !s.Expires.IsZero() && !now.Add(margin).Before(s.Expires)
}

// loggedIn reports whether there is a login, as far as is known still valid.
func (r *record) loggedIn() bool { return !r.Since.IsZero() && r.Ended == "" }

// values returns the texts that must not be shown.
func (s *secrets) values() []string {
	return slices.DeleteFunc([]string{s.Access, s.Refresh, s.ClientSecret}, func(v string) bool { return v == "" })
}

// union returns the scopes of all lists, each once, in their order.
func union(lists ...[]string) (all []string) {
	for _, scope := range slices.Concat(lists...) {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// keyring stores texts by name.
type keyring interface {
	get(name string) (string, error) // errNoSecret if it has no secret
	set(name, text string) error
	remove(name string) error
}

var (
	errNoSecret    = system.ErrNotFound
	errKeyringMute = errors.New("it does not answer; it may be waiting for its password")
)

// keyringService is what the system's keyring lists our secrets under.
const keyringService = "ctxfs"

// systemKeyring returns the keyring of the desktop or the system, or nil: on Linux
// it is reached over the session bus, which sessions over ssh and services do not
// have.
func systemKeyring(lookup func(string) (string, bool)) keyring {
	switch runtime.GOOS {
	case "darwin":
		return &desktop{limit: keyringTime}
	case "linux":
		if address, ok := lookup("DBUS_SESSION_BUS_ADDRESS"); ok && address != "" {
			return &desktop{limit: keyringTime}
		}
		if dir, ok := lookup("XDG_RUNTIME_DIR"); ok && filepath.IsAbs(dir) {
			if _, err := os.Stat(filepath.Join(dir, "bus")); err == nil {
				return &desktop{limit: keyringTime}
			}
		}
	}
	return nil
}

// keyringTime is the timeout of a keyring: it may ask its user for a password.
const keyringTime = 30 * time.Second

// desktop is the system's keyring.
type desktop struct{ limit time.Duration }

func (d *desktop) get(name string) (string, error) {
	return within(d.limit, func() (string, error) { return system.Get(keyringService, name) })
}

func (d *desktop) set(name, text string) error {
	_, err := within(d.limit, func() (struct{}, error) { return struct{}{}, system.Set(keyringService, name, text) })
	return err
}

func (d *desktop) remove(name string) error {
	_, err := within(d.limit, func() (struct{}, error) { return struct{}{}, system.Delete(keyringService, name) })
	return err
}

// within calls a function that takes no context, with a timeout. A call that hangs
// is abandoned.
func within[T any](limit time.Duration, call func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := call()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(limit):
		var zero T
		return zero, errKeyringMute
	}
}
