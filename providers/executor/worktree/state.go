package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/git"
	"ctxfs/providers/internal/mounted"
)

// What is stored of files that are not committed, in bytes: the others are known by their
// size and time alone, so that a forgotten folder of data is not copied.
const (
	maxFile  = 16 << 20  // the longest file
	maxBytes = 256 << 20 // all of them
)

// view is a repository as git sees it with an index of the run's.
type view struct {
	git   *Git
	repo  repository
	index string
	env   []string
}

// view returns the repository with an index of the run's, which begins as a copy of its own:
// that says of most files that they are as they were stored. Its time is kept, by which git
// knows which of them may have changed since within the same tick of the clock. New objects
// go to the repository, or to the folder of the run.
func (w *Work) view(ctx context.Context, r repository, name string, ours bool) (view, error) {
	v := view{git: w.git, repo: r, index: filepath.Join(w.dir, name)}
	shown, err := w.show(ctx, r)
	if err != nil {
		return v, err
	}
	v.env = append(shown.Env(), "GIT_INDEX_FILE="+v.index)
	dir := w.dir
	if ours {
		dir = filepath.Join(w.dir, "objects")
		known := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(r.Objects) + `"`
		v.env = append(v.env, "GIT_OBJECT_DIRECTORY="+dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+known)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return v, err
	}
	_ = os.Remove(v.index + ".lock") // left by a git that was killed
	info, err := os.Stat(r.Index)
	if errors.Is(err, os.ErrNotExist) {
		return v, nil // nothing was added yet
	}
	if err != nil {
		return v, err
	}
	body, err := os.ReadFile(r.Index)
	if err != nil {
		return v, err
	}
	return v, errors.Join(os.WriteFile(v.index, body, 0o600), os.Chtimes(v.index, info.ModTime(), info.ModTime()))
}

func (v view) ask(ctx context.Context, args ...string) ([]byte, error) {
	return v.git.ask(ctx, question{dir: v.repo.Top, env: v.env, args: args})
}

// line returns what git prints, as a line.
func (v view) line(ctx context.Context, args ...string) (string, error) {
	out, err := v.ask(ctx, args...)
	return strings.TrimSpace(string(out)), err
}

// state returns a tree of all files in the folder of the work tree that are not ignored, and
// what is not in it: files that are too large or cannot be read, with what tells whether they
// change, and repositories of their own, whose paths end with a slash.
func (w *Work) state(ctx context.Context) (tree string, large map[string]string, err error) {
	v, err := w.view(ctx, w.Repository, "index", true)
	if err != nil {
		return "", nil, err
	}
	return v.state(ctx, w.Outside, maxFile, maxBytes)
}

func (v view) state(ctx context.Context, outside string, file, all int64) (tree string, large map[string]string, err error) {
	args := []string{"ls-files", "-z", "--modified", "--others", "--exclude-standard"}
	for point := range mounted.Below(v.repo.Top) { // such as that of ctxfs
		args = append(args, "--exclude=/"+escapePattern(strings.TrimPrefix(point, strings.TrimSuffix(v.repo.Top, "/")+"/")))
	}
	out, err := v.ask(ctx, args...)
	if err != nil {
		return "", nil, err
	}
	var paths []string
	large = make(map[string]string)
	for _, path := range names(out) {
		full := filepath.Join(v.repo.Top, path)
		info, err := os.Lstat(full)
		isFile := err == nil && info.Mode().IsRegular()
		switch {
		case outside != "" && fs.Within(full, outside):
		case strings.HasSuffix(path, "/"):
			large[path] = ""
		case isFile && (info.Size() > file || info.Size() > all || unix.Access(full, unix.R_OK) != nil):
			large[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		default:
			if paths = append(paths, path); isFile {
				all -= info.Size()
			}
		}
	}
	tree, err = v.add(ctx, paths)
	return tree, large, err
}

// add stores files of the work tree in the index as they are, or that they are not there, and
// returns the index as a tree.
func (v view) add(ctx context.Context, paths []string) (tree string, err error) {
	paths = slices.DeleteFunc(paths, v.isThroughLink)
	if len(paths) > 0 {
		input := []byte(strings.Join(paths, "\x00") + "\x00")
		if _, err := v.git.ask(ctx, question{dir: v.repo.Top, env: v.env, input: input, args: []string{"update-index", "-z", "--add", "--remove", "--replace", "--ignore-skip-worktree-entries", "--stdin"}}); err != nil {
			return "", err
		}
	}
	return v.line(ctx, "write-tree", "--missing-ok")
}

// solved returns an error if there are conflicts in the index: there is no tree of them.
func (v view) solved(ctx context.Context) error {
	unmerged, err := v.line(ctx, "ls-files", "-u")
	if err == nil && unmerged != "" {
		err = fmt.Errorf("there are conflicts in %s that are not solved", v.repo.Top)
	}
	return err
}

// isThroughLink reports whether a path leads through a symbolic link: git refuses those.
func (v view) isThroughLink(path string) bool {
	dir := filepath.Dir(filepath.Join(v.repo.Top, path))
	resolved, err := filepath.EvalSymlinks(dir)
	return err == nil && resolved != dir
}

// escapePattern returns a path as a pattern of gitignore(5) that matches only it.
func escapePattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, ` `, `\ `).Replace(path)
}

