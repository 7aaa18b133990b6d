package ignore

import "github.com/bmatcuk/doublestar/v4"

// MatchGlob reports whether a path with slashes matches a glob: "*" and "?" stay in one
// folder, "**" does not, "[a-z]" is one character and "{a,b}" one of several texts. What an
// invalid one matches is undefined.
func MatchGlob(glob, path string) bool { return doublestar.MatchUnvalidated(glob, path) }

// IsGlob reports whether a glob is well-formed.
func IsGlob(glob string) bool { return doublestar.ValidatePattern(glob) }
