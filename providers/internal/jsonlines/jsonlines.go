// Package jsonlines keeps values in files of lines of JSON.
package jsonlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"

	"ctxfs/providers/internal/atomicfile"
)

// mostRead is how much of a file is read, in bytes.
const mostRead = 256 << 20

// head is the first line of a file that is written whole.
type head struct {
	Format int `json:"format"`
}

// Read yields the values in a file that [Write] has written in that format, as far as it
// is there and not damaged: it is for what can be made again. It reads at most 256 MiB.
func Read[T any](path string, format int) iter.Seq[T] {
	return func(yield func(T) bool) {
		f, err := os.Open(path)
		if err != nil {
			return
		}
		defer f.Close()
		lines := json.NewDecoder(bufio.NewReader(io.LimitReader(f, mostRead)))
		var first head
		if lines.Decode(&first) != nil || first.Format != format {
			return
		}
		for {
			var value T
			if lines.Decode(&value) != nil || !yield(value) {
				return
			}
		}
	}
}

// Write replaces a file by one with these values, below a line that names the format. It
// makes the folder that the file lies in.
func Write[T any](path string, format int, values iter.Seq[T]) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFrom(path, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		if err := lines.Encode(head{format}); err != nil {
			return err
		}
		for value := range values {
			if err := lines.Encode(value); err != nil {
				return err
			}
		}
		return nil
	})
}

// Lines returns the values of a file of lines that [Append] has written, none if it is not
// there, and how many lines are damaged: those are left out.
func Lines[T any](path string) (all []T, damaged int, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, 0, err
	}
	for line := range bytes.Lines(text) {
		var value T
		if json.Unmarshal(line, &value) == nil {
			all = append(all, value)
		} else if len(bytes.TrimSpace(line)) > 0 {
			damaged++
		}
	}
	return all, damaged, nil
}

// Append appends a line to a file, which is on disk when Append returns. It makes the file
// and the folder that it lies in. A line that a killed writer has left half stays one of
// its own. Several processes may append at once.
func Append(path string, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if end, seekErr := f.Seek(0, io.SeekEnd); seekErr == nil && end > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, end-1); err == nil && last[0] != '\n' {
			line = append([]byte("\n"), line...)
		}
	}
	_, err = f.Write(append(line, '\n'))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
