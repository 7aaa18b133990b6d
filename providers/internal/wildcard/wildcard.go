// Package wildcard matches paths against globs: "*" and "?" stay in one folder, "**" does
// not, "[a-z]" is one character and "{a,b}" one of several texts.
package wildcard

import "github.com/bmatcuk/doublestar/v4"

// Match reports whether a path with slashes matches a glob. What an invalid one matches
// is undefined.
func Match(glob, path string) bool { return doublestar.MatchUnvalidated(glob, path) }

// IsValid reports whether a glob is well-formed.
func IsValid(glob string) bool { return doublestar.ValidatePattern(glob) }
