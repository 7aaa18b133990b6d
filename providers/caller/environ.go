package caller

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/atomicfile"
)

// environFile is the file with the environment of the user, in the state folder: entries with a NUL after
// each, for its owner alone.
const environFile = "environ"

// KeepEnviron keeps the environment of a command that the user has typed, for what ctxfs starts
// from now on. That of an agent's shell is not the user's: it is not kept.
func KeepEnviron(state string, environ []string) error {
	if marks := Marks(); slices.ContainsFunc(environ, func(entry string) bool { return marks(nameOf(entry)) }) {
		return nil
	}
	path, kept := filepath.Join(state, environFile), []byte(strings.Join(environ, "\x00"))
	if before, err := os.ReadFile(path); err == nil && bytes.Equal(before, kept) {
		return nil
	}
	return atomicfile.Write(path, kept)
}

// UserEnviron returns the environment of the user: the last one that was kept, or else own, without
// what names the agent that has started this process.
func UserEnviron(state string, own []string) []string {
	if kept, err := os.ReadFile(filepath.Join(state, environFile)); err == nil && len(kept) > 0 {
		return strings.Split(string(kept), "\x00")
	}
	marks := Marks()
	return slices.DeleteFunc(slices.Clone(own), func(entry string) bool { return marks(nameOf(entry)) })
}

func nameOf(entry string) string {
	name, _, _ := strings.Cut(entry, "=")
	return name
}
