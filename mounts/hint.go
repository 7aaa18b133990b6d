package mounts

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"ctxfs/fs/wording"
)

// hintName is a file in the folder below a mount, which the mount hides: who
// finds the folder without it reads there what is missing.
const hintName = "NOT_MOUNTED.md"

// hintHead begins the file, and tells it from one that somebody else wrote.
const hintHead = "# Not mounted\n\nctxfs shows its tree in this folder, and does not now"

func hintText(dir string) []byte {
	return []byte(hintHead + `. To have it here again:

    ctxfs mount ` + wording.ShellWord(dir) + `

Without a mount: ctxfs ls, ctxfs cat PATH, ctxfs find WORDS.
`)
}

// isHint reports whether a folder has the file as it was written by us. A link is
// none, nor is what cannot be read.
func isHint(dir string) bool {
	path := filepath.Join(dir, hintName)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4<<10 {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && bytes.HasPrefix(text, []byte(hintHead))
}

// withoutHint are the entries of a folder but for the hint.
func withoutHint(entries []os.DirEntry) []os.DirEntry {
	return slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.Name() == hintName })
}

// leaveHint writes the hint into a folder that we have made. The folder may be
// on a full or read-only disk: then there is none.
func leaveHint(dir string) error {
	text := hintText(dir)
	path := filepath.Join(dir, hintName)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if isHint(dir) {
		if err := os.Remove(path); err != nil { // of another place: the folder was moved
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // rather none than half of one
	}
	return err
}

// takeHint takes the hint out of a folder that is used for something else.
func takeHint(dir string) {
	if isHint(dir) {
		os.Remove(filepath.Join(dir, hintName))
	}
}
