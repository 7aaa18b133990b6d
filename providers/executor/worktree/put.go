package worktree

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// putting is a change of files, as two trees, whose objects are ours. They tell what of it
// has been written when it is cut off.
type putting struct {
	Before string `json:"before"`
	After  string `json:"after"`
	// Back reports that it is being taken back.
	Back bool `json:"back,omitempty"`
}

// put changes files of the work tree, which are as they are in a tree: all of them, or none
// if one of them is not, something is in the way, or it is cut off. If the process is killed,
// takeBack says what was under way.
func (w *Work) put(ctx context.Context, ours shadow, before string, changes []entry) error {
	after, err := ours.changed(ctx, before, changes)
	if err != nil {
		return err
	}
	w.Putting = &putting{Before: before, After: after}
	if err := w.save(); err != nil {
		w.Putting = nil
		return err
	}
	_, err = ours.ask(ctx, question{args: []string{"read-tree", "-m", "-u", "--no-sparse-checkout", before, after}})
	if err != nil {
		err = errors.Join(err, w.takeBack(context.WithoutCancel(ctx), ours))
	}
	return err
}

// step returns the path of an index for one step.
func (s shadow) step(name string) string { return filepath.Join(s.dir, name) }

// fill puts versions of files into an index, and returns by what git is told to use that.
func (s shadow) fill(ctx context.Context, index string, lines []byte) (env []string, err error) {
	env = []string{"GIT_INDEX_FILE=" + index}
	_, err = s.ask(ctx, question{args: []string{"update-index", "-z", "--index-info"}, input: lines, env: env})
	return env, err
}

func indexLine(v version, path string) string { return v.mode + " " + v.blob + "\t" + path + "\x00" }

// changed returns the tree that changes make of the one that is in the index.
func (s shadow) changed(ctx context.Context, before string, changes []entry) (string, error) {
	index := s.step("merged")
	if err := copyIndex(s.index(), index); err != nil {
		return "", err
	}
	var lines bytes.Buffer
	for _, deleted := range []bool{true, false} { // a file may take the place of a folder
		for _, e := range changes {
			if e.deleted == deleted {
				lines.WriteString(indexLine(version{e.mode, e.blob}, e.path))
			}
		}
	}
	env, err := s.fill(ctx, index, lines.Bytes())
	if err != nil {
		return "", err
	}
	out, err := s.ask(ctx, question{args: []string{"write-tree", "--missing-ok"}, env: env})
	return strings.TrimSpace(string(out)), err
}

// takeBack takes back what an adoption that was cut off has changed: files that it has
// written, wholly or in part, or removed. What somebody has changed since is left alone, but
// for files that were deleted since: they look like those that were about to be written.
func (w *Work) takeBack(ctx context.Context, ours shadow) error {
	if w.Putting == nil {
		return os.RemoveAll(ours.dir)
	}
	if exists(ours.objects()) { // or else nothing is known of it
		if err := w.restore(ctx, ours); err != nil {
			return err
		}
	}
	cut := w.Putting
	w.Putting = nil
	if err := w.save(); err != nil {
		w.Putting = cut
		return err
	}
	return os.RemoveAll(ours.dir)
}

// restore writes the files as they were before.
func (w *Work) restore(ctx context.Context, ours shadow) error {
	for _, index := range []string{ours.index(), ours.step("merged"), ours.step("before")} {
		_ = os.Remove(index + ".lock") // left by a git that was killed
	}
	changes, err := ours.compare(ctx, w.Putting.Before, w.Putting.After)
	if err != nil {
		return err
	}
	var added, lost []entry
	for _, e := range changes {
		written, err := ours.isWritten(ctx, e, w.Putting.Back)
		switch {
		case err != nil:
			return err
		case written && e.oldMode == none:
			added = append(added, e)
		case written:
			lost = append(lost, e)
		}
	}
	w.Putting.Back = true
	_ = w.save() // it matters only if this is cut off, too
	for _, e := range added {
		path := filepath.Join(ours.repo.Top, e.path)
		if err := os.Remove(path); err != nil {
			return err
		}
		for dir := filepath.Dir(path); dir != ours.repo.Top && os.Remove(dir) == nil; { // as git does
			dir = filepath.Dir(dir)
		}
	}
	var lines bytes.Buffer
	for _, e := range lost {
		path := filepath.Join(ours.repo.Top, e.path)
		info, err := os.Lstat(path)
		if !ours.isInFolders(e.path) || err == nil && info.IsDir() && os.Remove(path) != nil {
			continue // something of somebody is in the way
		}
		lines.WriteString(indexLine(version{e.oldMode, e.oldBlob}, e.path))
	}
	if err := os.RemoveAll(ours.step("before")); err != nil {
		return err
	}
	env, err := ours.fill(ctx, ours.step("before"), lines.Bytes())
	if err != nil {
		return err
	}
	_, err = ours.ask(ctx, question{args: []string{"checkout-index", "-q", "-f", "-a"}, env: env})
	return err
}

// isWritten reports whether a file is what a change has made of it, or a part of that; with
// back also if it is a part of what was there before.
func (s shadow) isWritten(ctx context.Context, e entry, back bool) (bool, error) {
	path := filepath.Join(s.repo.Top, e.path)
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() || !s.isInFolders(e.path) { // it is not there
		return e.oldMode != none, nil
	}
	before, err := s.likeness(ctx, path, info, e.path, version{e.oldMode, e.oldBlob})
	if err != nil {
		return false, err
	}
	if e.blob == e.oldBlob && e.oldMode != symlink && e.mode != symlink { // only its mode changes
		return before == same && isExecutable(info) == (e.mode == executable), nil
	}
	after, err := s.likeness(ctx, path, info, e.path, version{e.mode, e.blob})
	return before != same && (after != unlike || back && before == part), err
}

// isInFolders reports whether a path leads through folders, and no links or files, as far as
// it exists.
func (s shadow) isInFolders(path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(s.repo.Top, dir)); err == nil && !info.IsDir() {
			return false
		}
	}
	return true
}

// likeness is how much a file is like a version of it.
type likeness int

const (
	unlike likeness = iota
	part            // its beginning
	same
)

func isExecutable(info os.FileInfo) bool { return info.Mode()&0o100 != 0 }

// likeness compares what is in a file, but not its mode, with a version.
func (s shadow) likeness(ctx context.Context, path string, info os.FileInfo, name string, v version) (likeness, error) {
	isLink := info.Mode()&os.ModeSymlink != 0
	if v.mode == none || isLink != (v.mode == symlink) || !isLink && !info.Mode().IsRegular() {
		return unlike, nil
	}
	args := []string{"cat-file", "--filters", "--path=" + name, v.blob} // as it is on disk
	if isLink {
		args = []string{"cat-file", "blob", v.blob}
	}
	whole, err := s.ask(ctx, question{args: args})
	var failed *Failure
	if errors.As(err, &failed) { // a filter that does not work has written nothing either
		return unlike, nil
	}
	if err != nil {
		return unlike, err
	}
	var is []byte
	if isLink {
		var to string
		to, err = os.Readlink(path)
		is = []byte(to)
	} else {
		is, err = os.ReadFile(path)
	}
	switch {
	case err != nil:
		return unlike, err
	case bytes.Equal(is, whole):
		return same, nil
	case bytes.HasPrefix(whole, is):
		return part, nil
	}
	return unlike, nil
}
