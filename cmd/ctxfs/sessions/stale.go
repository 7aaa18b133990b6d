package sessions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/transcripts"
)

func newStale(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stale [SESSION]",
		Short: "list files that have changed since an agent's session last saw them",
		Long: `Stale compares the files that a session has read or written, those in files.tsv,
with the files on disk. It lists those that have changed since the session last
saw them, by their modification time, or are deleted. What the session wrote
itself, it has seen. SESSION is as for ctxfs history; the default is the session
in which the command is run.

  changed  2026-11-21T08:12:45Z  cmd/main.go
  deleted  -                     internal/old.go
  unknown  -                     /srv/x.go (permission denied)

Paths below the current folder are relative to it. The time is that of the
change; a change within the second in which the session saw the file is not
noticed. It exits with 4 if it lists any file, with 0 if nothing has changed.`,
		Example: `  ctxfs stale
  ctxfs stale 08940314
  ctxfs stale --json | jq -r '.files[] | select(.state == "changed") | .path'`,
		Args:              cli.Args(1),
		ValidArgsFunction: completeSession(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "" {
				return cli.Usage(cmd, errors.New("the name of the session is empty"))
			}
			report, err := stale(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			if asJSON {
				if err := a.PrintJSON(report); err != nil {
					return err
				}
			} else {
				printStale(a, report)
			}
			if len(report.Files) > 0 {
				return cli.Exit(console.ExitProblems, nil)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// StaleReport is what `ctxfs stale --json` prints.
type StaleReport struct {
	Session string `json:"session"`
	Agent   string `json:"agent"`
	// Checked is how many files were compared.
	Checked int         `json:"checked"`
	Files   []StaleFile `json:"files"`
	known   transcripts.Known
}

// StaleFile is a file that has changed since a session last saw it.
type StaleFile struct {
	Path  string `json:"path"`
	State string `json:"state"` // "changed", "deleted" or "unknown"
	// Modified is when the file was modified, Seen when the session last saw it.
	Modified time.Time `json:"modified,omitzero"`
	Seen     time.Time `json:"seen,omitzero"`
	// Why says why it is not known.
	Why string `json:"why,omitempty"`
}

// stale compares the files of a session with those on disk.
func stale(ctx context.Context, a *cli.App, args []string) (*StaleReport, error) {
	w, err := wantedSession(a, args)
	if err != nil {
		return nil, err
	}
	asker := a.Fallback()
	defer asker.Close()
	k, err := transcripts.OpSession.Ask(ctx, asker, w)
	if err != nil {
		return nil, err
	}
	if k.Fault != "" {
		return nil, &control.Fault{
			Message: fmt.Sprintf("the session %s of %s cannot be read: %s", k.ID, k.Agent, k.Fault),
			Hint:    "see what is wrong: ctxfs cat " + path.Join(transcriptsFolder, k.Path, "STATUS.md"),
		}
	}
	var table bytes.Buffer
	files := usertree.PathQuery{Path: path.Join(transcriptsFolder, k.Path, "files.tsv")}
	if _, err := usertree.OpRead.Ask(ctx, asker, files, nil, &table); err != nil {
		return nil, err
	}
	seen, err := readSeen(table.String())
	if err != nil {
		return nil, err
	}
	report := &StaleReport{Session: k.ID, Agent: k.Agent, Files: []StaleFile{}, known: k}
	for _, f := range seen {
		if compared, as := compare(a, f, k.Last); compared {
			report.Checked++
			if as != nil {
				report.Files = append(report.Files, *as)
			}
		}
	}
	return report, nil
}

// seenFile is a line of files.tsv: a file, and when the session last saw it; zero if
// the agent stores no times.
type seenFile struct {
	path string
	at   time.Time
}

// readSeen parses files.tsv. It finds columns by their names.
func readSeen(table string) ([]seenFile, error) {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	pathAt, seenAt := slices.Index(names, "path"), slices.Index(names, "seen")
	if pathAt < 0 || seenAt < 0 {
		return nil, fmt.Errorf("files.tsv has no columns path and seen, but %q", lines[0])
	}
	var all []seenFile
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != len(names) {
			return nil, fmt.Errorf("line %d of files.tsv has %d columns, not %d", i+2, len(cells), len(names))
		}
		f := seenFile{path: cells[pathAt]}
		if at := cells[seenAt]; at != "-" && at != "" {
			var err error
			if f.at, err = time.Parse(time.RFC3339Nano, at); err != nil {
				return nil, fmt.Errorf("line %d of files.tsv: %w", i+2, err)
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// compare compares a file with the one on disk. If it is unknown when the session
// saw the file, the end of the session is used. Folders are not compared. It
// returns nil for a file that has not changed.
func compare(a *cli.App, f seenFile, last time.Time) (compared bool, as *StaleFile) {
	full := wording.ExpandTilde(f.path, a.Home)
	as = &StaleFile{Path: full, Seen: f.at}
	seen := f.at
	if seen.IsZero() {
		seen = last
	}
	if !filepath.IsAbs(full) {
		as.State, as.Why = "unknown", "no path of this machine"
		return true, as
	}
	info, err := os.Stat(full)
	switch {
	case errors.Is(err, iofs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		as.State = "deleted"
	case err != nil:
		as.State, as.Why = "unknown", fs.Cause(err)
	case info.IsDir():
		return false, nil
	case info.ModTime().Unix() > seen.Unix():
		as.State, as.Modified = "changed", info.ModTime().UTC()
	default:
		return true, nil
	}
	return true, as
}

func printStale(a *cli.App, r *StaleReport) {
	noteGuess(a, r.known)
	here, err := os.Getwd()
	for _, f := range r.Files {
		at, name := "-", f.Path
		if !f.Modified.IsZero() {
			at = wording.Time(f.Modified)
		}
		if rel, relErr := filepath.Rel(here, name); err == nil && relErr == nil && filepath.IsLocal(rel) {
			name = rel
		}
		if f.Why != "" {
			name += " (" + f.Why + ")"
		}
		a.Sayf("%s  %-20s  %s", f.State, at, name)
	}
	session := fmt.Sprintf("the session %s of %s", r.Session, r.Agent)
	switch {
	case r.Checked == 0:
		a.Notef("nothing changed: %s has read and written no known files", session)
	case len(r.Files) == 0:
		a.Notef("nothing changed: %s as %s last saw them", areFiles(r.Checked), session)
	case r.known.CWD != "" && !exists(r.known.CWD):
		a.Notef("%s began in %s, which is not on this machine", session, r.known.CWD)
	}
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
