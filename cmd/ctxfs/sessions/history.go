// Package sessions has the commands for past and running sessions of agents: history
// names the files in which a session can be read, stale lists the files on disk that
// have changed since a session last saw them.
//
// session.go finds the session that a command means, history.go and stale.go are the
// commands, and hook.go is hook, which answers the hooks of agents.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/mounts"
	"ctxfs/providers/caller"
	"ctxfs/providers/transcripts"
)

// Commands returns the commands for sessions.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newHere(a), newPlans(a), newRules(a), newSkills(a), newNote(a), newHistory(a), newStale(a), newHook(a)}
}

func newHistory(a *cli.App) *cobra.Command {
	var all bool
	var cwd string
	cmd := cli.WithJSON(&cobra.Command{
		Use:               "history [SESSION]",
		Short:             "print the path of an agent's whole session",
		Long:              sayingAgents(),
		Args:              cli.Args(1),
		ValidArgsFunction: completeSession(a),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		switch {
		case all && len(args) > 0:
			return cli.Usage(cmd, errors.New("--all and a session exclude each other"))
		case !all && cmd.Flags().Changed("cwd"):
			return cli.Usage(cmd, errors.New("--cwd requires --all"))
		case len(args) > 0 && args[0] == "":
			return cli.Usage(cmd, errors.New("the name of the session is empty"))
		case all:
			return listHistory(cmd.Context(), a, cwd, asJSON)
		}
		return printHistory(cmd.Context(), a, args, asJSON)
	})
	cmd.Flags().BoolVarP(&all, "all", "a", false, "list all sessions, the newest first")
	cmd.Flags().StringVar(&cwd, "cwd", "", "with --all: only those that began in this folder or below it")
	a.CompleteFlag(cmd, "cwd", cli.CompleteDirs)
	return cmd
}

// Entry is a session for scripts.
type Entry struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	Title string `json:"title"`
	CWD   string `json:"cwd"`
	// Path, Digest and Files are the paths of transcript.md, digest.md and
	// files.tsv: in the mount, or without one in the tree. Tree is the session's
	// folder in the tree.
	Path    string    `json:"path"`
	Digest  string    `json:"digest"`
	Files   string    `json:"files"`
	Tree    string    `json:"tree"`
	Mounted bool      `json:"mounted"`
	Log     string    `json:"log"`
	Start   time.Time `json:"start,omitzero"`
	Last    time.Time `json:"last,omitzero"`
	Events  *int      `json:"events"` // null until its log was read
	Parent  string    `json:"parent,omitempty"`
	Fault   string    `json:"fault,omitempty"`
	By      string    `json:"by,omitempty"` // how it was found: "name", "environment" or "folder"
}

// entry describes a session, with its paths in the first view that has it.
func (s views) entry(k transcripts.Known) Entry {
	tree := transcriptsFolder + "/" + k.Path
	dir, mounted := s.dir(tree)
	return Entry{
		ID: k.ID, Agent: k.Agent, Title: k.Title, CWD: k.CWD, Tree: tree, Mounted: mounted, Log: k.Log,
		Path: dir + "/transcript.md", Digest: dir + "/digest.md", Files: dir + "/files.tsv",
		Start: k.Start, Last: k.Last, Events: k.Events, Parent: k.Parent, Fault: k.Fault, By: k.By,
	}
}

func printHistory(ctx context.Context, a *cli.App, args []string, asJSON bool) error {
	w, err := wantedSession(a, args)
	if err != nil {
		return err
	}
	k, err := cli.Ask(ctx, a, transcripts.OpSession, w)
	if err != nil {
		return err
	}
	shown, err := currentViews(ctx, a)
	if err != nil {
		return err
	}
	e := shown.entry(k)
	if asJSON {
		return a.PrintJSON(e)
	}
	noteGuess(a, k)
	a.Sayf("%s", e.Path)
	if !e.Mounted {
		a.Notef("not mounted; read it: ctxfs cat %s", wording.ShellWord(e.Path))
	}
	if e.Fault != "" {
		a.Notef("the session cannot be read: %s", e.Fault)
	}
	return nil
}

func listHistory(ctx context.Context, a *cli.App, cwd string, asJSON bool) error {
	var below []string
	if cwd != "" {
		abs, err := a.Abs(cwd)
		if err != nil {
			return err
		}
		below = namesOf(abs)
	}
	all, err := cli.Ask(ctx, a, transcripts.OpSessions, transcripts.SessionsQuery{Below: below})
	if err != nil {
		return err
	}
	shown, err := currentViews(ctx, a)
	if err != nil {
		return err
	}
	list := make([]Entry, 0, len(all))
	for _, k := range all {
		list = append(list, shown.entry(k))
	}
	switch {
	case asJSON:
		return a.PrintJSON(list)
	case len(list) == 0 && cwd != "":
		a.Notef("no session of an agent began in %s or below it; list all: ctxfs history --all", cwd)
		return nil
	case len(list) == 0:
		a.Notef("no agent has left a session in the home folder %s yet", a.Home)
		return nil
	}
	table := a.Table()
	fmt.Fprintln(table, "LAST\tAGENT\tTITLE\tTRANSCRIPT")
	for _, e := range list {
		title := []rune(e.Title)
		if len(title) > 60 {
			title = append(title[:60], []rune(" ...")...)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", wording.Time(e.Last), e.Agent, string(title), e.Path)
	}
	return table.Flush()
}

// views are the folders where the tree is shown now, the best one first.
type views []mounts.ViewInfo

// currentViews asks the background process, since a mount that does not answer must
// not be touched.
func currentViews(ctx context.Context, a *cli.App) (views, error) {
	info, err := a.ServerInfo(ctx)
	if err != nil {
		return nil, err
	}
	views := slices.Clone(info.Mounts)
	slices.SortStableFunc(views, func(x, y mounts.ViewInfo) int { return viewRank(a, x) - viewRank(a, y) })
	return views, nil
}

func viewRank(a *cli.App, v mounts.ViewInfo) int {
	switch {
	case v.Kind != "fuse":
		return 2 // a copy
	case v.Dir != a.DefaultMount():
		return 1
	}
	return 0
}

// dir returns the path on disk of a folder of the tree, or its path in the tree if it
// is shown nowhere.
func (s views) dir(tree string) (dir string, mounted bool) {
	for _, v := range s {
		path := filepath.Join(v.Dir, tree)
		if v.Kind != "fuse" {
			if _, err := os.Lstat(path); err != nil {
				continue // not copied yet
			}
		}
		return path, true
	}
	return tree, false
}

// sayingAgents lists the agents that name their session.
func sayingAgents() string {
	var shells, hooks []string
	for _, a := range caller.Agents() {
		if a.Shells {
			shells = append(shells, a.Name)
		}
		if a.Hooks {
			hooks = append(hooks, a.Name)
		}
	}
	return "  in shells and hooks  " + strings.Join(shells, ", ") + "\n  in hooks only        " + strings.Join(hooks, ", ") + "\n"
}
