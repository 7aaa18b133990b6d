// Package git reads the state of a repository for people and agents: its branch, what is
// not committed, what is under way, the last commits, stashes, and worktrees.
//
// It asks the program git, by a view of the repository (see package internal/git), and lets
// neither the repository nor the user name a program that git would run. Git runs nothing,
// fetches nothing, and writes nothing, not even the index.
package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/git"
	"ctxfs/providers/workspaces/programs"
)

const (
	// patience is for how long git may work on one question.
	patience = 10 * time.Second
	// maxCommits is how many of the last commits are read.
	maxCommits = 10
	// maxPaths is how many paths of what is not committed are read, by kind of change.
	maxPaths = 300
	// maxStashes and maxWorktrees are how many of them are read.
	maxStashes   = 100
	maxWorktrees = 100
)

// ErrNone is the error for a folder that is no repository, nor the work tree of one.
var ErrNone = git.ErrNone

// Options are the surroundings of a [Reader].
type Options struct {
	// Scratch is a folder for temporary files; the Reader alone uses it, and empties it.
	Scratch string
	// Home is the user's home folder and Config that of their configurations,
	// $XDG_CONFIG_HOME or ~/.config.
	Home, Config string
	// Path is the value of PATH, by which git is found.
	Path string
	// Work returns the folders in which people work: git is not looked for there, nor in
	// the folder that is read. It may be nil.
	Work func() []string
	// Programs runs git.
	Programs *programs.Runner
}

// Reader reads the state of repositories. It is safe for concurrent use.
type Reader struct{ opts Options }

// New returns a Reader.
func New(opts Options) *Reader {
	_ = os.RemoveAll(opts.Scratch) // what a killed process has left; a failure shows when it is needed
	return &Reader{opts}
}

// State is the state of a repository at one time.
type State struct {
	// Bare reports whether there is no work tree; then Uncommitted is empty.
	Bare bool
	// Elsewhere is the work tree that the configuration names, if it is another folder;
	// then Uncommitted is empty.
	Elsewhere string
	// Head is the name of the last commit in hexadecimal; "" before the first one.
	Head string
	// Branch is the name of the branch; "" if the head is detached.
	Branch string
	// Upstream is the branch that it tracks; "" if it tracks none.
	Upstream string
	// Gone reports whether Upstream does not exist (any more).
	Gone bool
	// Ahead and Behind are how many commits the branch has that its upstream has not,
	// and the other way round, as of the last fetch.
	Ahead, Behind int
	// Fetched is when something was last fetched; zero if that is not known.
	Fetched time.Time
	// Remote is the address of the branch's remote, or of origin, without secrets.
	Remote string
	// Operation is what is under way.
	Operation Operation
	// Locked is since when the index is locked by a git command, maybe one that was
	// killed; zero if it is not.
	Locked time.Time
	// Foreign is the number of the user who owns the repository, if git refuses to work
	// there because of that; else -1.
	Foreign     int
	Uncommitted Uncommitted
	Commits     []Commit // the last first
	Stashes     []Stash  // the last first
	Worktrees   []Worktree
	// Unread reports whether the status could not be read: Upstream and Uncommitted are
	// not known then.
	Unread bool
	// Problems say what of all this could not be read, a line each.
	Problems []string
}

// Commit is a commit.
type Commit struct {
	ID      string // in hexadecimal
	Time    time.Time
	Author  string
	Subject string
}

// Stash is a stash.
type Stash struct {
	Time    time.Time
	Message string
}

// Read returns the state of the repository whose work tree is a folder, or that is itself
// a bare one. The folder is an absolute path without symbolic links; folders above it are
// not looked at. The error is [ErrNone], that of the folder, or says that git is missing;
// what else fails stands in Problems.
func (r *Reader) Read(ctx context.Context, dir string) (State, error) {
	repo, err := git.Locate(dir)
	if err != nil {
		return State{}, err
	}
	s := State{Foreign: -1}
	s.Operation, s.Locked = operation(repo), modified(filepath.Join(repo.Private, "index.lock"))
	for _, dir := range []string{repo.Private, repo.Common} { // what one worktree has fetched, all have
		s.Fetched = wording.Later(s.Fetched, modified(filepath.Join(dir, "FETCH_HEAD")))
	}
	outside := []string{dir}
	if r.opts.Work != nil {
		outside = append(outside, r.opts.Work()...)
	}
	program := programs.Find("git", r.opts.Path, outside...)
	if program == "" {
		return State{}, errors.New("git is not installed, or not on the PATH of the background process")
	}
	if err := os.MkdirAll(r.opts.Scratch, 0o700); err != nil {
		return State{}, err
	}
	scratch, err := os.MkdirTemp(r.opts.Scratch, "view-")
	if err != nil {
		return State{}, err
	}
	defer os.RemoveAll(scratch)
	v := &view{opts: r.opts, program: program, scratch: scratch}
	if err := v.make(ctx, repo); err != nil {
		return State{}, fmt.Errorf("%s: %w", dir, err)
	}
	s.Bare, s.Elsewhere, s.Remote = v.Bare, v.Elsewhere, v.Config.Remote("origin")
	if v.Foreign() {
		s.Foreign = repo.Owner
	}
	for i, step := range []struct {
		what string
		read func(context.Context, *State) error
	}{
		{"its status", v.status}, {"its commits", v.commits}, {"its stashes", v.stashes},
	} {
		limited, cancel := context.WithTimeoutCause(ctx, patience, errTooSlow)
		err := step.read(limited, &s)
		cancel()
		if ctx.Err() != nil {
			return State{}, context.Cause(ctx)
		}
		if err != nil {
			s.Unread = s.Unread || i == 0
			s.Problems = append(s.Problems, step.what+" could not be read: "+v.explain(err))
		}
	}
	if s.Branch != "" {
		s.Remote = cmp.Or(v.Config.Remote(v.Config.Last("branch."+s.Branch+".remote")), s.Remote)
	}
	s.Worktrees = worktrees(repo)
	return s, nil
}

// errTooSlow is why git was ended.
var errTooSlow = fmt.Errorf("git took longer than %.0f s", patience.Seconds())

// modified returns when a file was last modified, or zero.
func modified(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}
