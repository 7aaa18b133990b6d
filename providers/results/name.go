package results

import (
	"cmp"
	"crypto/rand"
	"strings"
	"time"

	"ctxfs/providers/internal/names"
)

// Origin is where a result comes from, in unchanged foreign names.
type Origin struct {
	// Source is ctxfs's own word for what made the result: "call", "run". It
	// replaces a missing Server in the file's name.
	Source string
	Server string // or ""
	Tool   string
}

// timeFormat is the format of the time in a file's name. It sorts, and needs no
// quotes in a shell or a file system.
const timeFormat = "2006-01-02T15-04-05Z"

// idLen is the length of the ID that distinguishes results of one second.
const idLen = 5

// newID returns a random ID.
func newID() string { return strings.ToLower(rand.Text()[:idLen]) }

// fileName returns the name of a result's file: time, server, tool, ID and
// ending. It has at most 240 bytes.
func fileName(t time.Time, o Origin, id, ext string) string {
	server := cmp.Or(o.Server, o.Source)
	return strings.Join([]string{t.UTC().Format(timeFormat), names.File(server), names.File(o.Tool), id, ext}, ".")
}

// parseName returns the time and, as far as a file name can hold it, the origin of
// a result. A file with any other name is never listed or deleted.
func parseName(name string) (t time.Time, o Origin, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 5 || parts[1] == "" || parts[2] == "" || len(parts[3]) != idLen || !isPlain(parts[3]) || !isExt(parts[4]) {
		return t, o, false
	}
	t, err := time.Parse(timeFormat, parts[0])
	return t, Origin{Server: parts[1], Tool: parts[2]}, err == nil
}

func isResult(name string) bool {
	_, _, ok := parseName(name)
	return ok
}

// isExt reports whether a file name may have an ending.
func isExt(ext string) bool { return ext != "" && len(ext) <= 10 && isPlain(ext) }

func isPlain(s string) bool { return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == "" }
