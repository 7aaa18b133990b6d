package tree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/mounts/control"
	"ctxfs/providers"
	"ctxfs/providers/find/learned"
)

// everything is the name of all that was learned.
const everything = "all"

func newLearned(a *cli.App) *cobra.Command {
	var forget []string
	cmd := cli.WithJSON(&cobra.Command{
		Use:               "learned [NAME...]",
		Short:             "print, or forget, what searches have learned",
		ValidArgsFunction: completeLearned(a, false),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		asker := a.Fallback()
		defer asker.Close()
		if len(forget) > 0 {
			if len(args) > 0 {
				return cli.Usage(cmd, fmt.Errorf("--forget takes the name: --forget %s", args[0]))
			}
			return forgetLearned(cmd.Context(), a, asker, forget)
		}
		report, err := usertree.OpLearned.Ask(cmd.Context(), asker, fs.None{})
		if err != nil {
			return err
		}
		topics, err := chosenTopics(report.Topics, args)
		switch {
		case err != nil:
			return err
		case asJSON:
			return a.PrintJSON(topics)
		case report.Off:
			a.Notef("learning is switched off: [find] learn = false in %s", a.Tilde(a.Places.Config))
		case len(topics) == 0:
			a.Notef("nothing was learned yet")
		}
		printTopics(a, topics)
		return nil
	})
	cmd.Flags().StringSliceVar(&forget, "forget", nil, "forget what was learned of this tool, server or skill, or of \"all\"")
	a.CompleteFlag(cmd, "forget", completeLearned(a, true))
	return cmd
}

// chosenTopics returns those that have one of some names, or are of a server with one;
// all of them without a name.
func chosenTopics(topics []learned.Topic, names []string) (chosen []learned.Topic, err error) {
	if len(names) == 0 {
		return slices.Concat([]learned.Topic{}, topics), nil // an empty list in JSON, not null
	}
	for _, name := range names {
		n := len(chosen)
		for _, t := range topics {
			if learned.Fold(learned.NameOf(t.Used)) == learned.Fold(name) || t.Server != "" && learned.Fold(t.Server) == learned.Fold(name) {
				chosen = append(chosen, t)
			}
		}
		if len(chosen) == n {
			return nil, unknownTopic(topics, name)
		}
	}
	return chosen, nil
}

func unknownTopic(topics []learned.Topic, name string) error {
	var known []string
	for _, t := range topics {
		known = append(known, learned.NameOf(t.Used))
	}
	hint := "see what was: ctxfs learned"
	if near := providers.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return &control.Fault{Message: fmt.Sprintf("nothing was learned of %q", name), Hint: hint}
}

func forgetLearned(ctx context.Context, a *cli.App, asker fs.Asker, names []string) error {
	var all []facts.Used
	if slices.Contains(names, everything) {
		all = []facts.Used{{}}
	} else {
		report, err := usertree.OpLearned.Ask(ctx, asker, fs.None{})
		if err != nil {
			return err
		}
		topics, err := chosenTopics(report.Topics, names)
		if err != nil {
			return err
		}
		for _, t := range topics {
			all = append(all, t.Used)
		}
	}
	sum := 0
	for _, used := range all {
		n, err := usertree.OpForget.Ask(ctx, asker, used)
		if err != nil {
			return err
		}
		sum += n
	}
	a.Sayf("forgot what was wanted before %d uses of %s", sum, strings.Join(names, ", "))
	return nil
}

func printTopics(a *cli.App, topics []learned.Topic) {
	for i, t := range topics {
		if i > 0 {
			a.Sayf("")
		}
		line := fmt.Sprintf("%s (%s): %d used", learned.NameOf(t.Used), t.Kind, t.Uses)
		if t.Failed > 0 {
			line += fmt.Sprintf(", %d failed or denied", t.Failed)
		}
		a.Sayf("%s", line)
		for _, w := range t.Wants {
			against := ""
			if w.Weight < 0 {
				against = "✗ "
			}
			when := ""
			if !w.Last.IsZero() {
				when = w.Last.UTC().Format(time.DateOnly) + " "
			}
			a.Sayf("  %s%s%s", when, against, w.Text)
		}
	}
}

// completeLearned completes names of what was learned, and that of all if wanted.
func completeLearned(a *cli.App, all bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		report, err := cli.Ask(cmd.Context(), a, usertree.OpLearned, fs.None{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, t := range report.Topics {
			if name := learned.NameOf(t.Used); strings.HasPrefix(name, word) {
				names = append(names, name)
			}
		}
		if all && strings.HasPrefix(everything, word) {
			names = append(names, everything)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
