package memories

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/providers/memory"
)

func newMemory(a *cli.App) *cobra.Command {
	var in string
	var summary bool
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "memory",
		Short: "list what is remembered, or print the summary of it",
		Args:  cli.Args(0),
	}, func(cmd *cobra.Command, _ []string, asJSON bool) error {
		var q memory.ListQuery
		if summary || in != "" {
			at, err := a.Standpoint(in)
			if err != nil {
				return err
			}
			q.At = at
		}
		l, err := cli.Ask(cmd.Context(), a, memory.OpMemories, q)
		switch {
		case err != nil:
			return err
		case asJSON:
			return a.PrintJSON(l)
		case summary:
			a.Sayf("%s", strings.TrimSuffix(l.Summary, "\n"))
			return nil
		}
		list(a, l)
		return nil
	})
	cmd.Flags().StringVar(&in, "in", "", "those of the project of this folder, and yours")
	cmd.Flags().BoolVar(&summary, "summary", false, "print what to put before an agent")
	a.CompleteFlag(cmd, "in", cli.CompleteDirs)
	cmd.AddCommand(newShow(a), newProposed(a), newAccept(a), newDismiss(a))
	return cmd
}

// list prints a line for each memory.
func list(a *cli.App, l memory.Listed) {
	if len(l.Memories) == 0 {
		a.Notef("nothing is remembered yet; to remember something: ctxfs remember TEXT")
	}
	days := make(map[string]string)
	for _, m := range l.Memories {
		days[m.Path] = day(m)
	}
	said := make(map[[2]string]bool) // pairs already reported
	for _, m := range l.Memories {
		precise := slices.ContainsFunc(m.Differs, func(d string) bool { return days[d] == day(m) })
		a.Sayf("%s — %s [%s]", strings.TrimSuffix(m.Path, ".md"), m.Description, strings.Join(marks(m, precise), ", "))
		for _, d := range m.Differs {
			if !said[[2]string{d, m.Path}] {
				a.Sayf("  differs from %s", strings.TrimSuffix(d, ".md"))
				said[[2]string{m.Path, d}] = true
			}
		}
	}
	if l.Proposed > 0 {
		a.Notef("%s of what was said in sessions: ctxfs memory proposed", wording.Count(l.Proposed, "proposals"))
	}
}

// marks are the notes on a memory in brackets, its day, or with precise the time.
func marks(m memory.Item, precise bool) []string {
	all := []string{m.Type}
	switch {
	case m.Modified.IsZero():
	case precise:
		all = append(all, m.Modified.UTC().Format(time.DateTime))
	default:
		all = append(all, day(m))
	}
	if !m.Trusted {
		all = append(all, "not trusted")
	}
	return all
}

func day(m memory.Item) string { return m.Modified.UTC().Format(time.DateOnly) }

func newShow(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:               "show NAME...",
		Short:             "print memories whole, with who said them",
		Args:              cli.Args(-1, "show which memory?"),
		ValidArgsFunction: completeNames(a, func(memory.Item) bool { return true }),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		asker := a.Fallback()
		defer asker.Close()
		all := []memory.Item{}
		for _, name := range args {
			if name == "" {
				return notThere("the name of the memory is empty")
			}
			l, err := memory.OpMemories.Ask(cmd.Context(), asker, memory.ListQuery{Name: name})
			if err != nil {
				return err
			}
			all = append(all, l.Memories...)
		}
		if asJSON {
			return a.PrintJSON(all)
		}
		for i, m := range all {
			if i > 0 {
				a.Sayf("")
			}
			show(a, m)
		}
		return nil
	})
}

// show prints one memory.
func show(a *cli.App, m memory.Item) {
	a.Sayf("%s: %s", strings.TrimSuffix(m.Path, ".md"), m.Description)
	scope := "the user"
	if m.Scope != "user" {
		scope = a.Tilde(m.Scope)
	}
	a.Sayf("  %s of %s, %s", m.Type, scope, wording.Time(m.Modified))
	if len(m.Sources) > 0 {
		a.Sayf("  said by %s", strings.Join(m.Sources, "; "))
	}
	for _, f := range m.Files {
		a.Sayf("  in %s", a.Tilde(f))
	}
	for _, d := range m.Differs {
		a.Sayf("  differs from %s", strings.TrimSuffix(d, ".md"))
	}
	if !m.Trusted {
		a.Sayf("  not trusted: it lies in the files of a project; see ctxfs trust")
	}
	a.Sayf("\n%s", cli.Indent(m.Text))
}
