// Package journal changes files of other programs and remembers what they were, so that
// every change can be taken back: to the byte where the file was not edited since, else by
// taking out our parts alone.
//
// [Journal.Plan] and [Journal.PlanUndo] say what is to be done, a [Step] for each file, and
// change nothing; [Journal.Do] does one. The journal is written before the file is, with
// the bytes that were there, and again after it: whatever is killed, and when, the next
// plan knows the file as it was before, or as it would have become.
//
// Changes belong to owners; an owner has any number of files, and a file any number of
// owners: taking back those of one leaves those of the others. An owner that plans again
// has only what it plans then.
package journal

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/setup/edit"
)

// Journal is the record of all changes, in one file.
type Journal struct{ path string }

// At returns the journal in the file at path, which need not exist.
func At(path string) *Journal { return &Journal{path} }

// Wish is what an owner wants to have changed: this and nothing else.
type Wish struct {
	Owner   string
	Changes []edit.Change
}

// ErrChanged reports that a file, or the journal, is not any more as it was when the step was
// planned. Nothing was done; plan again.
var ErrChanged = errors.New("it was changed in the meantime")

// format is the version of the file.
const format = 1

// record is the content of the file.
type record struct {
	Format int     `json:"format"`
	Files  []entry `json:"files"`
	// Folders were made for files, the outermost first.
	Folders []string `json:"folders,omitempty"`
}

// entry is one file that was changed.
type entry struct {
	// Path is the file as it was named, Target the file itself: they differ for links.
	Path   string `json:"path"`
	Target string `json:"target"`
	// Original is the text without any change of ours; null if there was no file.
	Original []byte `json:"original"`
	// Parts are the changes, in the order in which they were made.
	Parts []part `json:"parts"`
	// After is the SHA-256 of the text that was written last. Pending, where it is set, is
	// that of a text that may have been written instead.
	After   string `json:"after"`
	Pending string `json:"pending,omitempty"`
}

// part is what one owner has changed in a file.
type part struct {
	Owner string      `json:"owner"`
	Edits []edit.Edit `json:"edits"`
}

// sum identifies a text; "" is no file.
func sum(text []byte) string {
	if text == nil {
		return ""
	}
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// known reports whether no one else has edited the text since we did.
func (e entry) known(text []byte) bool {
	s := sum(text)
	return s == e.After || s == sum(e.Original) || e.Pending != "" && s == e.Pending
}

// Owners returns all owners with changes, in the order of the files.
func (j *Journal) Owners() ([]string, error) {
	r, err := j.read()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range r.Files {
		for _, p := range e.Parts {
			all = add(all, p.Owner)
		}
	}
	return all, nil
}

func (j *Journal) read() (record, error) {
	body, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return record{Format: format}, nil
	}
	if err != nil {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(body, &r); err != nil {
		return record{}, fmt.Errorf("%s, which says what setup has changed, is damaged: %w", j.path, err)
	}
	if r.Format != format {
		return record{}, fmt.Errorf("%s was written by another version of ctxfs; use that one", j.path)
	}
	return r, nil
}

// write replaces the file; it removes one that says nothing.
func (j *Journal) write(r record) error {
	if len(r.Files) == 0 && len(r.Folders) == 0 {
		if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	slices.SortFunc(r.Files, func(a, b entry) int { return cmp.Compare(a.Target, b.Target) })
	body, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(j.path, append(body, '\n'))
}

// lockTime is how long a step waits for one of another process.
const lockTime = 10 * time.Second

// locked runs do while no other process changes the journal or a file through it.
func (j *Journal) locked(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, lockTime)
	defer stop()
	lock, err := filelock.Wait(ctx, strings.TrimSuffix(j.path, ".json")+".lock", filelock.Exclusive)
	if err != nil {
		return err
	}
	defer lock.Release()
	return do()
}

// equal reports whether two texts are the same; no file is not an empty one.
func equal(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }
