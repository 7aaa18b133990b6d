package scope

import (
	"path"
	"strings"

	"ctxfs/providers/internal/ignore"
)

// Match reports whether a path with slashes matches a glob (package wildcard). An invalid one
// matches nothing.
func Match(pattern, path string) bool {
	return ignore.IsGlob(pattern) && ignore.MatchGlob(pattern, path)
}

// IsValid reports whether a glob is well-formed.
func IsValid(pattern string) bool { return ignore.IsGlob(pattern) }

// globsOf returns the globs in a value of front matter: a text with commas between
// them, or a list.
func globsOf(value any) (globs []string) {
	switch v := value.(type) {
	case string:
		for _, g := range splitCommas(v) {
			if g = strings.Trim(strings.TrimSpace(g), `"'`); g != "" {
				globs = append(globs, g)
			}
		}
	case []any:
		for _, item := range v {
			globs = append(globs, globsOf(item)...)
		}
	}
	return globs
}

// splitCommas splits a text at the commas that are in no braces.
func splitCommas(s string) (parts []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth <= 0 {
				parts, from = append(parts, s[from:i]), i+1
			}
		}
	}
	return append(parts, s[from:])
}

// matcher says how a tool reads its globs.
type matcher struct {
	// anyFolder is set if a glob without a slash matches in every folder, as in
	// .gitignore, and not only in the one that globs are relative to.
	anyFolder bool
}

// matches reports whether a path, relative to where the globs count from, matches one
// of them and none that begins with "!".
func (m matcher) matches(globs []string, file string) bool {
	found := false
	for _, g := range globs {
		rest, excluded := strings.CutPrefix(g, "!")
		if m.match(rest, file) {
			if excluded {
				return false
			}
			found = true
		}
	}
	return found
}

func (m matcher) match(pattern, file string) bool {
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	if m.anyFolder && !strings.Contains(pattern, "/") {
		return Match(pattern, path.Base(file))
	}
	return Match(pattern, file)
}
