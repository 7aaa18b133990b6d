// Package ignore reports what git ignores: by the .gitignore files of a work tree, the
// repository's info/exclude, and the user's own patterns, as gitignore(5) describes. What
// is tracked is not ignored. It runs no program.
package ignore

import "strings"

// Matcher reports what git ignores in one folder of a work tree. It does not change, and
// may be used concurrently.
type Matcher struct {
	path    string // of the folder, relative to the root, with a slash after each name
	lists   []list // the nearest last
	tracked tracked
	ignored bool // the folder is, but for what in it is tracked
}

// list is what one file of patterns says.
type list struct {
	base     int // length of the path of the folder that the patterns are relative to
	patterns []pattern
}

// New returns the Matcher of the root of a work tree, given the files of patterns that
// hold there, those that yield to others first: the user's, info/exclude, .gitignore.
func New(files ...[]byte) *Matcher {
	m := &Matcher{}
	for _, file := range files {
		m.add(file)
	}
	return m
}

// In returns the Matcher of a folder in the Matcher's, given the content of the
// .gitignore file in it, which is nil if the folder has no such file. In a folder that
// matches a pattern nothing can be excepted by another one: there all is ignored that
// is not tracked.
func (m *Matcher) In(name string, gitignore []byte) *Matcher {
	in := &Matcher{path: m.path + name + "/", lists: m.lists, tracked: m.tracked, ignored: m.ignored || m.matches(name, true)}
	return in.With(gitignore)
}

// With returns the Matcher of the same folder with another .gitignore file, which comes
// before the others.
func (m *Matcher) With(gitignore []byte) *Matcher {
	with := *m
	with.lists = m.lists[:len(m.lists):len(m.lists)]
	with.add(gitignore)
	return &with
}

func (m *Matcher) add(file []byte) {
	if patterns := parse(file); len(patterns) > 0 {
		m.lists = append(m.lists, list{base: len(m.path), patterns: patterns})
	}
}

// Ignored reports whether git ignores what has that name in the Matcher's folder. A link
// is no folder, wherever it leads.
func (m *Matcher) Ignored(name string, folder bool) bool {
	return name == ".git" || (m.ignored || m.matches(name, folder)) && !m.tracked.has(m.path+name, folder)
}

// matches reports whether the patterns say so.
func (m *Matcher) matches(name string, folder bool) bool {
	s := subject{name: name, folder: folder, plain: isASCII(name)}
	for i := len(m.lists) - 1; i >= 0; i-- {
		l := m.lists[i]
		s.dir, s.path = m.path[l.base:], ""
		for j := len(l.patterns) - 1; j >= 0; j-- {
			if p := &l.patterns[j]; p.matches(&s) {
				return !p.except
			}
		}
	}
	return false
}

// subject is what patterns are compared with.
type subject struct {
	name   string
	dir    string // of the folder that has it, relative to that of the patterns
	folder bool
	plain  bool   // the name is ASCII
	path   string // dir and name as bytes of Latin-1; made when first needed
}

func (s *subject) bytes() string {
	if s.plain {
		return s.name
	}
	return latin1(s.name)
}

func (s *subject) bytesOfPath() string {
	if s.path == "" {
		s.path = latin1(s.dir + s.name)
	}
	return s.path
}

// latin1 returns a text in which each byte of s is a character, so that a library that
// compares characters compares bytes, as git does.
func latin1(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
