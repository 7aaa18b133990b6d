package mounts

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// pass is one pass over some paths.
type pass struct {
	*Folder
	ctx    context.Context
	report Report
	stop   error // what ends the pass
}

func (f *Folder) sync(ctx context.Context, paths []string) (Report, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &pass{Folder: f, ctx: ctx}
	if err := f.checkPlace(); err != nil {
		return p.report, err
	}
	for _, at := range paths {
		p.path(at)
	}
	f.root.Remove(temporaryName) // left by an interruption
	return p.report, p.stop
}

// checkPlace checks that the folder is still in its place: a folder that was removed
// would take everything silently.
func (f *Folder) checkPlace() error {
	ours, err := f.root.Stat(".")
	if err != nil {
		return inFolder(f.dir, err)
	}
	now, err := os.Stat(f.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return inFolder(f.dir, err)
	}
	if err != nil || !os.SameFile(ours, now) {
		return &control.Fault{Message: f.dir + " was removed or replaced while it was synced", Hint: "sync it again: ctxfs sync " + wording.ShellWord(f.dir)}
	}
	return nil
}

// stopped reports whether the pass goes no further.
func (p *pass) stopped() bool {
	if p.stop == nil {
		p.stop = p.ctx.Err()
	}
	return p.stop != nil
}

// fail records the error of one path, and stops the pass if the error affects all
// paths.
func (p *pass) fail(at string, err error) {
	if p.stopped() {
		return
	}
	if fatal := (*manifestError)(nil); errors.As(err, &fatal) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS) {
		p.stop = inFolder(p.dir, err)
		return
	}
	if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	p.report.Errors = append(p.report.Errors, fmt.Sprintf("%s/%s: %v", p.dir, at, err))
	p.report.failed = append(p.report.failed, at)
}

// conflict records that something in the way is not ours.
func (p *pass) conflict(at, why string) {
	p.report.Conflicts = append(p.report.Conflicts, fmt.Sprintf("%s/%s %s; left as it is: move it away to have that of ctxfs", p.dir, at, why))
}

// path syncs one path and all below it. It removes a path that is not listed,
// or lies below one that is not.
func (p *pass) path(at string) {
	var n fs.Node = p.tree.Root()
	here := ""
	for name := range strings.SplitSeq(at, "/") {
		if name == "" {
			continue
		}
		d, ok := n.(fs.Dir)
		if !ok || p.stopped() {
			return
		}
		if _, ok := n.(fs.Inbox); ok {
			p.remove(here)
			return
		}
		if here != "" && !p.folder(here, d) {
			return
		}
		entries, err := p.tree.List(p.ctx, d)
		if err != nil {
			p.fail(at, err)
			return
		}
		parent := here
		here = path.Join(here, name)
		_, listed := slices.BinarySearchFunc(entries, name, func(e fs.Entry, name string) int { return strings.Compare(e.Name, name) })
		if !listed || !isValidPath(here) {
			p.remove(here)
			p.times(parent, d)
			return
		}
		if n, err = p.tree.Lookup(p.ctx, d, name); errors.Is(err, fs.ErrNotExist) {
			p.remove(here)
			p.times(parent, d)
			return
		} else if err != nil {
			p.fail(at, err)
			return
		}
		defer p.times(parent, d)
	}
	p.node(here, n)
}

func (p *pass) node(at string, n fs.Node) {
	if p.stopped() {
		return
	}
	switch n := n.(type) {
	case fs.Inbox:
		p.remove(at) // only the tree itself can take a file
	case fs.Dir:
		if p.folder(at, n) {
			p.contents(at, n)
			p.times(at, n)
		}
	case fs.Link:
		p.link(at, n)
	case fs.File:
		p.file(at, n)
	}
}

// contents syncs everything that a folder lists, and removes the rest.
func (p *pass) contents(at string, d fs.Dir) {
	entries, err := p.tree.List(p.ctx, d)
	if err != nil {
		p.fail(at, err)
		return
	}
	listed := make(map[string]bool, len(entries))
	for _, e := range entries {
		if p.stopped() {
			return
		}
		here := path.Join(at, e.Name)
		if strings.Contains(e.Name, "/") || !isValidPath(here) {
			p.fail(here, fmt.Errorf("%w: the name cannot be used in a plain folder", fs.ErrInvalid))
			continue
		}
		n, err := p.tree.Lookup(p.ctx, d, e.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		listed[e.Name] = true
		if err != nil {
			p.fail(here, err)
			continue
		}
		p.node(here, n)
	}
	for _, name := range p.manifest.namesIn(at) {
		if !listed[name] && !p.stopped() {
			p.remove(path.Join(at, name))
		}
	}
}

// isValidPath reports whether a path can be recorded in the manifest, and is not
// one of ctxfs's own files.
func isValidPath(p string) bool { return iofs.ValidPath(p) && p != manifestName && p != temporaryName }

// remove removes what ctxfs wrote at a path. Other files stay, and so do the
// folders around them.
func (p *pass) remove(at string) {
	s, ours := p.manifest.states[at]
	if !ours || p.stopped() {
		return
	}
	if s.Mode.IsDir() {
		for _, name := range p.manifest.namesIn(at) {
			p.remove(path.Join(at, name))
		}
	}
	_, err := p.root.Lstat(at)
	switch {
	case p.stopped():
		return
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		err = nil
	case err == nil && s.matches(p.root, at):
		if err = p.root.Remove(at); err == nil {
			p.report.Removed++
		} else if s.Mode.IsDir() && (errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)) {
			err = nil // others have files in it
		}
	case err == nil && !s.Mode.IsDir():
		p.conflict(at, "was changed since ctxfs wrote it")
	}
	if err == nil {
		err = p.manifest.forget(at)
		delete(p.heads, at)
	}
	if err != nil {
		p.fail(at, err)
	}
}
