package oauth

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	system "github.com/zalando/go-keyring"
)

// keyring holds texts by name.
type keyring interface {
	get(name string) (string, error) // errNoSecret where there is none
	set(name, text string) error
	remove(name string) error
}

var (
	errNoSecret    = errors.New("there is no such secret")
	errKeyringMute = errors.New("it does not answer; it may be waiting for its password")
)

// keyringService is what the system's keyring lists our secrets under.
const keyringService = "ctxfs"

// systemKeyring is the keyring of the desktop or the system, or nil where
// there is none: on Linux it is reached over the session bus, which logins
// over ssh and services do not have.
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

// keyringTime is how long a keyring may take: it may ask its user for a
// password.
const keyringTime = 30 * time.Second

// desktop is the system's keyring.
type desktop struct{ limit time.Duration }

func (d *desktop) get(name string) (string, error) {
	text, err := within(d.limit, func() (string, error) { return system.Get(keyringService, name) })
	if errors.Is(err, system.ErrNotFound) {
		err = errNoSecret
	}
	return text, err
}

func (d *desktop) set(name, text string) error {
	_, err := within(d.limit, func() (struct{}, error) { return struct{}{}, system.Set(keyringService, name, text) })
	return err
}

func (d *desktop) remove(name string) error {
	_, err := within(d.limit, func() (struct{}, error) { return struct{}{}, system.Delete(keyringService, name) })
	if errors.Is(err, system.ErrNotFound) {
		return errNoSecret
	}
	return err
}

// within bounds a call that takes no context. One that hangs is left behind.
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
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-timer.C:
		var zero T
		return zero, errKeyringMute
	}
}
