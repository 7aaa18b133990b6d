package wording

import (
	"path/filepath"
	"strings"
	"unicode"
)

// Tilde returns a path below the home folder as "~/path", and any other path as
// it is.
func Tilde(path, home string) string {
	if home == "" {
		return path
	}
	if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) && rel != "." {
		return "~/" + rel
	}
	return path
}

// ExpandTilde replaces a leading "~" or "~/" by the home folder.
func ExpandTilde(path, home string) string {
	if path == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// ShellWord returns text as one word of a POSIX shell, in single quotes if
// necessary. A leading "~/" stays outside of them, and so still means the home
// folder.
func ShellWord(text string) string {
	home, rest := "", text
	if after, ok := strings.CutPrefix(text, "~/"); ok {
		home, rest = "~/", after
	}
	if rest != "" && !strings.HasPrefix(rest, "~") && !strings.ContainsFunc(rest, isSpecial) || rest == "" && home != "" {
		return text
	}
	return home + "'" + strings.ReplaceAll(rest, "'", `'\''`) + "'"
}

// ShellLine returns words as a command line of a POSIX shell.
func ShellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellWord(word)
	}
	return strings.Join(quoted, " ")
}

// isSpecial reports whether a character may mean more to a shell than itself.
func isSpecial(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+,:@%~", r)
}
