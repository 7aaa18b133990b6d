package mounts

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"

	"ctxfs/fs"
)

// file syncs a file.
func (p *pass) file(at string, f fs.File) {
	a, err := p.attr(f)
	if err != nil {
		p.failNode(at, err)
		return
	}
	s, ours := p.manifest.states[at]
	info, err := p.root.Lstat(at)
	switch {
	case err == nil && !info.Mode().IsRegular():
		if !p.clear(at) {
			return
		}
		err = p.replace(at, f)
	case errors.Is(err, fs.ErrNotExist):
		err = p.replace(at, f)
	case err != nil:
	case !ours || !s.matches(p.root, at):
		err = p.adopt(at, f)
	case s.Version != a.Version:
		err = p.replace(at, f)
	case a.Live:
		err = p.grow(at, f, s)
	case s.Mode != a.Mode || !s.ModTime.Equal(a.ModTime):
		err = p.settle(at, a)
	default:
		p.report.Unchanged++
	}
	if err != nil {
		p.failNode(at, err)
	}
}

// attr returns the attributes of a file as they are to be on disk.
func (p *pass) attr(f fs.File) (fs.Attr, error) {
	a, err := p.tree.Attr(p.ctx, f)
	return private(a), err
}

// stat is attr with the exact size.
func (p *pass) stat(f fs.File) (fs.Attr, error) {
	a, err := p.tree.Stat(p.ctx, f)
	return private(a), err
}

// private restricts a file to its owner, as a mount is.
func private(a fs.Attr) fs.Attr {
	a.Mode = a.Mode.Type() | a.Mode.Perm()&0o500
	return a
}

// replace writes a file beside its place and renames it. A file that is passed
// through and changes while it is read is read again.
func (p *pass) replace(at string, f fs.File) error {
	const tries = 3
	var err error
	for range tries {
		var s pathState
		_, head := headOf(f)
		if s, err = p.temporary(f); err == nil {
			p.heads[at] = head
			return p.place(at, s)
		}
		if !errors.Is(err, errChanging) {
			break
		}
	}
	return err
}

var errChanging = errors.New("changes while it is read")

// temporary writes the bytes of f, with mode and time, into the temporary
// file.
func (p *pass) temporary(f fs.File) (s pathState, err error) {
	a, err := p.stat(f)
	if err != nil {
		return s, err
	}
	p.root.Remove(temporaryName)
	out, err := p.root.OpenFile(temporaryName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return s, err
	}
	defer func() {
		if closeErr := out.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := p.copy(out, f, 0, a.Size); err != nil {
		return s, err
	}
	if now, err := p.attr(f); err != nil || now.Version != a.Version {
		return s, cmp.Or(err, errChanging)
	}
	if err := out.Chmod(a.Mode.Perm()); err != nil {
		return s, err
	}
	if err := p.root.Chtimes(temporaryName, a.ModTime, a.ModTime); err != nil {
		return s, err
	}
	info, err := out.Stat()
	if err != nil {
		return s, err
	}
	return pathState{Mode: a.Mode, Version: a.Version, Size: info.Size(), ModTime: info.ModTime()}, nil
}

// copy writes the bytes from begin to end to the same place.
func (p *pass) copy(out *os.File, f fs.File, begin, end int64) error {
	for off := begin; off < end; {
		n, err := p.tree.ReadAt(p.ctx, f, p.buf[:min(int64(len(p.buf)), end-off)], off)
		if n > 0 {
			if _, err := out.WriteAt(p.buf[:n], off); err != nil {
				return err
			}
			off += int64(n)
		}
		if errors.Is(err, io.EOF) && off < end {
			return errChanging
		}
		if err != nil && off < end {
			return err
		}
	}
	return nil
}

// settle sets mode and time alone: the bytes are right.
func (p *pass) settle(at string, a fs.Attr) error {
	if err := p.root.Chmod(at, a.Mode.Perm()); err != nil {
		return err
	}
	if err := p.root.Chtimes(at, a.ModTime, a.ModTime); err != nil {
		return err
	}
	info, err := p.root.Lstat(at)
	if err != nil {
		return err
	}
	p.report.Written++
	return p.manifest.put(at, pathState{Mode: a.Mode, Version: a.Version, Size: info.Size(), ModTime: info.ModTime()})
}

// grow brings a live file up to date in place, so that programs that follow it
// go on.
func (p *pass) grow(at string, f fs.File, s pathState) error {
	length, head := headOf(f)
	a, err := p.stat(f)
	if err != nil {
		return err
	}
	if a.Version != s.Version || a.Size < s.Size {
		return p.replace(at, f)
	}
	written, known := p.heads[at]
	rewrite := length > 0 && (!known || written != head)
	if a.Size == s.Size && !rewrite && s.Mode == a.Mode && s.ModTime.Equal(a.ModTime) {
		p.report.Unchanged++
		return nil
	}
	if a.Size > s.Size || rewrite {
		out, err := p.writable(at, s)
		if err != nil {
			return err
		}
		err = p.copy(out, f, s.Size, a.Size)
		if err == nil && rewrite {
			err = p.copy(out, f, 0, min(length, s.Size))
		}
		if closeErr := out.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
		p.heads[at] = head
	}
	return p.settle(at, a)
}

// writable opens a file that ctxfs wrote, although its mode forbids writing to all
// but root.
func (p *pass) writable(at string, s pathState) (*os.File, error) {
	if err := p.root.Chmod(at, s.Mode.Perm()|0o200); err != nil {
		return nil, err
	}
	return p.root.OpenFile(at, os.O_WRONLY, 0)
}

// adopt takes over a file that is not as ctxfs left it, if it has the bytes that
// would be written or, for a live file, their beginning.
func (p *pass) adopt(at string, f fs.File) error {
	a, err := p.stat(f)
	if err != nil {
		return err
	}
	same, err := p.sameBytes(at, f, a)
	if err != nil {
		return err
	}
	if !same {
		why := "was not written by ctxfs"
		if _, ours := p.manifest.states[at]; ours {
			why = "was changed since ctxfs wrote it"
		}
		p.conflict(at, why)
		return nil
	}
	if err := p.settle(at, a); err != nil || !a.Live {
		return err
	}
	return p.grow(at, f, p.manifest.states[at])
}

// sameBytes reports whether the file on disk has the bytes of f.
func (p *pass) sameBytes(at string, f fs.File, a fs.Attr) (bool, error) {
	info, err := p.root.Lstat(at)
	if err != nil {
		return false, err
	}
	if info.Size() > a.Size || !a.Live && info.Size() != a.Size {
		return false, nil
	}
	in, err := p.root.Open(at)
	if err != nil {
		return false, err
	}
	defer in.Close()
	half := len(p.buf) / 2
	length, _ := headOf(f)
	for off := int64(0); off < info.Size(); {
		ours, theirs := p.buf[:half], p.buf[half:]
		n, err := in.ReadAt(theirs[:min(int64(half), info.Size()-off)], off)
		if err != nil {
			return false, err
		}
		if m, err := p.tree.ReadAt(p.ctx, f, ours[:n], off); m < n {
			return false, err
		}
		skip := 0 // the header may have changed by now
		if a.Live {
			skip = int(max(0, min(length-off, int64(n))))
		}
		if !bytes.Equal(ours[skip:n], theirs[skip:n]) {
			return false, nil
		}
		off += int64(n)
	}
	return true, nil
}

// headOf returns the length and the version of the header of a file, which may have none.
func headOf(f fs.File) (length int64, version uint64) {
	if h, ok := f.(fs.Headed); ok {
		return h.Head()
	}
	return 0, 0
}
