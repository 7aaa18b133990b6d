package skills

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"

	"ctxfs/fs"
)

// skill is one skill as a scan found it. It is not changed after that.
type skill struct {
	name   string // in the tree
	own    string // of its folder on disk
	source string
	path   string      // of its folder, links resolved; "" for the built-in one
	info   os.FileInfo // of its folder
	file   string      // its SKILL.md; "" if it has none
	card   card
	faults []fault
	node   fs.Dir
}

// grave tells whether the skill cannot be used as it is.
func (s *skill) grave() bool {
	for _, f := range s.faults {
		if f.grave {
			return true
		}
	}
	return false
}

// skillFiles are the names that SKILL.md may have, the first first. The second
// is what the validator of agentskills/agentskills accepts besides.
func skillFiles() []string { return []string{"SKILL.md", "skill.md"} }

func isSkillFile(name string) bool { return name == "SKILL.md" || name == "skill.md" }

// findSkillFile returns the path of a folder's SKILL.md, which may be of any
// type; "" if it has none. The error says that the folder cannot be searched.
func findSkillFile(dir string) (string, error) {
	for _, name := range skillFiles() {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, iofs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}
