package transcripts

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/transcripts/render"
)

// maxTitle is the length in bytes of the title in a folder's name.
const maxTitle = 50

// slug makes words of a text: letters, digits and _ of any script, with single
// hyphens between them, cut at a word's end where it is longer than limit bytes.
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

func fileName(foreign string) string { return names.File(foreign) }

// shortID is the part of a session's id that stands in names and headings.
func shortID(id string) string { return fileName(render.ID8(id)) }

// numbered is the name of the n-th thing of that name.
func numbered(name string, n int) string { return name + "~" + strconv.Itoa(n) }

func sortedBy[T any](list []T, name func(T) string) []T {
	return slices.SortedFunc(slices.Values(list), func(a, b T) int { return strings.Compare(name(a), name(b)) })
}

func isNotExist(err error) bool   { return errors.Is(err, iofs.ErrNotExist) }
func isPermission(err error) bool { return errors.Is(err, iofs.ErrPermission) }

// hex is a number of 64 bits in 16 digits.
func hex(n uint64) string { return fmt.Sprintf("%016x", n) }

// afterAgent is a first id without the agent's name before it.
func afterAgent(first string) string {
	_, id, _ := strings.Cut(first, "\x00")
	return id
}
