package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/transcripts"
	"ctxfs/providers/workspaces/changes"
)

func newStale(a *cli.App) *cobra.Command {
	var o staleOptions
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "stale [SESSION | --diff [FILE…] | --guard FILE…]",
		Short: "list files that have changed since an agent's session last saw them",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if o.diff || o.guard {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return completeSession(a)(cmd, args, word)
		},
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		if err := o.settle(args); err != nil {
			return cli.Usage(cmd, err)
		}
		report, err := stale(cmd.Context(), a, o)
		if err != nil {
			return err
		}
		if err := a.Report(asJSON, report, func() { printStale(a, report, o) }, false); err != nil {
			return err
		}
		switch {
		case len(report.Files) == 0:
			return nil
		case o.guard:
			return cli.Exit(console.ExitStale, nil)
		}
		return cli.Exit(console.ExitProblems, nil)
	})
	cmd.Flags().BoolVar(&o.diff, "diff", false, "print what changed in the files, or in all")
	cmd.Flags().BoolVar(&o.guard, "guard", false, "exit with 10 if an edit of one of the files would be made on an outdated reading")
	cmd.Flags().StringVar(&o.session, "session", "", "the session; the default is the one in which the command is run")
	a.CompleteFlag(cmd, "session", completeSession(a))
	return cmd
}

// staleOptions say what is compared.
type staleOptions struct {
	diff, guard bool
	session     string
	files       []string // none for all
}

// settle reads the arguments.
func (o *staleOptions) settle(args []string) error {
	switch {
	case slices.Contains(args, ""):
		what := "session"
		if o.diff || o.guard {
			what = "file"
		}
		return fmt.Errorf("the name of the %s is empty", what)
	case o.diff || o.guard:
		o.files = args
		if o.guard && len(args) == 0 {
			return errors.New("name the files that are to be edited")
		}
	case len(args) > 1:
		return fmt.Errorf("one session is compared, not %d; to name files, add --diff or --guard", len(args))
	case len(args) == 1 && o.session != "":
		return errors.New("the session is named twice")
	case len(args) == 1:
		o.session = args[0]
	}
	return nil
}

// StaleReport is what `ctxfs stale --json` prints.
type StaleReport struct {
	Session string `json:"session"`
	Agent   string `json:"agent"`
	// Checked is how many files were compared.
	Checked int              `json:"checked"`
	Files   []changes.Change `json:"files"`
	// Unseen are the files that were named and that the session has not seen.
	Unseen []string `json:"unseen,omitempty"`
	known  transcripts.Known
}

// stale compares the files of a session with those on disk.
func stale(ctx context.Context, a *cli.App, o staleOptions) (*StaleReport, error) {
	var q transcripts.SeenQuery
	var named []string
	if o.session != "" {
		named = append(named, o.session)
	}
	var err error
	if q.Wanted, err = wantedSession(a, named); err != nil {
		return nil, err
	}
	for _, name := range o.files {
		abs, err := a.Abs(name)
		if err != nil {
			return nil, err
		}
		q.Names = append(q.Names, filepath.Base(abs))
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			q.Names = append(q.Names, filepath.Base(real))
		}
	}
	asker := a.Fallback()
	defer asker.Close()
	seen, err := transcripts.OpSeen.Ask(ctx, asker, q)
	if err != nil {
		return nil, err
	}
	k := seen.Session
	if k.Fault != "" {
		return nil, &control.Fault{
			Message: fmt.Sprintf("the session %s of %s cannot be read: %s", k.ID, k.Agent, k.Fault),
			Hint:    "see what is wrong: ctxfs cat " + path.Join(transcriptsFolder, k.Path, "STATUS.md"),
		}
	}
	report := &StaleReport{Session: k.ID, Agent: k.Agent, Files: []changes.Change{}, known: k}
	for i, one := range seen.Files {
		seen.Files[i].File = wording.ExpandTilde(one.File, a.Home)
	}
	if len(o.files) > 0 {
		if seen.Files, report.Unseen, err = ofFiles(a, seen.Files, o.files); err != nil {
			return nil, err
		}
	}
	reads, err := withTexts(ctx, asker, a, q, seen)
	if err != nil {
		return nil, err
	}
	for _, s := range reads {
		c, compared := changes.Compare(s, k.Last)
		if !compared {
			continue
		}
		report.Checked++
		if !o.diff {
			c.Diff = ""
		}
		if c.State != changes.Same && (!o.guard || c.Outdated()) {
			report.Files = append(report.Files, c)
		}
	}
	return report, nil
}

