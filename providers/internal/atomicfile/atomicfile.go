// Package atomicfile writes the plain files that hold the truth, so that a
// reader or a crash never meets half of one.
package atomicfile

import (
	"os"
	"path/filepath"
)

// Write replaces the file at path with body, owner-only (0600), making its
// folder (0700) if need be. After an error the old file is as it was.
func Write(path string, body []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".tmp-*") // 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(body)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
