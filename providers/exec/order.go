package exec

import (
	"cmp"
	"slices"

	"ctxfs/providers/exec/pattern"
)

// order puts the paths of files into the order in which they are tried: those without
// placeholders come first, the others follow in the order of config.toml. It leaves out
// paths that no name reaches.
func (r *reader) order(s *settingsOf) {
	slices.SortStableFunc(s.files, func(a, b rule) int {
		switch {
		case a.fixed() == b.fixed():
			return cmp.Compare(s.lines[a.key()], s.lines[b.key()])
		case a.fixed():
			return -1
		}
		return 1
	})
	files, all := s.files, slices.Concat(s.files, s.listings)
	s.files, s.listings = nil, nil
	for i, one := range all {
		why, by := hidden(one, files, i)
		switch {
		case why != "":
			r.wrong([]string{Table, s.name, one.key()}, "cannot be used: %q, on line %d, %s", by.key(), s.lines[by.key()], why)
		case one.listing:
			s.listings = append(s.listings, one)
		default:
			s.files = append(s.files, one)
		}
	}
}

// hidden says why no name reaches a path, and which file is in its way; "" if one may. At
// is its place among the files.
func hidden(one rule, files []rule, at int) (why string, by rule) {
	for i, file := range files {
		within := one.listing || one.path.Depth() > file.path.Depth()
		switch {
		case i == at || !file.path.Takes(one.path):
		case within && (file.fixed() || !one.path.Plain(file.path.Depth())):
			return "is a file, and nothing can be in it", file
		case !within && i < at:
			return "is tried first, and takes all its names", file
		}
	}
	return "", rule{}
}

// match returns the rule for a file, with the values of its placeholders: of those that
// fit, the one that is tried first. The names of ctxfs's own files fit none.
func (s *settingsOf) match(names []string) (*rule, pattern.Values, bool) {
	last := len(names) - 1
	if last < 0 || isOwn(names[last]) || !s.mayBeFolder(names[:last]) {
		return nil, nil, false
	}
	return s.matchLast(names)
}

// matchLast is match for a path that leads through folders.
func (s *settingsOf) matchLast(names []string) (*rule, pattern.Values, bool) {
	for i := range s.files {
		r := &s.files[i]
		if values, ok := r.path.Match(names); ok && (r.fixed() || !s.isPlain(names)) {
			return r, values, true
		}
	}
	return nil, nil, false
}

// mayBeFolder reports whether no name on a path is that of a file.
func (s *settingsOf) mayBeFolder(names []string) bool {
	for depth, name := range names {
		if _, _, file := s.matchLast(names[:depth+1]); file || isOwn(name) {
			return false
		}
	}
	return true
}

// isPlain reports whether a folder is on a path without placeholders. The placeholders of
// files do not take its name.
func (s *settingsOf) isPlain(names []string) bool {
	on := func(r rule) bool {
		_, ok := r.path.MatchPrefix(names)
		return ok && r.path.Plain(len(names)) && (r.listing || len(names) < r.path.Depth())
	}
	return slices.ContainsFunc(s.files, on) || slices.ContainsFunc(s.listings, on)
}
