package mcp

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
)

// toolFilter says which tools of a server are shown. Its patterns are of the
// names of tools, their own or those of their files: "*" is any text and "?"
// any letter; letter case does not count.
type toolFilter struct {
	allow []string // nil is all of them
	deny  []string // these are not, whatever else is said
	also  []toolFilter
}

// shows reports whether a tool is shown, by its own name and that of its file.
func (f toolFilter) shows(own, file string) bool {
	matches := func(pattern string) bool { return matchesTool(pattern, own, file) }
	return (f.allow == nil || slices.ContainsFunc(f.allow, matches)) && !slices.ContainsFunc(f.deny, matches) &&
		!slices.ContainsFunc(f.also, func(o toolFilter) bool { return !o.shows(own, file) })
}

// isEmpty reports whether the filter shows everything.
func (f toolFilter) isEmpty() bool { return f.allow == nil && f.deny == nil && f.also == nil }

func (f toolFilter) equal(o toolFilter) bool {
	return (f.allow == nil) == (o.allow == nil) && slices.Equal(f.allow, o.allow) && slices.Equal(f.deny, o.deny) &&
		slices.EqualFunc(f.also, o.also, toolFilter.equal)
}

// and is the filter that shows what both show.
func (f toolFilter) and(o toolFilter) toolFilter {
	if !o.isEmpty() {
		f.also = append(slices.Clone(f.also), o)
	}
	return f
}

// patterns are all of the filter's, each once.
func (f toolFilter) patterns() []string {
	all := slices.Concat(f.allow, f.denied())
	for _, o := range f.also {
		all = append(all, o.patterns()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// denied are all patterns of tools that are not shown whatever else is said.
func (f toolFilter) denied() []string {
	all := slices.Clone(f.deny)
	for _, o := range f.also {
		for _, pattern := range o.denied() {
			if !slices.Contains(all, pattern) {
				all = append(all, pattern)
			}
		}
	}
	return all
}

// matchesTool reports whether a pattern is of a tool, by its own name or that of
// its file.
func matchesTool(pattern, own, file string) bool {
	folded := []rune(names.Fold(pattern))
	return slices.ContainsFunc(append(spellings(own), names.Fold(file)), func(name string) bool {
		return matchGlob(folded, []rune(name))
	})
}

// matchGlob reports whether a name matches a pattern, in time that is at most
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

// beginsGlob reports whether a pattern matches some longer name that begins
// with start.
func beginsGlob(pattern, start []rune) bool {
	at := make([]bool, len(pattern)+1) // the places in the pattern that can have been reached
	at[0] = true
	for _, c := range start {
		next := make([]bool, len(pattern)+1)
		for i, reached := range at {
			switch {
			case !reached:
			case i < len(pattern) && pattern[i] == '*':
				next[i] = true
				at[i+1] = true // it may be empty; the loop comes there next
			case i < len(pattern) && (pattern[i] == '?' || pattern[i] == c):
				next[i+1] = true
			}
		}
		at = next
	}
	return slices.Contains(at[:len(pattern)], true)
}
