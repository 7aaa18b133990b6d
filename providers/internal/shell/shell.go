// Package shell writes texts so that they can be pasted into a shell.
package shell

import (
	"strings"
	"unicode"
)

// Word writes a text as one word of a POSIX shell. The home folder at its
// beginning, "~/", stays what it means.
func Word(s string) string {
	home, rest := "", s
	if after, ok := strings.CutPrefix(s, "~/"); ok {
		home, rest = "~/", after
	}
	if rest != "" && !strings.HasPrefix(rest, "~") && !strings.ContainsFunc(rest, special) || rest == "" && home != "" {
		return s
	}
	return home + "'" + strings.ReplaceAll(rest, "'", `'\''`) + "'"
}

// special tells whether a shell may take a character for something else.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+,:@%~", r)
}
