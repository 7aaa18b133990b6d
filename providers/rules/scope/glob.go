package scope

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Match reports whether a path with slashes matches a glob: "*" and "?" stay in one
// folder, "**" does not, "[a-z]" and "{a,b}" are as usual. An invalid glob matches
// nothing.
func Match(glob, path string) bool {
	ok, err := doublestar.Match(glob, path)
	return ok && err == nil
}

// IsValid reports whether a glob is well-formed.
func IsValid(glob string) bool { return doublestar.ValidatePattern(glob) }

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

func (m matcher) match(glob, file string) bool {
	glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	if m.anyFolder && !strings.Contains(glob, "/") {
		return Match(glob, path.Base(file))
	}
	return Match(glob, file)
}
