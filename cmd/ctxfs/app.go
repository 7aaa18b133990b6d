package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// app is what every command needs: who the user is and where things lie.
type app struct {
	stdio
	lookupEnv func(string) (string, bool)

	places.Places
	unplaced error // why there are no places; then only what needs none is done
}

// newApp finds the folders. Only that for the socket is made if need be.
func newApp(lookupEnv func(string) (string, bool)) (*app, error) {
	found, err := places.Find(lookupEnv)
	return &app{Places: found, lookupEnv: lookupEnv, unplaced: err}, err
}

// defaultDir is where the tree is mounted if nothing else is said.
func (a *app) defaultDir() string { return filepath.Join(a.Home, ".agentctx") }

// running connects to the background process if there is one; nil if not.
func (a *app) running() (*control.Client, error) {
	c, err := control.Dial(a.Runtime)
	if errors.Is(err, control.ErrNotRunning) {
		return nil, nil
	}
	return c, err
}

// answerTime is how long the background process may take to say how it is. On a
// busy machine one that is well takes seconds, and who is told that it hangs
// kills it.
const answerTime = 10 * time.Second

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

// askForLong sends a request that may take a healthy process a while, such as
// for a file that has to be made first. Whether anybody is there is found out
// before.
func (a *app) askForLong(ctx context.Context, c *control.Client, op string, args, value any) error {
	if _, err := a.serverInfo(ctx); err != nil {
		return err
	}
	return c.Call(ctx, op, args, value, nil)
}

// hung says that the background process does not answer.
func (a *app) hung() error {
	pid := control.LockHolder(a.Runtime)
	if guard.Look("/proc/"+pid) == guard.Dying {
		return &control.Fault{
			Message: fmt.Sprintf("the background process (%s) was killed, and hangs in the kernel with its mounts", pid),
			Hint:    "free them, and start anew: ctxfs mount",
		}
	}
	return &control.Fault{
		Message: fmt.Sprintf("the background process (%s) does not answer", pid),
		Hint:    fmt.Sprintf("end it and start anew: kill -9 %s; ctxfs mount", pid),
	}
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
	if rel, err := filepath.Rel(a.Home, path); err == nil && filepath.IsLocal(rel) && rel != "." {
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
