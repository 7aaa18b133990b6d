package rules

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/rules/read"
	"ctxfs/providers/rules/scope"
)

// source is a file of rules with the agents that read it.
type source struct {
	file   *read.File
	root   string        // of its project; "" for the user's
	places []scope.Place // in the order of package agents; those whose condition is told first come first
}

// rule is what is shown as one file: a source, or several with the same text.
type rule struct {
	sources []source
	trusted bool

	folder, name string // its place in the tree
	text         []byte
}

// path returns its place in the tree, relative to the provider's root.
func (r *rule) path() string { return r.folder + "/" + r.name }

// first returns the file by which it is named.
func (r *rule) first() *read.File { return r.sources[0].file }

// condition returns when the agent reads it that it is made for.
func (r *rule) condition() scope.Condition {
	s := r.sources[0]
	return s.places[0].Shown(s.root)
}

// agents returns the ids of the agents that read it, each once.
func (r *rule) agents() (ids []string) {
	for _, s := range r.sources {
		for _, p := range s.places {
			if !slices.Contains(ids, p.Agent) {
				ids = append(ids, p.Agent)
			}
		}
	}
	return ids
}

// also returns what other agents make of it, as "agent: condition".
func (r *rule) also() (all []string) {
	main := conditionText(r.condition())
	for _, s := range r.sources {
		for _, p := range s.places {
			line := p.Agent + ": " + conditionText(p.Shown(s.root))
			if conditionText(p.Shown(s.root)) != main && !slices.Contains(all, line) {
				all = append(all, line)
			}
		}
	}
	return all
}

// conditionText returns a condition as a few words.
func conditionText(c scope.Condition) string {
	text := string(c.Applies)
	if len(c.Globs) > 0 {
		text = strings.Join(c.Globs, ", ")
	}
	if c.When != "" {
		text += " " + c.When
	}
	return text
}

// group makes rules of the places of one folder of the tree: the places of a file are
// one source, and sources of equal text are one rule.
func group(places []scope.Place, rootOf func(scope.Place) string) []*rule {
	var rules []*rule
	sources := make(map[string]*source) // by path
	var order []string
	for _, p := range places {
		path := p.File.Path
		s := sources[path]
		if s == nil {
			s = &source{file: p.File, root: rootOf(p)}
			sources[path] = s
			order = append(order, path)
		}
		if !slices.ContainsFunc(s.places, func(other scope.Place) bool { return other.Agent == p.Agent }) {
			s.places = append(s.places, p)
		}
	}
	equal := make(map[string]*rule)
	for _, path := range order {
		s := sources[path]
		s.sort()
		key := s.key()
		if r := equal[key]; r != nil {
			r.sources = append(r.sources, *s)
			continue
		}
		r := &rule{sources: []source{*s}}
		rules = append(rules, r)
		equal[key] = r
	}
	return rules
}

// sort puts the agent for which a file is made first: the one that sees a condition in
// it, since others read the file as it is.
func (s *source) sort() {
	slices.SortStableFunc(s.places, func(a, b scope.Place) int {
		return always(a) - always(b)
	})
}

func always(p scope.Place) int {
	if p.Condition().Applies == scope.Always {
		return 1
	}
	return 0
}

// key is equal for files with the same text for the same folder. A file that could not be
// read, or not to its end, is equal to none.
func (s *source) key() string {
	text := strings.TrimSpace(s.file.Text)
	if s.file.Err != nil || s.file.Cut || text == "" {
		return "\x00" + s.file.Path
	}
	dir := ""
	if p := s.places[0]; p.Level == scope.Project {
		dir, _ = filepath.Rel(s.root, p.Dir)
	}
	return dir + "\x00" + text
}
