package agent

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/runner"
	"ctxfs/providers/executor/worktree"
)

func newAdopt(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "adopt ID",
		Short:             "merge what an agent changed in its worktree into the repository",
		Args:              cli.Args(1, which),
		ValidArgsFunction: completeJobs(a, 1, hasWorktree),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.OnlyReads(); err != nil {
				return err
			}
			j, err := findJob(a, "adopt", args[0], (*job.Job).Ended)
			if err != nil {
				return err
			}
			if !j.Ended() {
				return &control.Fault{Message: fmt.Sprintf("%s has not ended: %s", j.ID, stands(j)), Hint: "wait for it: ctxfs agent wait " + j.ID}
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			adopted, err := runner.Adopt(ctx, j, a.Environ())
			if err != nil {
				return notAdopted(a, j, err)
			}
			if asJSON {
				err = a.PrintJSON(adopted)
			} else {
				err = sayAdopted(a, j, adopted)
			}
			if err == nil && len(adopted.Conflicts) > 0 {
				return cli.Exit(console.ExitFailed, nil)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what came of it as JSON")
	return cmd
}

func hasWorktree(j *job.Job) bool { return j.Ended() && j.Result.Worktree != "" }

// notAdopted is the error of an adoption that was none.
func notAdopted(a *cli.App, j *job.Job, err error) error {
	fault := &control.Fault{Message: j.ID + ": " + err.Error()}
	cut := (*worktree.CutOffError)(nil)
	switch {
	case errors.As(err, &cut):
		git := "git -C " + wording.ShellWord(cut.Repository)
		fault.Hint = fmt.Sprintf("what is other than before: %s diff %s\ntake a file back: %[1]s restore --source=%[2]s -- FILE\nthen adopt it again: %[1]s update-ref -d %[2]s; ctxfs agent adopt %[3]s", git, cut.Ref, j.ID)
	case errors.Is(err, runner.ErrNoWorktree):
		fault.Message = j.ID + " has no worktree with changes"
		fault.Hint = "an agent that works in the repository itself changes it there; see: ctxfs agent result --json " + j.ID
	case errors.Is(err, worktree.ErrUnchanged):
	case j.Result.Diff != "":
		fault.Hint = "its changes are in " + a.Tilde(j.Result.Diff)
	}
	return fault
}

// sayAdopted says what came of an adoption.
func sayAdopted(a *cli.App, j *job.Job, adopted worktree.Adoption) error {
	if len(adopted.Conflicts) > 0 {
		var lines strings.Builder
		fmt.Fprintf(&lines, "%s conflicts with what is in %s, where nothing was changed:", j.ID, a.Tilde(adopted.Repository))
		for _, c := range adopted.Conflicts {
			fmt.Fprintf(&lines, "\n  %s (%s)", worktree.Shown(c.Path), c.Why)
		}
		return &control.Fault{Message: lines.String(), Hint: fmt.Sprintf("commit what is not committed there; then merge it by hand: git -C %s merge %s",
			wording.ShellWord(adopted.Repository), wording.ShellWord(cmp.Or(adopted.Branch, adopted.Commit)))}
	}
	if len(adopted.Left) > 0 {
		var left []string
		for _, path := range adopted.Left {
			left = append(left, worktree.Shown(path))
		}
		a.Notef("not adopted, as repositories of their own or unreadable: %s; the worktree is kept", wording.List(left, 5))
	}
	if adopted.Already {
		a.Sayf("%s: all of it is in %s already", j.ID, a.Tilde(adopted.Repository))
	} else {
		a.Sayf("%s: adopted %s in %s; nothing is committed", j.ID, wording.Count(len(adopted.Files), "changed files"), a.Tilde(adopted.Repository))
		for _, path := range adopted.Files {
			a.Sayf("  %s", worktree.Shown(path))
		}
	}
	if adopted.Branch != "" {
		a.Sayf("its commits are in the branch %s", adopted.Branch)
	}
	if adopted.Worktree != "" {
		a.Sayf("its worktree is %s", a.Tilde(adopted.Worktree))
	}
	return nil
}
