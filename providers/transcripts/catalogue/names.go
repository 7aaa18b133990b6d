package catalogue

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// Names of folders that are part of a session's path: subagentsName is the
// folder of the sessions that a session has started, byIDName that of all
// sessions by their ids.
const (
	Subagents = "subagents"
	ByID      = "by-id"
)

// maxTitle is the length in bytes of the title in a folder's name.
const maxTitle = 50

// slug turns a text into words: letters, digits and _ of any script, with single
// hyphens between them, cut at the end of a word where it is longer than limit
// bytes.
func slug(text string, limit int) string {
	text = clean.Line(clean.Prefix(text, 1000))
	var b strings.Builder
	gap := false
	for _, r := range text {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || r == utf8.RuneError {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	s := b.String()
	if len(s) <= limit {
		return s
	}
	s = clean.Prefix(s, limit)
	if i := strings.LastIndexByte(s, '-'); i > limit/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, "-")
}

// ShortID returns the part of a session's id that is used in names and headings.
func ShortID(id string) string { return names.File(render.ID8(id)) }

// numbered returns the name of the n-th thing of that name.
func numbered(name string, n int) string { return name + "~" + strconv.Itoa(n) }

// dateOf returns the day of a session's start, or of seen if that is unknown.
func dateOf(start, seen time.Time) string {
	start = cmp.Or(start, seen)
	return start.UTC().Format(time.DateOnly)
}

// folderName returns <date>_<title>_<short id>; the title is left out if it is
// empty.
func (s *Session) folderName() string {
	date, id := dateOf(s.info.Start, s.seen), ShortID(s.ID)
	if title := slug(s.info.Title, maxTitle); title != "" {
		return fmt.Sprintf("%s_%s_%s", date, title, id)
	}
	return date + "_" + id
}

// projectName returns the name of the folder of a project: the path from the
// home folder, or from the root; else what the agent calls it.
func projectName(s *event.Session, home string) string {
	cwd := s.CWD
	if cwd == "" {
		if name := slug(s.Project, 100); name != "" {
			return names.File(name)
		}
		return unknownProject
	}
	if rel, ok := strings.CutPrefix(cwd, home+"/"); ok && home != "" {
		cwd = rel
	} else if cwd == home {
		return "home"
	}
	cwd = filepath.ToSlash(cwd)
	parts := strings.FieldsFunc(cwd, func(r rune) bool { return r == '/' || r == '\\' })
	for i, part := range parts {
		parts[i] = slug(part, 100)
	}
	if name := strings.Join(parts, "_"); name != "" {
		return names.File(name)
	}
	return "root"
}

const unknownProject = "unknown"

// ByIDPaths returns the paths of a session by its id.
func (s *Session) ByIDPaths() []string {
	name := names.File(s.ID)
	paths := []string{ByID + "/" + name}
	if s.ID != name && filepath.Base(s.ID) == s.ID {
		paths = append(paths, ByID+"/"+s.ID)
	}
	return paths
}
