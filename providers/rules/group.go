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
	file   *read.File    // with its imports, if one of the agents follows them
	root   string        // of its project; "" for the user's
	places []scope.Place // the one whose condition is told comes first
	unread bool          // every agent that knows it reads another file instead
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
func (r *rule) condition() scope.Condition { return r.sources[0].condition(r.sources[0].places[0]) }

// condition returns when the agent of one of its places reads a source.
func (s *source) condition(p scope.Place) scope.Condition {
	if s.unread && p.Out == "" {
		return scope.Condition{Applies: scope.Never, When: "because another file comes before it"}
	}
	return p.Shown(s.root)
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

// readers returns the ids of the agents that read it as its condition says, and after them
// those that do otherwise.
func (r *rule) readers() string {
	var same, other []string
	main := conditionText(r.condition())
	for _, s := range r.sources {
		for _, p := range s.places {
			if conditionText(s.condition(p)) == main {
				same = append(same, p.Agent)
			}
		}
	}
	for _, id := range r.agents() {
		if !slices.Contains(same, id) {
			other = append(other, id)
		}
	}
	text := strings.Join(slices.DeleteFunc(r.agents(), func(id string) bool { return !slices.Contains(same, id) }), ", ")
	if len(other) > 0 {
		text += ", and otherwise " + strings.Join(other, ", ")
	}
	return text
}

// also returns what other agents make of it, as "agent: condition".
func (r *rule) also() (all []string) {
	main := conditionText(r.condition())
	for _, s := range r.sources {
		for _, p := range s.places {
			text := conditionText(s.condition(p))
			line := p.Agent + ": " + text
			if text != main && !slices.Contains(all, line) {
				all = append(all, line)
			}
			if len(p.File.Imports) == 0 && len(s.file.Imports) > 0 {
				all = append(all, p.Agent+": without its imports")
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
		s.file = fuller(s.file, p.File)
		if !slices.ContainsFunc(s.places, func(other scope.Place) bool { return other.Agent == p.Agent }) {
			s.places = append(s.places, p)
		}
	}
	taken := taken(places)
	equal := make(map[string]*rule)
	for _, path := range order {
		s := sources[path]
		s.choose(taken)
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

// fuller returns which of two readings of a file has its imports.
func fuller(a, b *read.File) *read.File {
	if len(b.Imports) > len(a.Imports) {
		return b
	}
	return a
}

// choose leaves the agents that read a source, unless no agent does, and puts the one
// first for which it is made: that which sees a condition in it, since others read the
// file as it is.
func (s *source) choose(taken map[reading]bool) {
	readers := slices.DeleteFunc(slices.Clone(s.places), func(p scope.Place) bool { return !taken[reading{p.Agent, p.File.Path}] })
	if len(readers) > 0 {
		s.places = readers
	} else {
		s.unread = s.file.Err == nil && !s.file.IsEmpty()
	}
	slices.SortStableFunc(s.places, func(a, b scope.Place) int {
		return always(a) - always(b)
	})
}

// reading is a file that an agent reads.
type reading struct{ agent, path string }

// taken returns which agents read which files when they work in the folders that these
// are for.
func taken(places []scope.Place) map[reading]bool {
	type at struct{ agent, dir string }
	byDir := make(map[at][]scope.Place)
	all := make(map[reading]bool)
	for _, p := range places {
		if scope.Chooses(p.Agent) {
			byDir[at{p.Agent, p.Dir}] = append(byDir[at{p.Agent, p.Dir}], p)
		} else {
			all[reading{p.Agent, p.File.Path}] = true
		}
	}
	for where := range byDir {
		var near []scope.Place
		for dir := where.dir; ; dir = filepath.Dir(dir) {
			near = append(near, byDir[at{where.agent, dir}]...)
			if dir == "" || dir == filepath.Dir(dir) {
				break
			}
		}
		for _, p := range scope.Read(near, where.dir) {
			if p.Dir == where.dir {
				all[reading{p.Agent, p.File.Path}] = true
			}
		}
	}
	return all
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
