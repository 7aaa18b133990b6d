package skills

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"

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
	target string      // what file leads to, if it is a link
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

func isSkillFile(name string) bool { return slices.Contains(skillFiles(), name) }

// findSkillFile returns the path of a folder's SKILL.md, which may be of any
// type, and whether it is a link; "" if it has none. The error says that the
// folder cannot be searched.
func findSkillFile(dir string) (file string, linked bool, err error) {
	for _, name := range skillFiles() {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err == nil {
			return path, info.Mode().Type() == iofs.ModeSymlink, nil
		}
		if !errors.Is(err, iofs.ErrNotExist) {
			return "", false, err
		}
	}
	return "", false, nil
}