// differs returns the paths that differ between two trees. More are arguments for git.
func (v view) differs(ctx context.Context, from, to string, more ...string) ([]string, error) {
	out, err := v.ask(ctx, append([]string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to}, more...)...)
	return names(out), err
}

// maxDiff is the longest diff that is kept, in bytes, and maxListed how many files are listed.
const (
	maxDiff   = 32 << 20
	maxListed = 1000
)

// writeDiff writes the patch from one tree to another to a file, but of what is left out, and
// reports whether it is short enough.
func (v view) writeDiff(ctx context.Context, path, from, to string, leftOut []string) (short bool, err error) {
	cut := &limited{left: maxDiff}
	err = atomicfile.WriteFrom(path, func(out io.Writer) error {
		cut.to = out
		args := []string{"diff-tree", "-r", "-p", "--binary", "--full-index", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", from, to}
		_, err := v.git.ask(ctx, question{dir: v.repo.Top, env: v.env, output: cut, args: append(args, leftOut...)})
		return err
	})
	if cut.full && ctx.Err() == nil {
		return false, nil
	}
	return true, err
}

// describe fills in the files that differ between Before and a tree, or are too large, and
// writes the patch.
func (w *Work) describe(ctx context.Context, c *Changes, now string, large map[string]string, diff string) error {
	repo := w.Repository
	if !git.Exists(repo.Top) { // a worktree that was removed
		repo = *w.Source
	}
	v, err := w.view(ctx, repo, "index", true)
	if err != nil {
		return err
	}
	leftOut := []string{"--", "."}
	for path := range large {
		leftOut = append(leftOut, ":(exclude,literal)"+strings.TrimSuffix(path, "/"))
	}
	paths, err := v.differs(ctx, w.Before, now, leftOut...)
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		switch short, err := v.writeDiff(ctx, diff, w.Before, now, leftOut); {
		case err != nil:
			return err
		case short:
			c.Diff = diff
		default:
			c.Notes = append(c.Notes, "there is no diff: it is longer than "+wording.Size(maxDiff))
		}
	}
	for path, was := range w.Large {
		if _, ok := large[path]; !ok && !git.Exists(filepath.Join(w.Repository.Top, path)) {
			large[path] = was + "deleted"
		}
	}
	var left, inner []string
	for path, is := range large {
		if was, ok := w.Large[path]; ok && was == is {
			continue
		}
		if strings.HasSuffix(path, "/") {
			inner = append(inner, Shown(path))
		} else {
			left = append(left, Shown(path))
		}
		paths = append(paths, path)
	}
	if slices.Sort(left); len(left) > 0 {
		c.Notes = append(c.Notes, "too large for the diff: "+wording.List(left, 5))
	}
	if slices.Sort(inner); len(inner) > 0 {
		c.Notes = append(c.Notes, "not in the diff, since they are repositories of their own: "+wording.List(inner, 5))
	}
	for _, path := range paths {
		if within, err := filepath.Rel(filepath.FromSlash("/"+w.Repository.Prefix), "/"+path); err == nil {
			c.Files = append(c.Files, filepath.ToSlash(within))
		}
	}
	slices.Sort(c.Files)
	if c.Files = slices.Compact(c.Files); len(c.Files) > maxListed {
		c.Notes = append(c.Notes, fmt.Sprintf("%d files have changed; the first %d are listed", len(c.Files), maxListed))
		c.Files = c.Files[:maxListed]
	}
	return nil
}

// names splits what git prints with -z, without repetitions.
func names(text []byte) (all []string) {
	for name := range bytes.SplitSeq(text, []byte{0}) {
		if len(name) > 0 {
			all = append(all, string(name))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
