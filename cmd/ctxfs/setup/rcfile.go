package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// readRC returns the text of a shell's startup file, "" if there is none.
func readRC(path string) (text string, exists bool, err error) {
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(body), err == nil, err
}

// writeRC replaces a shell's startup file atomically, so that no shell reads half of
// it. A link stays a link, and the mode and the owner stay as they are.
func writeRC(path, text string) error {
	if _, err := os.Lstat(path); err == nil {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".ctxfs-*") // 0600
	if err != nil {
		return err
	}
	err = func() error {
		if info, err := os.Stat(path); err == nil {
			if owner := info.Sys().(*syscall.Stat_t); int(owner.Uid) != os.Getuid() || int(owner.Gid) != os.Getgid() {
				if err := tmp.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
					return err
				}
			}
			if err := tmp.Chmod(info.Mode().Perm()); err != nil {
				return err
			}
		}
		_, err := tmp.WriteString(text)
		return err
	}()
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
