package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"ctxfs/providers/internal/atomicfile"
)

// The places of secrets.
const (
	inFile    = "file"
	inKeyring = "keyring"
)

// store keeps a record per server: a file of its own (0600), which also tells
// whether the secrets are in it or in the keyring. So nothing but a login that
// is there ever makes a keyring ask its user for a password.
type store struct {
	dir   string
	ring  keyring     // nil: none
	files atomic.Bool // put nothing into it
}

func (s *store) path(key string) string { return filepath.Join(s.dir, key+".json") }

// load reads a record; an empty one where there is none.
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

// secrets are those of a record that was loaded.
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
		return nil, &Fault{What: "the login is in the system keyring, which does not give it: " + err.Error(), Mend: "unlock the keyring"}
	}
	if err := json.Unmarshal([]byte(blob), sec); err != nil {
		return nil, &Fault{What: "the login in the system keyring is damaged", Mend: "log in again"}
	}
	return sec, nil
}

// save writes a record. Where the keyring does not take the secrets, the file
// does.
func (s *store) save(key string, rec *record, sec *secrets) error {
	out := *rec
	out.Place, out.Secrets = inFile, sec
	switch {
	case s.ring == nil:
	case *sec == (secrets{}): // for nothing, nobody is asked for a password
		if rec.Place == inKeyring {
			_ = s.ring.remove(key) // what is left there is of no use
		}
	case !s.files.Load():
		blob, err := json.Marshal(sec)
		if err != nil {
			return err
		}
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

// remove forgets a record. The keyring is asked only if it holds a part of it.
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

// lockPoll is how often a lock that another process holds is tried. A lock
// tells nobody when it is free, other than who waits without an end.
const lockPoll = 20 * time.Millisecond

// lock keeps other processes, and other goroutines, from changing a record
// until unlock is called.
func (s *store) lock(ctx context.Context, key string) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("the login cannot be stored: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.dir, key+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the login cannot be stored: %w", err)
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { f.Close() }, nil // which gives the lock back
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			f.Close()
			return nil, fmt.Errorf("the stored login cannot be locked: %w", err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("another process is renewing the login: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
