package policy

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
)

// Filter decides which tools of a server are shown. Its patterns match the
// names of tools, their own or those of their files: "*" matches any text and
// "?" any one character; letter case is ignored. The zero value shows every tool.
type Filter struct {
	Allow []string // nil allows all
	Deny  []string // takes precedence over Allow
	also  []Filter // further filters; a tool is shown if all of them show it
}

// Shows reports whether the tool with that own name and file name is shown.
func (f Filter) Shows(own, file string) bool {
	matches := func(pattern string) bool { return matchesTool(pattern, own, file) }
	return (f.Allow == nil || slices.ContainsFunc(f.Allow, matches)) && !slices.ContainsFunc(f.Deny, matches) &&
		!slices.ContainsFunc(f.also, func(o Filter) bool { return !o.Shows(own, file) })
}

// IsEmpty reports whether the filter shows every tool.
func (f Filter) IsEmpty() bool { return f.Allow == nil && f.Deny == nil && f.also == nil }

// Equal reports whether two filters have the same patterns in the same order.
func (f Filter) Equal(o Filter) bool {
	return (f.Allow == nil) == (o.Allow == nil) && slices.Equal(f.Allow, o.Allow) && slices.Equal(f.Deny, o.Deny) &&
		slices.EqualFunc(f.also, o.also, Filter.Equal)
}

// And returns the filter that shows what both show.
func (f Filter) And(o Filter) Filter {
	if !o.IsEmpty() {
		f.also = append(slices.Clone(f.also), o)
	}
	return f
}

// patterns returns all patterns of the filter, sorted, each once.
func (f Filter) patterns() []string {
	all := slices.Concat(f.Allow, f.Denied())
	for _, o := range f.also {
		all = append(all, o.patterns()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Denied returns all deny patterns, those of further filters included.
func (f Filter) Denied() []string {
	all := slices.Clone(f.Deny)
	for _, o := range f.also {
		for _, pattern := range o.Denied() {
			if !slices.Contains(all, pattern) {
				all = append(all, pattern)
			}
		}
	}
	return all
}

// Unmatched returns the patterns that match no tool.
func (f Filter) Unmatched(tools []ToolNames) []string {
	return slices.DeleteFunc(f.patterns(), func(pattern string) bool {
		return slices.ContainsFunc(tools, func(t ToolNames) bool { return matchesTool(pattern, t.Own, t.File) })
	})
}

// matchesTool reports whether a pattern matches a tool by its own name or that
// of its file.
func matchesTool(pattern, own, file string) bool {
	folded := []rune(names.Fold(pattern))
	return slices.ContainsFunc(append(spellings(own), names.Fold(file)), func(name string) bool {
		return matchGlob(folded, []rune(name))
	})
}

// matchGlob reports whether a name matches a pattern. It takes time
// proportional to the product of their lengths at most.
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

// matchesPrefix reports whether a pattern matches some longer name that begins
// with start.
func matchesPrefix(pattern, start []rune) bool {
	at := make([]bool, len(pattern)+1) // the positions in the pattern that can be reached
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
