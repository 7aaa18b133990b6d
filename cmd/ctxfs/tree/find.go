package tree

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/find"
)

// maxMatches is the largest value of --limit.
const maxMatches = 1000

func newFind(a *cli.App) *cobra.Command {
	var in string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "find WORDS...",
		Short: "find tools, skills and everything else in the tree",
		Long: `Find prints the best matches, best first: the path in the tree, one line that
describes it, and a score: the share of WORDS that it has, by how rare they
are. WORDS is a name or part of one, a few words, or a sentence that says what
you want to do; small typing errors do not matter. Tools, prompts, resources,
skills, servers that do not work, terminals, long results and what was said in
past sessions are ranked together; --in narrows the search to a folder. Of one
server or session only the best are listed, with how many more there are, as
long as something else fits. What is about the project that you stand in, or is
new, counts for a little more. It starts nothing: without a background process
it finds what is known from configuration and caches.`,
		Example: `  ctxfs find create issue
  ctxfs find --in mcps/github "merge a pull request"
  ctxfs find --in transcripts why does the login test fail
  ctxfs cat "$(ctxfs find -n 1 --json take a screenshot | jq -r '.[0].path')"`,
		Args: cli.Args(-1, "what should be found? give a name, or a few words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 || limit > maxMatches {
				return cli.Usage(cmd, fmt.Errorf("-n takes a number from 1 to %d", maxMatches))
			}
			folder, err := a.TreePath(in)
			if err != nil {
				return err
			}
			asker := a.Fallback()
			defer asker.Close()
			query := strings.Join(args, " ")
			matches, err := usertree.OpFind.Ask(cmd.Context(), asker, usertree.FindQuery{Query: query, In: folder, Limit: limit, Caller: fs.Here()})
			switch {
			case err != nil:
				return err
			case len(matches) == 0:
				return &control.Fault{
					Message: fmt.Sprintf("nothing matches %q", query),
					Hint:    "try other words, or see what there is: ctxfs ls",
				}
			case asJSON:
				return a.PrintJSON(matches)
			}
			PrintMatches(a, matches)
			return nil
		},
	}
	cmd.Flags().StringVar(&in, "in", "", "only below this path of the tree, such as mcps or mcps/github")
	cmd.Flags().IntVarP(&limit, "limit", "n", 10, "print at most this many")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	_ = cmd.RegisterFlagCompletionFunc("in", completePaths(a)) // fails for a flag that is not there
	return cmd
}

// PrintMatches prints a line for each match, and says so first if none is good.
func PrintMatches(a *cli.App, matches []fs.Match) {
	if len(matches) > 0 && matches[0].Score < find.GoodScore {
		a.Notef("nothing good; nearest:")
	}
	for _, m := range matches {
		line := m.Path
		if m.Why != "" {
			line += " — " + m.Why
		}
		a.Sayf("%s (%.2f)", line, m.Score)
		if m.More > 0 {
			a.Sayf("  and %d more in %s", m.More, m.In)
		}
	}
}
