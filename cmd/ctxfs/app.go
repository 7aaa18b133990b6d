package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/mounts/control"
)

// app is what every command needs: who the user is and where things lie.
type app struct {
	stdio
	lookupEnv func(string) (string, bool)

	home    string // the user's home folder
	config  string // config.toml
	state   string // folder for logs
	cache   string // folder for catalogues
	runtime string // folder for the socket
}

// newApp finds the folders. Only that for the socket is made if need be.
func newApp(lookupEnv func(string) (string, bool)) (*app, error) {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return new(app), &control.Fault{Message: "the home folder is not known", Hint: "set HOME to an absolute path"}
	}
	xdg := func(variable string, fallback ...string) string {
		if dir, ok := lookupEnv(variable); ok && filepath.IsAbs(dir) {
			return filepath.Join(dir, "ctxfs")
		}
		return filepath.Join(append(append([]string{home}, fallback...), "ctxfs")...)
	}
	a := &app{
		lookupEnv: lookupEnv,
		home:      home,
		config:    filepath.Join(xdg("XDG_CONFIG_HOME", ".config"), "config.toml"),
		state:     xdg("XDG_STATE_HOME", ".local", "state"),
		cache:     xdg("XDG_CACHE_HOME", ".cache"),
	}
	a.runtime, err = control.RuntimeDir(lookupEnv)
	return a, err
}

// defaultDir is where the tree is mounted if nothing else is said.
func (a *app) defaultDir() string { return filepath.Join(a.home, ".agentctx") }

func (a *app) logPath() string { return filepath.Join(a.state, "daemon.log") }

// start connects to the background process, starting it if need be.
func (a *app) start() (*control.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(a.state, 0o700); err != nil {
		return nil, &control.Fault{
			Message: fmt.Sprintf("cannot make the folder for the log of the background process: %v", err),
			Hint:    "set XDG_STATE_HOME to a folder that you can write to",
		}
	}
	return control.Start(a.runtime, exec.Command(self, "daemon"), a.logPath())
}

// running connects to the background process if there is one; nil if not.
func (a *app) running() (*control.Client, error) {
	c, err := control.Dial(a.runtime)
	if errors.Is(err, control.ErrNotRunning) {
		return nil, nil
	}
	return c, err
}

// answerTime is how long the background process may take to say how it is.
const answerTime = 5 * time.Second

// ask sends a request that a healthy process answers at once.
func (a *app) ask(ctx context.Context, c *control.Client, op string, args, value any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := c.Call(ctx, op, args, value, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return a.hung()
	}
	return err
}

// hung says that the background process does not answer.
func (a *app) hung() error {
	pid := control.LockHolder(a.runtime)
	return &control.Fault{
		Message: fmt.Sprintf("the background process (%s) does not answer", pid),
		Hint:    fmt.Sprintf("end it and start anew: kill -9 %s; ctxfs mount", pid),
	}
}

// untilServed calls ask again when the background process that it reached was
// just ending: another one comes after it.
func untilServed(ask func() error) error {
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

// say prints a line for people.
func (a *app) say(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// note prints a line that is not the result: to standard error.
func (a *app) note(format string, args ...any) { fmt.Fprintf(a.err, "ctxfs: "+format+"\n", args...) }

// printJSON prints a value for scripts.
func (a *app) printJSON(value any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// tilde shortens a path in the home folder, for people.
func (a *app) tilde(path string) string {
	if rel, err := filepath.Rel(a.home, path); err == nil && filepath.IsLocal(rel) && rel != "." {
		return "~/" + rel
	}
	return path
}

// pretty writes a count and its noun, given in the plural: "1 file", "2 files".
func pretty(n int, nouns string) string {
	if n == 1 {
		nouns = strings.TrimSuffix(nouns, "s")
	}
	return fmt.Sprintf("%d %s", n, nouns)
}
