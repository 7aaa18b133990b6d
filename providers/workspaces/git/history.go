package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/workspaces/programs"
)

// fields are the parts of a line about a commit, each with a NUL at its end: its name, its
// time in seconds, its author, its subject.
const fields = "%H%x00%ct%x00%an%x00%s%x00"

// commits reads the last commits.
func (v *view) commits(ctx context.Context, s *State) error {
	err := v.log(ctx, func(f []string) {
		s.Commits = append(s.Commits, Commit{ID: f[0], Time: seconds(f[1]), Author: line(f[2]), Subject: line(f[3])})
	}, "--format="+fields, fmt.Sprintf("--max-count=%d", maxCommits), "HEAD", "--")
	if s.Head == "" && len(s.Commits) > 0 {
		s.Head = s.Commits[0].ID
	}
	return err
}

// stashes reads the stashes, which are the log of a reference.
func (v *view) stashes(ctx context.Context, s *State) error {
	return v.log(ctx, func(f []string) {
		s.Stashes = append(s.Stashes, Stash{Time: seconds(f[1]), Message: line(f[3])})
	}, "--walk-reflogs", "--format=%H%x00%ct%x00%x00%gs%x00", fmt.Sprintf("--max-count=%d", maxStashes), "refs/stash", "--")
}

// log calls a function with the four fields of each line of a log.
func (v *view) log(ctx context.Context, each func(fields []string), args ...string) error {
	var parts []string
	args = append([]string{
		"log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-patch", "--no-notes", "--no-decorate", "--no-color", "--encoding=UTF-8",
	}, args...)
	err := v.run(ctx, func(output io.Reader) error {
		return records(output, func(text string) {
			if parts = append(parts, strings.TrimPrefix(text, "\n")); len(parts) == 4 {
				each(parts)
				parts = nil
			}
		})
	}, args...)
	if isMissing(err) { // before the first commit, or without a stash
		return nil
	}
	return err
}

// isMissing reports whether git failed because a reference does not exist.
func isMissing(err error) bool {
	var failure *programs.Failure
	return errors.As(err, &failure) && (strings.Contains(failure.Message, "bad revision") || strings.Contains(failure.Message, "unknown revision"))
}

func seconds(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// line returns foreign text as one line without secrets.
func line(text string) string { return clean.Cut(clean.Line(mask.Text(text)), 200) }
