package read

import (
	"errors"
	"hash/fnv"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// SkillFiles returns the names that SKILL.md may have, in order of precedence. The second
// one is accepted by the validator of agentskills/agentskills.
func SkillFiles() []string { return []string{"SKILL.md", "skill.md"} }

// IsSkillFile reports whether a file of that name describes the skill in whose folder it
// is.
func IsSkillFile(name string) bool { return slices.Contains(SkillFiles(), name) }

// FindSkillFile returns the path of a folder's SKILL.md, or "", which may be of any
// type, and whether it is a link. The error says that the folder cannot be searched.
func FindSkillFile(dir string) (file string, linked bool, err error) {
	for _, name := range SkillFiles() {
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

// File is a regular file of a skill.
type File struct {
	Path string // on disk
	Name string // relative to the skill's folder
	Info os.FileInfo
}

// Files are the files of a skill.
type Files struct {
	All []File // sorted by name
	// More is set if there are more files than are looked at.
	More bool
}

const (
	maxFiles = 2000
	maxDepth = 8
)

// FilesIn returns the files in a skill's folder and below, but not those in .git and
// node_modules or behind links. Hide, which may be nil, leaves out paths.
func FilesIn(dir string, hide func(path string) bool) Files {
	var found Files
	var walk func(dir, prefix string, depth int)
	walk = func(dir, prefix string, depth int) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			path, name := filepath.Join(dir, e.Name()), prefix+e.Name()
			switch {
			case e.Name() == ".git" || e.Name() == "node_modules" || hide != nil && hide(path):
			case e.IsDir() && depth < maxDepth:
				walk(path, name+"/", depth+1)
			case e.Type().IsRegular():
				if len(found.All) == maxFiles {
					found.More = true
					return
				}
				if info, err := e.Info(); err == nil {
					found.All = append(found.All, File{path, name, info})
				}
			}
		}
	}
	walk(dir, "", 0)
	slices.SortFunc(found.All, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// Sum identifies the files as they are: by their names, sizes, times and modes.
func (f Files) Sum() string {
	h := fnv.New64a()
	for _, file := range f.All {
		_, _ = h.Write([]byte(file.Name + "\x00" + strconv.FormatInt(file.Info.Size(), 36) + " " +
			strconv.FormatInt(file.Info.ModTime().UnixNano(), 36) + " " + strconv.FormatUint(uint64(file.Info.Mode()), 36) + "\x00"))
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
