// Package places is where the things of one user lie, and how the background
// process is reached from there. It imports little: commands that are done when
// that process has answered are as quick to start as what they import.
package places

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ctxfs/mounts/control"
)

// Places are the folders of one user.
type Places struct {
	Home    string // the user's home folder
	Config  string // config.toml
	State   string // folder for logs and for what cannot be made again
	Cache   string // folder for catalogues
	Runtime string // folder for the socket
}

// Find finds the folders. Only that for the socket is made if need be.
func Find(lookupEnv func(string) (string, bool)) (Places, error) {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return Places{}, &control.Fault{Message: "the home folder is not known", Hint: "set HOME to an absolute path"}
	}
	xdg := func(variable string, fallback ...string) string {
		if dir, ok := lookupEnv(variable); ok && filepath.IsAbs(dir) {
			return filepath.Join(dir, "ctxfs")
		}
		return filepath.Join(append(append([]string{home}, fallback...), "ctxfs")...)
	}
	p := Places{
		Home:   home,
		Config: filepath.Join(xdg("XDG_CONFIG_HOME", ".config"), "config.toml"),
		State:  xdg("XDG_STATE_HOME", ".local", "state"),
		Cache:  xdg("XDG_CACHE_HOME", ".cache"),
	}
	p.Runtime, err = control.RuntimeDir(lookupEnv)
	return p, err
}

// Log is the log of the background process.
func (p Places) Log() string { return filepath.Join(p.State, "daemon.log") }

// Start connects to the background process, starting it if need be.
func (p Places) Start() (*control.Client, error) {
	if c, err := control.Dial(p.Runtime); !errors.Is(err, control.ErrNotRunning) {
		return c, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return nil, &control.Fault{
			Message: fmt.Sprintf("cannot make the folder for the log of the background process: %v", err),
			Hint:    "set XDG_STATE_HOME to a folder that you can write to",
		}
	}
	return control.Start(p.Runtime, exec.Command(self, "daemon"), p.Log())
}

// UntilServed calls ask again when the background process that it reached was
// just ending: another one comes after it.
func UntilServed(ask func() error) error {
	err := ask()
	for range 10 {
		if !errors.Is(err, control.ErrGone) {
			break
		}
		time.Sleep(20 * time.Millisecond)
		err = ask()
	}
	return err
}
