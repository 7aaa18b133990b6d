package results

import (
	"crypto/rand"
	"strings"
	"time"

	"ctxfs/providers/internal/names"
)

// Origin tells where a result comes from, in foreign names as they are.
type Origin struct {
	// Source is one word of ours for what made it: "call", "run". It stands in
	// for a missing Server in the file's name.
	Source string
	Server string // "" where there is none
	Tool   string
}

// timeFormat is that of the time in a file's name. It sorts, and has nothing in
// it that a shell or a file system minds.
const timeFormat = "2006-01-02T15-04-05Z"

// idLen is the length of what tells results of one second apart.
const idLen = 5

// newID is a random id. Those of one second are checked against each other.
func newID() string { return strings.ToLower(rand.Text()[:idLen]) }

// fileName is the name of a result's file: time, server, tool, id and ending.
// It has at most 240 bytes.
func fileName(t time.Time, o Origin, id, ext string) string {
	server := o.Server
	if server == "" {
		server = o.Source
	}
	return strings.Join([]string{t.UTC().Format(timeFormat), names.File(server), names.File(o.Tool), id, ext}, ".")
}

// parseName tells the time and, as far as a file name can, the origin of a
// result of ours. Nothing else is ever listed or deleted.
func parseName(name string) (t time.Time, o Origin, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 5 || parts[1] == "" || parts[2] == "" || len(parts[3]) != idLen || !plain(parts[3]) || !isExt(parts[4]) {
		return t, o, false
	}
	t, err := time.Parse(timeFormat, parts[0])
	return t, Origin{Server: parts[1], Tool: parts[2]}, err == nil
}

func isResult(name string) bool {
	_, _, ok := parseName(name)
	return ok
}

// isExt tells whether a file name may end so.
func isExt(ext string) bool { return ext != "" && len(ext) <= 10 && plain(ext) }

func plain(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
