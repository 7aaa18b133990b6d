package tree

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs/facts"
	"ctxfs/mounts/control"
	"ctxfs/providers/find"
	"ctxfs/providers/mcp"
)

// maxMatches is the largest value of --limit.
const maxMatches = 1000

func newFind(a *cli.App) *cobra.Command {
	var in string
	var limit int
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "find WANT...",
		Short: "find tools, skills and everything else in the tree",
		Args:  cli.Args(-1, "what should be found? give a name, or a few words"),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		if limit < 0 || limit > maxMatches || limit == 0 && cmd.Flags().Changed("limit") {
			return cli.Usage(cmd, fmt.Errorf("-n takes a number from 1 to %d", maxMatches))
		}
		folder, err := a.TreePath(in)
		if err != nil {
			return err
		}
		asker := a.Fallback()
		defer asker.Close()
		wants := wantsOf(args)
		if limit == 0 {
			if limit = mostOfOne; len(wants) > 1 {
				limit = mostOfEach
			}
		}
		answers, found := make([]find.Answer, len(wants)), false
		for i, want := range wants {
			matches, err := usertree.OpFind.Ask(cmd.Context(), asker, usertree.FindQuery{Query: want, In: folder, Limit: limit, Caller: a.Here()})
			if err != nil {
				return err
			}
			answers[i] = find.Answer{Want: want, Matches: matches}
			found = found || len(matches) > 0
		}
		boxes, err := mcp.OpTools.Ask(cmd.Context(), asker, mcp.ToolQuery{})
		if err != nil {
			return err
		}
		unready, note := usertree.Unready(boxes, folder), ""
		if len(unready) > 0 {
			note = usertree.NotReady(unready, "searched") + "; why: ctxfs tools"
		}
		switch {
		case !found:
			what := fmt.Sprintf("nothing matches %q", strings.Join(wants, `", "`))
			if note != "" {
				what += "; " + note
			}
			return &control.Fault{Message: what, Hint: "try other words, or see what there is: ctxfs ls"}
		case asJSON:
			if note != "" {
				a.Notef("%s", note)
			}
			return a.PrintJSON(flat(answers))
		}
		if _, err = io.WriteString(a.Out, find.List(answers, true)); err == nil && note != "" {
			a.Sayf("%s", note)
		}
		return err
	})
	cmd.Flags().StringVar(&in, "in", "", "only below this path of the tree, such as mcps or mcps/github")
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, fmt.Sprintf("print at most this many for a want (default %d, of several wants %d)", mostOfOne, mostOfEach))
	a.CompleteFlag(cmd, "in", completePaths(a))
	return cmd
}

// How many matches are printed by default: of a single want, and of each of several.
const (
	mostOfOne  = 10
	mostOfEach = 5
)

// wantsOf returns the wants of a command line: each argument, where several have
// blanks, and else one of all words.
func wantsOf(args []string) []string {
	phrases := 0
	for _, arg := range args {
		if strings.ContainsAny(strings.TrimSpace(arg), " \t\n") {
			phrases++
		}
	}
	if phrases < 2 {
		return []string{strings.Join(args, " ")}
	}
	return args
}

// wanted is a match as JSON; Want is "" where there is only one.
type wanted struct {
	Want string `json:"want,omitempty"`
	facts.Match
}

// flat returns all matches, in the order in which they are listed.
func flat(answers []find.Answer) []wanted {
	all := []wanted{}
	for _, answer := range answers {
		for _, m := range answer.Matches {
			one := wanted{Match: m}
			if len(answers) > 1 {
				one.Want = answer.Want
			}
			all = append(all, one)
		}
	}
	return all
}
