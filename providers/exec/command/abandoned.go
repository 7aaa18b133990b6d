package command

import (
	"encoding/json"
	"os"
	"path/filepath"

	"ctxfs/providers/internal/descendants"
	"ctxfs/providers/internal/filelock"
)

// keptFile returns a file for a keeper, locked, with its path; where none can be made, the
// null device and "". The lock is shared with whoever inherits the file.
func keptFile(dir string) (f *os.File, path string, err error) {
	if dir != "" && os.MkdirAll(dir, 0o700) == nil {
		if f, err := os.CreateTemp(dir, ""); err == nil {
			if filelock.TryFile(f, filelock.Exclusive) == nil {
				return f, f.Name(), nil
			}
			f.Close()
			os.Remove(f.Name())
		}
	}
	f, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	return f, "", err
}

// EndAbandoned kills what commands have left behind whose keepers were killed together with
// the process that had started them. Dir is the folder of the keepers' files, see
// [Spec.Kept].
func EndAbandoned(dir string) {
	entries, _ := os.ReadDir(dir) // without it there was no command
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		var b begun
		if filelock.TryFile(f, filelock.Exclusive) == nil && (json.NewDecoder(f).Decode(&b) != nil || descendants.EndMarked(b.Mark)) {
			os.Remove(path)
		}
		f.Close()
	}
}