// ofFiles returns the reads of the named files, under whatever name the session has seen
// them, and the names of those that it has not.
func ofFiles(a *cli.App, all []facts.Read, files []string) (some []facts.Read, unseen []string, err error) {
	for _, name := range files {
		abs, err := a.Abs(name)
		if err != nil {
			return nil, nil, err
		}
		names := pathsOf(abs)
		info, statErr := os.Stat(abs)
		before := len(some)
		for _, s := range all {
			same := slices.Contains(names, s.File)
			if !same && statErr == nil {
				other, err := os.Stat(s.File)
				same = err == nil && os.SameFile(info, other)
			}
			if same && !slices.ContainsFunc(some, func(o facts.Read) bool { return o.File == s.File }) {
				some = append(some, s)
			}
		}
		if len(some) == before && !slices.ContainsFunc(some, func(o facts.Read) bool { return slices.Contains(names, o.File) }) {
			unseen = append(unseen, name)
		}
	}
	return some, unseen, nil
}

// withTexts returns the reads with the texts that were seen where the comparison depends
// on them.
func withTexts(ctx context.Context, asker fs.Asker, a *cli.App, q transcripts.SeenQuery, seen transcripts.Seen) ([]facts.Read, error) {
	named := make(map[string]int) // by the path as the session has it
	for i, s := range seen.Files {
		if changes.NeedsText(s, seen.Session.Last) {
			path := s.File
			for _, as := range []string{path, wording.Tilde(path, a.Home)} {
				named[as] = i
				q.Paths = append(q.Paths, as)
			}
		}
	}
	if len(q.Paths) == 0 {
		return seen.Files, nil
	}
	q.Texts, q.Names = true, nil
	q.Session, q.Tree, q.Files, q.Claims = seen.Session.Path, seen.Session.Path, nil, nil // the same one, whatever begins meanwhile
	more, err := transcripts.OpSeen.Ask(ctx, asker, q)
	if err != nil {
		return nil, err
	}
	for _, s := range more.Files {
		i := named[s.File]
		s.File = seen.Files[i].File
		seen.Files[i] = s
	}
	return seen.Files, nil
}

// pathsOf returns the names that a session may know a file by: also without symbolic
// links, and for one that does not exist, with those of its folder resolved.
func pathsOf(path string) []string {
	names := namesOf(path)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		if real := filepath.Join(dir, filepath.Base(path)); !slices.Contains(names, real) {
			names = append(names, real)
		}
	}
	return names
}

func printStale(a *cli.App, r *StaleReport, o staleOptions) {
	noteGuess(a, r.known)
	here, err := a.Getwd()
	name := func(path string) string {
		if rel, relErr := filepath.Rel(here, path); err == nil && relErr == nil && filepath.IsLocal(rel) {
			return rel
		}
		return path
	}
	switch {
	case o.guard:
		for _, c := range r.Files {
			a.Sayf("%s: %s", c.Line(name(c.Path)), advice(&c, name(c.Path)))
			if o.diff {
				a.Sayf("%s", strings.TrimSuffix(c.Diff, "\n"))
			}
		}
	case o.diff && len(r.Files) > 0:
		a.Sayf("%s", strings.TrimSuffix(changes.Text(r.Files, name), "\n"))
	default:
		for _, c := range r.Files {
			a.Sayf("%s", c.Line(name(c.Path)))
		}
	}
	session := fmt.Sprintf("the session %s of %s", r.Session, r.Agent)
	for _, file := range r.Unseen {
		a.Notef("%s has not seen %s", session, file)
	}
	switch {
	case len(r.Files) > 0 && r.known.CWD != "" && !exists(r.known.CWD):
		a.Notef("%s began in %s, which is not on this machine", session, r.known.CWD)
	case len(r.Files) > 0 || len(r.Unseen) > 0 || o.guard:
	case r.Checked == 0:
		a.Notef("nothing changed: %s has read and written no known files", session)
	default:
		a.Notef("nothing changed: %s as %s last saw them", areFiles(r.Checked), session)
	}
}

// advice returns what to do before a file is edited.
func advice(c *changes.Change, name string) string {
	if c.State == changes.Deleted {
		return "find out why before you write it again"
	}
	return "read it again before you edit it, or see what changed: ctxfs stale --diff " + wording.ShellWord(name)
}

func areFiles(n int) string {
	if n == 1 {
		return "1 file is"
	}
	return fmt.Sprintf("%d files are", n)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
