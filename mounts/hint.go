package mounts

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"ctxfs/fs/wording"
)

// hintName is a file in the folder below a mount, which the mount hides: it
// explains the empty folder to anyone who finds it without the mount.
const hintName = "NOT_MOUNTED.md"

// hintHead begins the file, and distinguishes it from any other, unless that has only its
// beginning.
const hintHead = "# Not mounted\n\nctxfs shows its tree in this folder, and does not now"

func hintText(dir string) []byte {
	return []byte(hintHead + `. To have it here again:

    ctxfs mount ` + wording.ShellWord(dir) + `

Without a mount: ctxfs ls, ctxfs cat PATH, ctxfs find WORDS.
`)
}

// isHint reports whether a folder has the file as ctxfs wrote it, or the beginning of it:
// the process may have been killed. A link does not count, nor does a file that cannot be
// read.
func isHint(dir string) bool {
	path := filepath.Join(dir, hintName)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4<<10 {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && (bytes.HasPrefix(text, []byte(hintHead)) || bytes.HasPrefix([]byte(hintHead), text))
}

// withoutHint returns the entries of a folder without the hint.
func withoutHint(entries []os.DirEntry) []os.DirEntry {
	return slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.Name() == hintName })
}

// writeHint writes the hint into a folder that ctxfs has created. On a full or
// read-only disk it is missing.
func writeHint(dir string) error {
	text := hintText(dir)
	path := filepath.Join(dir, hintName)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if isHint(dir) {
		if err := os.Remove(path); err != nil { // it names another place: the folder was moved
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // none is better than half of one
	}
	return err
}

// removeHint removes the hint from a folder that is used for something else.
func removeHint(dir string) {
	if isHint(dir) {
		os.Remove(filepath.Join(dir, hintName))
	}
}

// Abandon removes a folder that ctxfs has created as a mount point, if nothing is mounted on
// it and nothing else is in it.
func Abandon(dir string) {
	if isHint(dir) {
		removeHint(dir)
		_ = os.Remove(dir) // unless another file is there
	}
}
