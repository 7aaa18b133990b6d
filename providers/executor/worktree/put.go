package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// putting is a change of files, as trees of which ours has the objects: what is in the way
// when it is cut off is known by them.
type putting struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// put changes files of the work tree, which are as they are in a tree: all of them, or none
// if one of them is not, something is in the way, or it is cut off. If the process is killed,
// takeBack says what was under way.
func (w *Work) put(ctx context.Context, ours shadow, before string, changes []entry) error {
	after, err := ours.changed(ctx, before, changes)
	if err != nil {
		return err
	}
	w.Putting = &putting{before, after}
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

// changed returns the tree that changes make of the one that is in the index.
func (s shadow) changed(ctx context.Context, before string, changes []entry) (string, error) {
	other := s.other("merged")
	if err := copyIndex(s.index(), other); err != nil {
		return "", err
	}
	env := []string{"GIT_INDEX_FILE=" + other}
	var lines bytes.Buffer
	for _, deleted := range []bool{true, false} { // a file may take the place of a folder
		for _, e := range changes {
			if e.deleted == deleted {
				fmt.Fprintf(&lines, "%s %s\t%s\x00", e.mode, e.blob, e.path)
			}
		}
	}
	if _, err := s.ask(ctx, question{args: []string{"update-index", "-z", "--index-info"}, input: lines.Bytes(), env: env}); err != nil {
		return "", err
	}
	out, err := s.ask(ctx, question{args: []string{"write-tree", "--missing-ok"}, env: env})
	return strings.TrimSpace(string(out)), err
}

// takeBack takes back what an adoption that was cut off has changed: files that it has
// written, wholly or in part. Those that somebody has changed since are left alone.
func (w *Work) takeBack(ctx context.Context, ours shadow) error {
	if w.Putting == nil {
		return os.RemoveAll(ours.dir)
	}
	for _, index := range []string{ours.index(), ours.other("merged"), ours.other("before")} {
		_ = os.Remove(index + ".lock") // left by a git that was killed
	}
	changes, err := ours.compare(ctx, w.Putting.Before, w.Putting.After)
	if err != nil {
		return err
	}
	_, differs, err := ours.present(ctx, w.Putting.Before, changes)
	if err != nil {
		return err
	}
	var back []entry
	for _, e := range changes {
		now, ok := differs[e.path]
		if !ok {
			continue
		}
		written := now.mode == e.mode && now.blob == e.blob
		if !written {
			if written, err = ours.isPart(ctx, now, e); err != nil {
				return err
			}
		}
		if written {
			back = append(back, e)
		}
	}
	if err := ours.restore(ctx, back); err != nil {
		return err
	}
	w.Putting = nil
	return errors.Join(w.save(), os.RemoveAll(ours.dir))
}

// other returns the path of an index for one step.
func (s shadow) other(name string) string { return filepath.Join(s.dir, name) }

// isPart reports whether a file may be what git had written of a change when it was killed:
// nothing, where there was a file before, or its beginning.
func (s shadow) isPart(ctx context.Context, now, of entry) (bool, error) {
	switch {
	case now.mode == none:
		return !of.deleted, nil
	case !strings.HasPrefix(now.mode, regular) || !strings.HasPrefix(of.mode, regular):
		return false, nil
	}
	begun, err := s.ask(ctx, question{args: []string{"cat-file", "blob", now.blob}})
	if err != nil {
		return false, err
	}
	whole, err := s.ask(ctx, question{args: []string{"cat-file", "blob", of.blob}})
	return bytes.HasPrefix(whole, begun), err
}

// restore writes files as they were before changes.
func (s shadow) restore(ctx context.Context, changes []entry) error {
	other := s.other("before")
	if err := os.RemoveAll(other); err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, e := range slices.Backward(changes) { // the files of a folder before it
		if e.oldMode != none {
			fmt.Fprintf(&lines, "%s %s\t%s\x00", e.oldMode, e.oldBlob, e.path)
			continue
		}
		path := filepath.Join(s.repo.Top, e.path)
		if err := os.Remove(path); err != nil && exists(path) {
			return err
		}
		for dir := filepath.Dir(path); dir != s.repo.Top && os.Remove(dir) == nil; { // as git does
			dir = filepath.Dir(dir)
		}
	}
	env := []string{"GIT_INDEX_FILE=" + other}
	if _, err := s.ask(ctx, question{args: []string{"update-index", "-z", "--index-info"}, input: lines.Bytes(), env: env}); err != nil {
		return err
	}
	_, err := s.ask(ctx, question{args: []string{"checkout-index", "-q", "-f", "-a"}, env: env})
	return err
}
