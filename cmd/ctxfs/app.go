package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// app is what every command needs: who the user is and where things lie.
type app struct {
	stdio
	lookupEnv func(string) (string, bool)

	places.Places
	unplaced error // why there are no places; then only what needs none is done
}

// newApp finds the folders.
func newApp(lookupEnv func(string) (string, bool)) (*app, error) {
	found, err := places.Find(lookupEnv)
	return &app{Places: found, lookupEnv: lookupEnv, unplaced: err}, err
}

func (a *app) defaultDir() string { return a.DefaultMount() }

// running connects to the background process if there is one; nil if not.
func (a *app) running(ctx context.Context) (*control.Client, error) {
	var c *control.Client
	err := places.UntilServed(func() (err error) {
		c, err = a.Process().Dial(ctx)
		return err
	})
	if errors.Is(err, control.ErrNotRunning) {
		return nil, nil
	}
	return c, err
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
	return wording.Tilde(path, a.Home)
}
