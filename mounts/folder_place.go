package mounts

import (
	"errors"
	iofs "io/fs"

	"ctxfs/fs"
)

// folderMode is the mode of created folders: for their owner alone, as a mount
// is, and writable, as a plain folder must be.
const folderMode = iofs.ModeDir | 0o700

// folder creates a folder if it does not exist. A folder that another program
// created serves as well.
func (p *pass) folder(at string, d fs.Dir) bool {
	if at == "" {
		return true
	}
	if _, err := p.tree.Attr(p.ctx, d); err != nil {
		p.failNode(at, err)
		return false
	}
	info, err := p.root.Lstat(at)
	if err == nil && info.IsDir() {
		if s, ours := p.manifest.states[at]; ours && !s.Mode.IsDir() {
			err = p.manifest.forget(at) // a file that ctxfs wrote, replaced with a folder by another program
		}
		if err != nil {
			p.fail(at, err)
		}
		return err == nil
	}
	if !p.clear(at) {
		return false
	}
	if err = p.manifest.put(at, pathState{Mode: folderMode}); err == nil {
		err = p.root.Mkdir(at, folderMode.Perm())
	}
	if err != nil {
		p.fail(at, err)
		return false
	}
	p.report.Written++
	return true
}

// times gives a folder the modification time it has in the tree, once
// everything in it is done.
func (p *pass) times(at string, d fs.Dir) {
	if _, ours := p.manifest.states[at]; !ours || p.stopped() {
		return
	}
	a, err := p.tree.Attr(p.ctx, d)
	if err != nil {
		return // reported when the folder was created
	}
	if info, err := p.root.Lstat(at); err == nil && info.IsDir() && !info.ModTime().Equal(a.ModTime) {
		if err := p.root.Chtimes(at, a.ModTime, a.ModTime); err != nil {
			p.fail(at, err)
		}
	}
}

// failNode records an error of a node, unless the node vanished meanwhile.
func (p *pass) failNode(at string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		p.remove(at)
		return
	}
	p.fail(at, err)
}

// clear makes room at a path for a node of another type than the one that is there.
// If ctxfs did not write that, it records a conflict and returns false.
func (p *pass) clear(at string) bool {
	before := len(p.report.Conflicts)
	p.remove(at)
	if p.stopped() {
		return false
	}
	if _, err := p.root.Lstat(at); err == nil {
		if len(p.report.Conflicts) == before {
			p.conflict(at, "was not written by ctxfs")
		}
		return false
	} else if !errors.Is(err, fs.ErrNotExist) {
		p.fail(at, err)
		return false
	}
	return true
}

func (p *pass) link(at string, l fs.Link) {
	target, err := p.tree.Target(p.ctx, l)
	if err != nil {
		p.failNode(at, err)
		return
	}
	want := pathState{Mode: iofs.ModeSymlink, Target: target}
	if want.matches(p.root, at) {
		p.record(at, want)
		return
	}
	if s, ours := p.manifest.states[at]; (!ours || s.Mode.Type() != iofs.ModeSymlink || !s.matches(p.root, at)) && !p.clear(at) {
		return
	}
	p.root.Remove(temporaryName)
	if err = p.root.Symlink(target, temporaryName); err == nil {
		err = p.place(at, want)
	}
	if err != nil {
		p.fail(at, err)
	}
}

// record records that a path is written and unchanged.
func (p *pass) record(at string, s pathState) {
	p.report.Unchanged++
	if p.manifest.states[at] != s {
		if err := p.manifest.put(at, s); err != nil {
			p.fail(at, err)
		}
	}
}

// place renames the temporary file to its place, where only a file of ctxfs's can
// be.
func (p *pass) place(at string, s pathState) error {
	if err := p.manifest.put(at, s); err != nil {
		return err
	}
	if err := p.root.Rename(temporaryName, at); err != nil {
		return err
	}
	p.report.Written++
	return nil
}
