package caller

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/atomicfile"
)

// environFile is the name of the file in the state folder that holds the environment of the user:
// entries separated by NULs. Only its owner may read it.
const environFile = "environ"

// KeepEnviron saves the environment of a command that the user typed, for what ctxfs starts
// later. It does not save that of a shell that an agent started.
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

// UserEnviron returns the environment of the user: the last one that was saved, or else own
// without the variables of the agent that started this process.
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
