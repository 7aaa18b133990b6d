package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/caller"
	"ctxfs/providers/transcripts"
)

// transcriptsFolder is the folder of the sessions in the tree.
const transcriptsFolder = "transcripts"

// wantedSession describes the session that the command line names, or else the one
// that the command runs in.
func wantedSession(a *cli.App, args []string) (w transcripts.Wanted, err error) {
	if len(args) == 0 {
		w.Claims = caller.Claims(a.LookupEnv)
		w.Folders, err = foldersAbove(a)
		return w, err
	}
	w.Session = args[0]
	abs, err := a.Abs(w.Session)
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

// namesOf returns a path and, if it leads through symbolic links, the resolved
// path.
func namesOf(path string) []string {
	names := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		names = append(names, real)
	}
	return names
}

// foldersAbove returns the current folder and those above it up to the root of its
// repository, each by all its names. Outside of a repository it is the current folder
// alone.
func foldersAbove(a *cli.App) (all [][]string, err error) {
	named, err := a.Getwd()
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

// noteGuess prints a note that a session was found by its folder alone, if that
// folder has others.
func noteGuess(a *cli.App, k transcripts.Known) {
	if k.By == transcripts.ByFolder && k.Others > 0 {
		a.Notef("no agent says which session this is; this is the newest of %d in %s", k.Others+1, a.Tilde(k.CWD))
	}
}

// completeSession completes the id of a session, and shows its title.
func completeSession(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if strings.ContainsRune(word, filepath.Separator) {
			return nil, cobra.ShellCompDirectiveDefault // the path of a log
		}
		all, _ := cli.Ask(cmd.Context(), a, transcripts.OpSessions, transcripts.SessionsQuery{}) // nil without a process
		var words []string
		for _, k := range all {
			if strings.HasPrefix(k.ID, word) {
				words = append(words, k.ID+"\t"+strings.TrimSpace(k.Agent+" "+k.Title))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
