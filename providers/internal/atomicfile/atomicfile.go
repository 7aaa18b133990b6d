// Package atomicfile writes files that cannot be derived again, so that no reader
// ever sees half of one, and no crash leaves one.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Write replaces the file at path with body, for its owner only (0600), and creates
// its folder (0700) if necessary. After an error the old file is unchanged.
func Write(path string, body []byte) error {
	return replace(path, func(f *os.File) error {
		_, err := f.Write(body)
		return err
	})
}

// WriteFrom is Write with a body that a function writes, for what is too long to be
// held in memory.
func WriteFrom(path string, body func(w io.Writer) error) error {
	return replace(path, func(f *os.File) error {
		w := bufio.NewWriterSize(f, 64<<10)
		if err := body(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// Create writes a file that does not exist, whole or not at all, and creates its folder if
// necessary. It fails with fs.ErrExist if there is such a file.
func Create(path string, body []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, Temporary+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path) // unlike a renaming it fails if the file exists
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		if _, err := os.Lstat(path); err == nil {
			return os.ErrExist
		}
		return os.Rename(f.Name(), path) // a file system without links
	}
	return err
}

// Temporary begins the names of files that [Create] is writing. One whose writer was killed
// stays.
const Temporary = ".new-"

func replace(path string, write func(f *os.File) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".tmp-*") // 0600
	if err != nil {
		return err
	}
	if err = cmp.Or(write(tmp), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
