package git

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// View is a repository as git is shown it: with a folder of ours for what its work trees
// share, where a configuration of ours lies beside links to the real objects, references, and
// whatever else is no program. What is of the work tree alone is read where it lies.
type View struct {
	Repository
	Config Settings // of the repository
	User   Settings // of the user and the system
	Bare   bool
	// Elsewhere is the work tree that the configuration names, if it is another folder.
	Elsewhere string

	folder string
}

// Show makes a view in a folder that does not exist yet, with an empty configuration. List
// returns what "git config --list -z" prints with more environment and arguments: it reads
// configurations without doing what they say.
func Show(repo Repository, folder string, list func(env []string, args ...string) ([]byte, error)) (*View, error) {
	v := &View{Repository: repo, folder: folder}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	for _, name := range []string{"HEAD", "objects", "refs", "packed-refs", "reftable", "logs", "info", "shallow", "worktrees", "modules", "lfs"} {
		if err := os.Symlink(filepath.Join(repo.Common, name), filepath.Join(folder, name)); err != nil {
			return nil, err
		}
	}
	if !IsRegular(filepath.Join(repo.Private, "HEAD")) {
		return nil, errors.New("its HEAD is not a regular file") // git would wait for a pipe
	}
	if err := v.Configure(nil); err != nil {
		return nil, err
	}
	text, err := list(v.Env(), "--includes")
	if v.User = Parse(text); err != nil {
		return nil, err
	}
	for _, file := range []string{filepath.Join(repo.Common, "config"), filepath.Join(repo.Private, "config.worktree")} {
		if IsRegular(file) {
			text, err := list(v.Env(), "--file", file)
			if err != nil {
				return nil, err
			}
			v.Config = append(v.Config, Parse(text)...)
		}
		if !v.Config.IsTrue("extensions.worktreeconfig") {
			break
		}
	}
	linked := repo.Private != repo.Common
	v.Bare = repo.Dir == repo.Private || !linked && v.Config.IsTrue("core.bare")
	if named := v.Config.Last("core.worktree"); named != "" && !linked {
		if named = Named(repo.Private, []byte(named)); !Same(named, repo.Dir) {
			v.Elsewhere = named
		}
	}
	return v, nil
}

// Configure writes the configuration that git reads.
func (v *View) Configure(s Settings) error {
	return os.WriteFile(filepath.Join(v.folder, "config"), []byte(s.String()), 0o600)
}

// Env leads git to the repository.
func (v *View) Env() []string {
	env := []string{"GIT_DIR=" + v.Private, "GIT_COMMON_DIR=" + v.folder}
	if v.Bare {
		return env
	}
	return append(env, "GIT_WORK_TREE="+v.Dir)
}

// Real returns what git says with the paths of the real repository.
func (v *View) Real(text string) string { return strings.ReplaceAll(text, v.folder, v.Common) }

// Foreign reports whether another user owns the repository, and git would refuse to work
// there because of that. Source: git-config(1), safe.directory.
func (v *View) Foreign() bool {
	user := os.Geteuid()
	sudo := user == 0 && os.Getenv("SUDO_UID") == strconv.Itoa(v.Owner)
	return v.Owner >= 0 && v.Owner != user && !sudo && !v.User.trusts(v.Dir)
}

// IsRegular reports whether a path leads to a regular file.
func IsRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
