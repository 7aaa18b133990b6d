package skills

import "ctxfs/providers/internal/agents"

// source is a folder in which agents look for the skills of their user.
type source struct {
	name string // what is added to a name that is taken
	dir  string
	// groups are folders in dir that contain skills from elsewhere and are never
	// skills themselves.
	groups []string
}

// sources returns the folders of all agents, in the order of precedence: of
// skills of one name the first keeps it. Those that agents themselves read only
// for old users come after the others, the shared one after that, and the
// built-in skill after all.
func sources(m agents.Machine) (all []source) {
	seen := make(map[string]bool)
	add := func(name string, groups []string, folders ...agents.Path) {
		for _, dir := range m.Paths(folders...) {
			if !seen[dir] {
				seen[dir] = true
				all = append(all, source{name: name, dir: dir, groups: groups})
			}
		}
	}
	for _, deprecated := range []bool{false, true} {
		for _, a := range agents.All() {
			if a.Skills.Deprecated == deprecated {
				add(a.ID, a.Skills.Groups, a.Skills.User...)
			}
		}
	}
	add("agents", nil, agents.SharedSkills)
	return all
}
