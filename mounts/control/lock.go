package control

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// errLocked reports that another process holds the lock.
var errLocked = errors.New("locked by another process")

// lock takes the lock of the state folder, which is released when the process exits
// or the file is closed. It locks the folder itself: that needs neither disk space
// nor write permission, and is the same lock by every path. It locks a file in the
// folder where folders cannot be locked (NFS) and, if there is no state folder and
// none can be created, the folder that stands in for it. If what it locked was
// deleted or replaced meanwhile, it tries the replacement.
func (h Home) lock() (*os.File, error) {
	var err error
	for range lockTries {
		var held *os.File
		held, err = h.lockOnce()
		switch {
		case err == nil && inPlace(held):
			return held, nil
		case err == nil:
			held.Close()
			err = errLocked // by the process that replaces it
		case !errors.Is(err, os.ErrNotExist): // it was deleted before it was opened
			return nil, err
		}
	}
	return nil, err
}

// lockTries is how often a file that others replace is locked again.
const lockTries = 10

// inPlace reports whether an open file is still the one at its path.
func inPlace(f *os.File) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(opened, named)
}

func (h Home) lockOnce() (*os.File, error) {
	made := os.MkdirAll(h.State, 0o700)
	folder, err := os.Open(h.State)
	if err != nil {
		standIn := h.Folders()[1]
		if h.ready(standIn) != nil {
			return nil, errors.Join(made, err)
		}
		if folder, err = os.Open(standIn); err != nil {
			return nil, err
		}
	}
	err = flock(folder)
	if err == nil {
		return folder, nil
	}
	folder.Close()
	if errors.Is(err, errLocked) {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(h.State, "daemon.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// flock takes a file's exclusive lock without waiting.
func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		}
		return err
	}
}
