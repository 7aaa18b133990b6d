package skills

import "path/filepath"

// source is one place where an agent looks for the skills of its user.
type source struct {
	name string // what is added to a name that is taken
	dir  string
	// groups are folders in dir that hold skills from elsewhere and are never
	// skills themselves.
	groups []string
}

// sources are the places where skills are looked for, the first first: of
// skills of one name it keeps the name. The built-in skill comes after all.
func sources(home string, lookupEnv func(string) (string, bool)) []source {
	codex := filepath.Join(home, ".codex")
	if dir, ok := lookupEnv("CODEX_HOME"); ok && filepath.IsAbs(dir) {
		codex = filepath.Clean(dir)
	}
	return []source{
		{name: "claude-code", dir: filepath.Join(home, ".claude", "skills"), groups: []string{"synced"}},
		{name: "cursor", dir: filepath.Join(home, ".cursor", "skills")},
		{name: "codex", dir: filepath.Join(codex, "skills"), groups: []string{".system"}},
		{name: "agents", dir: filepath.Join(home, ".agents", "skills")},
	}
}
