package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers/transcripts"
)

// transcriptsFolder is the folder of the sessions in the tree.
const transcriptsFolder = "transcripts"

// sessionsArgs are those of the request "sessions".
type sessionsArgs struct {
	Below []string `json:"below,omitempty"`
}

// wanted is the session that the command line names, or the one that the command
// is run in.
func (a *app) wanted(args []string) (w transcripts.Wanted, err error) {
	if len(args) == 0 {
		w.Claims = transcripts.Claims(a.LookupEnv)
		w.Folders, err = foldersAbove()
		return w, err
	}
	w.Session = args[0]
	abs, err := filepath.Abs(w.Session)
	if err != nil {
		return w, err
	}
	w.Files = namesOf(abs)
	tree, err := a.TreePath(abs)
	if err != nil { // not in a mount
		tree = cli.CleanPath(w.Session)
	}
	w.Tree, _ = strings.CutPrefix(tree, transcriptsFolder+"/")
	return w, nil
}

// namesOf are the names of a path: as it is given, and without links.
func namesOf(path string) []string {
	names := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		names = append(names, real)
	}
	return names
}

// foldersAbove are the current folder and those above it up to the root of its
// repository, each in all its names. Without a repository it is that folder
// alone.
func foldersAbove() (all [][]string, err error) {
	named, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("the current folder is not known: %w", err)
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		real = named
	}
	for dir := real; ; dir, named = filepath.Dir(dir), filepath.Dir(named) {
		names := []string{dir}
		if to, err := filepath.EvalSymlinks(named); err == nil && to == dir && named != dir {
			names = append(names, named)
		}
		all = append(all, names)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return all, nil
		}
		if dir == filepath.Dir(dir) {
			return all[:1], nil
		}
	}
}

func (s *localSource) session(ctx context.Context, w transcripts.Wanted) (transcripts.Known, error) {
	k, err := s.world.providers.Session(ctx, w)
	return k, sessionFault(err)
}

func (s *localSource) sessions(ctx context.Context, below []string) ([]transcripts.Known, error) {
	return s.world.providers.Sessions(ctx, below)
}

// sessionFault words an error for people.
func sessionFault(err error) error {
	if unclear := (*transcripts.UnclearError)(nil); errors.As(err, &unclear) {
		return &control.Fault{Message: unclear.What, Hint: unclear.Mend}
	}
	return err
}

func (s *remoteSource) session(ctx context.Context, w transcripts.Wanted) (k transcripts.Known, err error) {
	err = s.call(ctx, "session", w, &k, nil, func(after source) error {
		k, err = after.session(ctx, w)
		return err
	})
	return k, err
}

func (s *remoteSource) sessions(ctx context.Context, below []string) (all []transcripts.Known, err error) {
	err = s.call(ctx, "sessions", sessionsArgs{below}, &all, nil, func(after source) error {
		all, err = after.sessions(ctx, below)
		return err
	})
	return all, err
}

// sessionHandler answers the request "session".
func (w *world) sessionHandler() mounts.Handler {
	return func(ctx context.Context, c *control.Conn) error {
		var args transcripts.Wanted
		if err := c.Args(&args); err != nil {
			return err
		}
		k, err := w.providers.Session(ctx, args)
		if err != nil {
			return sessionFault(err)
		}
		return c.Reply(k)
	}
}

// sessionsHandler answers the request "sessions".
func (w *world) sessionsHandler() mounts.Handler {
	return func(ctx context.Context, c *control.Conn) error {
		var args sessionsArgs
		if err := c.Args(&args); err != nil {
			return err
		}
		all, err := w.providers.Sessions(ctx, args.Below)
		if err != nil {
			return err
		}
		return c.Reply(all)
	}
}

// guessed tells of a session that was found by the folder alone, where it could
// have been another.
func (a *app) guessed(k transcripts.Known) {
	if k.By == transcripts.ByFolder && k.Others > 0 {
		a.Notef("no agent says which session this is; this is the newest of %d in %s", k.Others+1, a.Tilde(k.CWD))
	}
}

// completeSession completes the id of a session, with its title.
func (a *app) completeSession(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if strings.ContainsRune(word, filepath.Separator) {
		return nil, cobra.ShellCompDirectiveDefault // the path of a log
	}
	src, err := a.source(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer src.close()
	all, _ := src.sessions(cmd.Context(), nil) // none, where there are none
	var words []string
	for _, k := range all {
		if strings.HasPrefix(k.ID, word) {
			words = append(words, k.ID+"\t"+strings.TrimSpace(k.Agent+" "+k.Title))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
