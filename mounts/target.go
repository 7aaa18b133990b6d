package mounts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// maxLinks is how many links in a row are followed.
const maxLinks = 40

// Resolve makes dir absolute and resolves links as far as it exists. It does not
// touch a ctxfs mount, which may be dead or hang.
func Resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for range maxLinks {
		if _, found, err := mountedAt(abs); err != nil || found {
			return abs, err
		}
		parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
		if errors.Is(err, os.ErrNotExist) {
			return abs, nil
		}
		if err != nil {
			return "", err
		}
		abs = filepath.Join(parent, filepath.Base(abs))
		if _, found, err := mountedAt(abs); err != nil || found {
			return abs, err
		}
		target, err := os.Readlink(abs)
		if err != nil {
			return abs, nil // not a link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(parent, target)
		}
		abs = target
	}
	return "", &os.PathError{Op: "resolve", Path: dir, Err: syscall.ELOOP}
}

// checkSources refuses a folder that contains what is shown in it, or is contained
// in it: the process would wait for itself.
func checkSources(dir string, sources []string) error {
	for _, source := range sources {
		if fs.Within(dir, source) {
			return &control.Fault{
				Message: fmt.Sprintf("%s lies inside %s, which is shown in it: it would contain itself", dir, source),
				Hint:    "choose a folder elsewhere: ctxfs mount ~/.agentctx",
			}
		}
		if fs.Within(source, dir) {
			return &control.Fault{
				Message: fmt.Sprintf("%s contains %s, which is shown in it: it would contain itself", dir, source),
				Hint:    "choose an empty folder: ctxfs mount ~/.agentctx",
			}
		}
	}
	return nil
}

// prepareMount prepares a mount point: it creates the folder if necessary, checks
// that it is empty, and unmounts a dead mount.
func prepareMount(home control.Home, dir string, sources []string) error {
	if err := checkSources(dir, sources); err != nil {
		return err
	}
	// Several dead mounts may lie on top of each other.
	for {
		p, found, err := mountedAt(dir)
		if err != nil {
			return err
		}
		if !found {
			break
		}
		if p.State = p.Check(); p.State == Healthy {
			return &control.Fault{
				Message: fmt.Sprintf("%s has mounted %s", p.Shown(home), dir),
				Hint:    fmt.Sprintf("to free it: fusermount3 -u %s", wording.ShellWord(dir)),
			}
		}
		if err := p.Mend(); err != nil {
			return &control.Fault{Message: err.Error(), Hint: fmt.Sprintf("try: fusermount3 -uz %s", wording.ShellWord(dir))}
		}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return &control.Fault{Message: fmt.Sprintf("cannot make the mount point: %v", err), Hint: "mount where you can write: ctxfs mount DIR"}
		}
		_ = writeHint(dir) // the mount works without it
		return nil
	case errors.Is(err, syscall.ENOTCONN):
		return &control.Fault{
			Message: fmt.Sprintf("%s is a dead mount of another program", dir),
			Hint:    fmt.Sprintf("unmount it: fusermount3 -uz %s", wording.ShellWord(dir)),
		}
	case err != nil:
		return &control.Fault{Message: fmt.Sprintf("cannot use the mount point: %v", err)}
	case !info.IsDir():
		return &control.Fault{Message: fmt.Sprintf("%s is a file, not a folder", dir), Hint: "choose a folder that is empty or does not exist"}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return &control.Fault{Message: fmt.Sprintf("cannot use the mount point: %v", err)}
	}
	if isHint(dir) {
		entries = withoutHint(entries)
		_ = writeHint(dir) // it may have been moved
	}
	if len(entries) > 0 {
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Name()
		}
		return &control.Fault{
			Message: fmt.Sprintf("%s is not empty (it holds %s): the mount would hide what is in it", dir, wording.List(names, 3)),
			Hint:    "choose a folder that is empty or does not exist",
		}
	}
	return nil
}
