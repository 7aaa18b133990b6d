package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Do does what was planned. Its error is [ErrChanged] if the file, or what the journal
// says of it, is not as it was then; after any other one the file is as it was. A file that
// the step makes is for its owner and, by the mode of the change, others; one that is there
// keeps its mode and owner.
func (j *Journal) Do(ctx context.Context, s Step) error {
	if s.Err != nil {
		return s.Err
	}
	return j.locked(ctx, func() error {
		r, err := j.read()
		if err != nil {
			return err
		}
		at := slices.IndexFunc(r.Files, func(e entry) bool { return e.Target == s.Target })
		if at < 0 != (s.entry == nil) || at >= 0 && !reflect.DeepEqual(r.Files[at], *s.entry) {
			return ErrChanged
		}
		if real, err := resolve(s.Path); err != nil || real != s.Target {
			return ErrChanged
		}
		if is, err := readText(s.Target); err != nil || !equal(is, s.Before) {
			return ErrChanged
		}
		_ = os.Remove(temporary(s.Target)) // of a process that was killed
		if at < 0 {
			at, r.Files = len(r.Files), append(r.Files, s.next)
		}
		if s.Writes() {
			// Both texts are ours until the next record: that which is there, if no
			// other program wrote it, and that which will be.
			pending := s.next
			pending.Parts = slices.Concat(s.next.Parts, gone(r.Files[at].Parts, s.next.Parts))
			pending.After, pending.Pending = sum(s.Before), s.next.After
			r.Files[at] = pending
			for dir := filepath.Dir(s.Target); s.After != nil && !exists(dir); dir = filepath.Dir(dir) {
				r.Folders = append(r.Folders, dir)
			}
			if err := j.write(r); err != nil {
				return err
			}
			at = slices.IndexFunc(r.Files, func(e entry) bool { return e.Target == s.Target }) // they were sorted
			if err := s.write(); err != nil {
				return errors.Join(err, j.restore(r, at, s))
			}
		}
		if r.Files[at] = s.next; len(s.next.Parts) == 0 {
			r.Files = slices.Delete(r.Files, at, at+1)
		}
		r.Folders = r.removeFolders()
		return j.write(r)
	})
}

// gone returns the parts that are not wanted any more: until the file is written they are
// in it.
func gone(was, next []part) (all []part) {
	for _, p := range was {
		if !slices.ContainsFunc(next, func(n part) bool { return reflect.DeepEqual(n, p) }) {
			all = append(all, p)
		}
	}
	return all
}

// restore writes the journal as it was before a file that could not be written.
func (j *Journal) restore(r record, at int, s Step) error {
	if r.Files = slices.Delete(r.Files, at, at+1); s.entry != nil {
		r.Files = append(r.Files, *s.entry)
	}
	r.Folders = r.removeFolders()
	return j.write(r)
}

// removeFolders removes the folders that were made for files and have nothing in them, and
// returns those that a file of ours is in.
func (r record) removeFolders() (kept []string) {
	slices.Sort(r.Folders)
	for _, dir := range slices.Backward(slices.Compact(r.Folders)) {
		if err := os.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if slices.ContainsFunc(r.Files, func(e entry) bool { return strings.HasPrefix(e.Target, dir+"/") }) {
			kept = append(kept, dir)
		}
	}
	return kept
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// most is the size of the longest file that is changed, in bytes.
const most = 64 << 20

// readText returns the text of a file, or nil if it does not exist.
func readText(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", path)
	case info.Size() > most:
		return nil, fmt.Errorf("%s is longer than %d MB", path, most>>20)
	}
	body, err := os.ReadFile(path)
	if err == nil && body == nil {
		body = []byte{}
	}
	return body, err
}

// resolve returns the file that a path names, which need not exist: links are followed,
// those of folders, too.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if to, err := os.Readlink(path); err == nil {
		return "", fmt.Errorf("it is a link to %s, which does not exist", to)
	}
	dir, err := resolve(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// writable returns why a file cannot be replaced, or made.
func writable(path string) error {
	if exists(path) && unix.Access(path, unix.W_OK) != nil {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("it is read-only")}
	}
	dir := filepath.Dir(path)
	for !exists(dir) {
		dir = filepath.Dir(dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &fs.PathError{Op: "write", Path: dir, Err: syscall.ENOTDIR}
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write in", Path: dir, Err: err}
	}
	return nil
}

// temporary is the file that becomes the one at path: always the same, so that it is found
// again after a kill.
func temporary(path string) string {
	return filepath.Join(filepath.Dir(path), ".ctxfs-"+filepath.Base(path))
}

// write replaces, makes or removes the file.
func (s Step) write() error {
	if s.After == nil {
		return os.Remove(s.Target)
	}
	dir := filepath.Dir(s.Target)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.OpenFile(temporary(s.Target), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = tmp.Write(s.After)
	if err == nil {
		err = s.likeBefore(tmp)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		if is, failed := readText(s.Target); failed != nil || !equal(is, s.Before) {
			err = ErrChanged
		} else {
			err = os.Rename(tmp.Name(), s.Target)
		}
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// likeBefore gives the new file the mode and the owner of the old one.
func (s Step) likeBefore(f *os.File) error {
	info, err := os.Stat(s.Target)
	if err != nil {
		if s.mode == 0 {
			return f.Chmod(0o644)
		}
		return f.Chmod(s.mode)
	}
	if owner := info.Sys().(*syscall.Stat_t); int(owner.Uid) != os.Getuid() || int(owner.Gid) != os.Getgid() {
		if err := f.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	return f.Chmod(info.Mode().Perm())
}
