// Package tree has the commands that read the tree without a mount: ls, cat and find,
// and prompt, which prints the page for an agent's prompt. They start nothing: without
// a background process they read what configuration and caches say.
//
// Each file is one command.
package tree

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/wording"
)

// Commands returns the commands that read the tree.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newLs(a), newCat(a), newFind(a), newLearned(a), newPrompt(a)}
}

func newLs(a *cli.App) *cobra.Command {
	var long, recursive bool
	cmd := cli.WithJSON(&cobra.Command{
		Use:               "ls [PATH...]",
		Short:             "list folders of the tree, without a mount",
		ValidArgsFunction: completePaths(a),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		asker := a.Fallback()
		defer asker.Close()
		if len(args) == 0 {
			args = []string{""}
		}
		l := &lister{app: a, asker: asker, long: long, recursive: recursive, json: asJSON, headers: len(args) > 1 || recursive}
		failed := eachPath(a, args, func(p string) error { return l.show(cmd.Context(), p) })
		if asJSON && failed == nil {
			return a.PrintJSON(l.all)
		}
		return failed
	})
	cmd.Flags().BoolVarP(&long, "long", "l", false, "with mode, size and time")
	cmd.Flags().BoolVarP(&recursive, "recursive", "R", false, "list all that is below, too")
	return cmd
}

type lister struct {
	app                            *cli.App
	asker                          fs.Asker
	long, recursive, json, headers bool
	shown                          int
	all                            []Entry
}

// Entry is a line of ls --json: an entry with its path in the tree.
type Entry struct {
	Path string `json:"path"`
	usertree.Entry
}

func (l *lister) show(ctx context.Context, p string) error {
	entries, err := usertree.OpList.Ask(ctx, l.asker, usertree.PathQuery{Path: p})
	if err != nil {
		return err
	}
	if l.json {
		for _, e := range entries {
			full := path.Join(p, e.Name)
			if e.Itself {
				full, e.Itself = p, false
			}
			l.all = append(l.all, Entry{Path: full, Entry: e})
		}
	} else {
		l.print(p, entries)
	}
	if !l.recursive {
		return nil
	}
	for _, e := range entries {
		if e.Type != "dir" {
			continue
		}
		if err := l.show(ctx, path.Join(p, e.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (l *lister) print(p string, entries []usertree.Entry) {
	if l.headers && !(len(entries) == 1 && entries[0].Itself) {
		if l.shown > 0 {
			l.app.Sayf("")
		}
		l.app.Sayf("%s:", path.Join(".", p))
	}
	l.shown++
	table := l.app.Table()
	defer table.Flush()
	for _, e := range entries {
		name := e.Name
		switch {
		case e.Itself:
			name = p
		case e.Type == "dir":
			name += "/"
		}
		if l.long {
			fmt.Fprintf(table, "%s\t%8d\t%s\t%s\n", e.Mode, e.Size, wording.Time(e.Modified), name)
		} else {
			fmt.Fprintln(table, name)
		}
	}
}

func completePaths(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, word string) (words []string, _ cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		dir, base := path.Split(word)
		entries, _ := cli.Ask(cmd.Context(), a, usertree.OpList, usertree.PathQuery{Path: cli.CleanPath(dir)}) // no paths to complete
		for _, e := range entries {
			if strings.HasPrefix(e.Name, base) {
				w := dir + e.Name
				if e.Type == "dir" {
					w += "/"
				}
				words = append(words, w)
			}
		}
		return words, directive
	}
}
