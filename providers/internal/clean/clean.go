// Package clean makes foreign text safe to show: no control bytes, no
// terminal escapes, no invisible or reordering Unicode, always valid UTF-8.
package clean

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text cleans text of several lines. Line ends become "\n"; tabs stay.
func Text(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return strip(s, func(r rune) bool { return r == '\n' || r == '\t' })
}

// Safe reports whether Text would leave b unchanged. It allocates nothing.
func Safe(b []byte) bool { return !needsEscape(b) && bytes.IndexByte(b, '\r') < 0 }

// Binary reports whether a third of b or more is no text in UTF-8.
func Binary(b []byte) bool {
	odd := 0
	for rest := b; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 || r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) {
			odd++
		}
		rest = rest[size:]
	}
	return odd*3 > len(b)
}

// Line cleans text into one line: all white space, line ends included, becomes
// single spaces.
func Line(s string) string { return strings.Join(strings.Fields(strip(s, unicode.IsSpace)), " ") }

// Sentence returns the first sentence of a text, as one line of at most limit
// bytes; a cut is marked with an ellipsis.
func Sentence(s string, limit int) string {
	s = strings.TrimSpace(Prefix(s, 64*limit)) // foreign text may be megabytes
	if i := strings.Index(s, "\n\n"); i > 0 {
		s = s[:i]
	}
	s = Line(s)
	for i := 0; i+1 < len(s); i++ {
		if (s[i] == '.' || s[i] == '!' || s[i] == '?') && s[i+1] == ' ' && !abbreviated(s[:i]) {
			s = s[:i+1]
			break
		}
	}
	return Cut(s, limit)
}

// abbreviated reports whether the full stop after s ends an abbreviation.
func abbreviated(s string) bool {
	word := s[strings.LastIndexAny(s, " (")+1:]
	switch strings.ToLower(word) {
	case "e.g", "i.e", "etc", "vs", "cf", "approx", "no":
		return true
	}
	return false
}

// Cut shortens s to at most limit bytes, at the end of a word if one is near; a
// cut is marked with an ellipsis.
func Cut(s string, limit int) string {
	const ellipsis = "…"
	if len(s) <= limit {
		return s
	}
	head := Prefix(s, limit-len(ellipsis))
	if i := strings.LastIndexByte(head, ' '); i > limit/2 {
		head = head[:i]
	}
	return strings.TrimRight(head, " ,;:") + ellipsis
}

// Prefix returns the longest beginning of s of at most limit bytes that does
// not end within a character.
func Prefix(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// JSON escapes, within the JSON text b, the characters that must not appear
// raw, so that nothing is lost: "\u202e" for a raw right-to-left override. JSON
// allows such characters in strings only, so b stays the same value.
func JSON(b []byte) []byte {
	if !needsEscape(b) {
		return b
	}
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			out.WriteString(`\ufffd`)
		case hidden(r) && r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		case hidden(r) && !jsonSpace(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.Write(b[:n])
		}
		b = b[n:]
	}
	return []byte(out.String())
}

func needsEscape(b []byte) bool {
	for i := 0; i < len(b); {
		if c := b[i]; c >= ' ' && c <= '~' { // nearly all of it
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || hidden(r) && !jsonSpace(r) {
			return true
		}
		i += n
	}
	return false
}

// jsonSpace reports whether JSON allows a control character between values.
func jsonSpace(r rune) bool { return r == '\n' || r == '\t' || r == '\r' }

// strip removes escape sequences and hidden characters, except those that keep
// accepts.
func strip(s string, keep func(rune) bool) string {
	var out strings.Builder
	begun := false // s up to i has changed
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		switch {
		case r >= ' ' && r <= '~': // nearly all of it
			if begun {
				out.WriteByte(byte(r))
			}
			i++
			continue
		case r >= utf8.RuneSelf:
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		escape := 0
		if r == 0x1b {
			escape = escapeLen(s[i:])
		}
		stays := escape == 0 && (r != utf8.RuneError || n > 1) && (!hidden(r) || keep(r))
		switch {
		case stays && begun:
			out.WriteString(s[i : i+n])
		case !stays && !begun:
			begun = true
			out.Grow(len(s))
			out.WriteString(s[:i])
		}
		i += max(n, escape)
	}
	if !begun {
		return s // the usual case: no copy of what may be megabytes
	}
	return out.String()
}

// escapeLen returns the length of the terminal escape sequence that s begins
// with, or 0.
func escapeLen(s string) int {
	if len(s) < 2 || s[0] != 0x1b {
		return 0
	}
	switch s[1] {
	case '[': // CSI: parameters, intermediates, final byte
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				return i
			}
		}
		return len(s)
	case ']', 'P', '_', '^', 'X': // strings: to BEL or ST
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			if s[i] == '\n' {
				return i
			}
		}
		return len(s)
	}
	if s[1] >= 0x20 && s[1] <= 0x2f && len(s) > 2 {
		return 3
	}
	if s[1] >= 0x30 && s[1] <= 0x7e {
		return 2
	}
	return 1
}

// hidden reports whether a character is invisible, reorders others, or controls
// a terminal. Joiners and variation selectors, which scripts and emoji need,
// are not hidden.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r == 0xad, r == 0x61c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	case r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f: // separators, bidirectional controls, invisible operators
		return true
	case r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff: // annotations, tags
		return true
	}
	return false
}

// Path returns a file name or path as one line of at most limit bytes. One that has control
// or invisible characters, is not UTF-8, or could be mistaken for a quoted one is quoted,
// with escapes as in Go, so that nothing is lost.
func Path(path string, limit int) string {
	if Line(path) != path || strings.ContainsAny(path, `"\`) {
		path = strconv.Quote(path)
	}
	return Cut(path, limit)
}
