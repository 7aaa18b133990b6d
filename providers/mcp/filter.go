package mcp

import (
	"slices"
	"strings"
)

// toolFilter says which tools of a server are shown. In its patterns "*" is
// any text and "?" any letter.
type toolFilter struct {
	allow []string // nil is all of them
	deny  []string // these are not, whatever else is said
}

// shows tells whether a tool is shown.
func (f toolFilter) shows(tool string) bool {
	matches := func(pattern string) bool { return matchGlob([]rune(pattern), []rune(tool)) }
	return (f.allow == nil || slices.ContainsFunc(f.allow, matches)) && !slices.ContainsFunc(f.deny, matches)
}

func (f toolFilter) equal(o toolFilter) bool {
	return (f.allow == nil) == (o.allow == nil) && slices.Equal(f.allow, o.allow) && slices.Equal(f.deny, o.deny)
}

// matchGlob tells whether a name matches a pattern, in time that is at most
// their product.
func matchGlob(pattern, name []rune) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(string(pattern[p:]), "*") == ""
}
