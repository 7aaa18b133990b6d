// Package atomicfile writes files that cannot be derived again, so that no reader
// ever sees half of one, and no crash leaves one.
package atomicfile

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
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

func replace(path string, write func(f *os.File) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".tmp-*") // 0600
	if err != nil {
		return err
	}
	err = write(tmp)
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
