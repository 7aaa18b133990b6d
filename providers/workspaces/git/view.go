package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/gitpath"
	"ctxfs/providers/workspaces/programs"
)

const (
	// maxSettings is the size of the longest configuration that is read, in bytes.
	maxSettings = 4 << 20
	// nothing is a path that does not exist.
	nothing = "/dev/null"
)

// view is a repository as git is shown it: a folder of ours with a configuration of ours,
// and links to the objects, references, and logs of the real one. The index is read where
// it lies.
type view struct {
	opts    Options
	program string // git
	scratch string // the folder with all that is made
	gitDir  string // what git takes for the folder .git
	repo    repository

	config    settings // of the repository
	user      settings // of the user and the system
	bare      bool
	elsewhere string // the work tree that the configuration names, if it is another folder
	partial   bool   // objects may be missing
}

// make makes the view. It reads all configurations with git, which reads them without
// doing what they say.
func (v *view) make(ctx context.Context) error {
	common := filepath.Join(v.scratch, "git")
	v.gitDir = common
	linked := v.repo.private != v.repo.common
	if linked {
		v.gitDir = filepath.Join(common, "worktrees", "view")
	}
	if err := errors.Join(os.MkdirAll(v.gitDir, 0o700), os.Mkdir(v.home(), 0o700)); err != nil {
		return err
	}
	if err := copyHead(v.repo.common, common); err != nil {
		return err
	}
	links := map[string]string{}
	for _, name := range []string{"refs", "packed-refs", "reftable", "logs", "info", "shallow"} {
		links[filepath.Join(common, name)] = filepath.Join(v.repo.common, name)
	}
	if linked {
		err := errors.Join(copyHead(v.repo.private, v.gitDir), os.WriteFile(filepath.Join(v.gitDir, "commondir"), []byte("../..\n"), 0o600))
		if err != nil {
			return err
		}
		for _, name := range []string{"refs", "reftable", "logs"} {
			links[filepath.Join(v.gitDir, name)] = filepath.Join(v.repo.private, name)
		}
	}
	shared, _ := filepath.Glob(filepath.Join(escapeGlob(v.repo.private), "sharedindex.*")) // of a split index
	for _, path := range shared {
		links[filepath.Join(v.gitDir, filepath.Base(path))] = path
	}
	for link, target := range links {
		if exists(target) {
			if err := os.Symlink(target, link); err != nil {
				return err
			}
		}
	}
	return v.configure(ctx, filepath.Join(common, "config"))
}

// copyHead copies the HEAD of a repository: git does not follow a link there.
func copyHead(from, to string) error {
	head, err := read(filepath.Join(from, "HEAD"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "HEAD"), head, 0o600)
}

// configure reads the configurations and writes that of the view.
func (v *view) configure(ctx context.Context, file string) error {
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errTooSlow)
	defer cancel()
	var err error
	if v.config, err = v.settings(ctx, v.environment(), "--file", filepath.Join(v.repo.common, "config")); err != nil {
		return err
	}
	if isTrue(v.config.last("extensions.worktreeconfig")) {
		own, err := v.settings(ctx, v.environment(), "--file", filepath.Join(v.repo.private, "config.worktree"))
		if err != nil {
			return err
		}
		v.config = append(v.config, own...)
	}
	// The user's settings are those of HOME, with what they include.
	v.user, err = v.settings(ctx, []string{"HOME=" + v.opts.Home, "XDG_CONFIG_HOME=" + v.opts.Config, "PATH=" + systemPath, "GIT_DIR=" + v.gitDir}, "--includes")
	if err != nil {
		return err
	}

	linked := v.repo.private != v.repo.common
	v.bare = v.repo.dir == v.repo.private || !linked && isTrue(v.config.last("core.bare"))
	if named := v.config.last("core.worktree"); named != "" && !linked {
		if named = gitpath.Named(v.repo.private, []byte(named)); !gitpath.Same(named, v.repo.dir) {
			v.elsewhere = named
		}
	}
	v.partial = v.config.last("extensions.partialclone") != ""

	var written settings
	for _, key := range []string{"core.autocrlf", "core.eol"} {
		if value := v.user.last(key); value != "" {
			written = append(written, setting{key, value})
		}
	}
	written = append(written, v.config.harmless()...)
	for key, usual := range map[string]string{"core.excludesfile": "ignore", "core.attributesfile": "attributes"} {
		path := v.user.last(key)
		if own := v.config.last(key); own != "" {
			path = own
		}
		if below, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(v.opts.Home, below)
		} else if path == "" {
			path = filepath.Join(v.opts.Config, "git", usual)
		}
		if path = gitpath.Named(v.repo.dir, []byte(path)); isRegular(path) {
			written = append(written, setting{key, path})
		}
	}
	written = append(written, setting{"core.bare", fmt.Sprint(v.bare)}, setting{"protocol.allow", "never"}, setting{"core.fsmonitor", "false"}, setting{"core.hookspath", nothing})
	return os.WriteFile(file, []byte(written.text()), 0o600)
}

// settings returns what "git config" lists.
func (v *view) settings(ctx context.Context, environment []string, args ...string) (settings, error) {
	if args[0] == "--file" {
		if !isRegular(args[1]) {
			return nil, nil
		}
		args = append(args, "--no-includes")
	}
	text, err := v.opts.Programs.Output(ctx, programs.Command{
		Path: v.program, Args: append([]string{"config", "--list", "-z"}, args...), Dir: v.scratch, Env: environment,
	}, maxSettings)
	return parseSettings(text), err
}

// systemPath is the PATH of git, which needs no other program.
const systemPath = "/usr/bin:/bin"

func (v *view) home() string { return filepath.Join(v.scratch, "home") }

// environment is all that git knows besides the view. Its home is empty, so that neither
// the user's filters nor their credential helpers run, which a repository can only
// choose, but choose it can.
func (v *view) environment() []string {
	env := []string{
		"HOME=" + v.home(), "XDG_CONFIG_HOME=" + v.home(), "PATH=" + systemPath, "LC_ALL=C", "TZ=UTC0",
		"GIT_DIR=" + v.gitDir, "GIT_OBJECT_DIRECTORY=" + filepath.Join(v.repo.common, "objects"), "GIT_INDEX_FILE=" + filepath.Join(v.repo.private, "index"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + nothing, "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
	}
	if !v.bare {
		env = append(env, "GIT_WORK_TREE="+v.repo.dir)
	}
	return env
}

// run runs git in the work tree and calls read with what it prints.
func (v *view) run(ctx context.Context, read func(io.Reader) error, args ...string) error {
	return v.opts.Programs.Run(ctx, programs.Command{
		Path: v.program, Args: append([]string{"--no-pager", "--no-optional-locks"}, args...), Dir: v.repo.dir, Env: v.environment(),
	}, read)
}

// explain returns why git failed, in words about the real repository.
func (v *view) explain(err error) string {
	text := strings.ReplaceAll(err.Error(), v.gitDir, v.repo.private)
	switch {
	case strings.Contains(text, "unknown repository extension"), strings.Contains(text, "repository format"):
		text += "; a newer version of git is needed than " + v.program
	case v.partial && !errors.Is(err, errTooSlow):
		text += "; objects of this partial clone may not have been fetched"
	}
	return text
}

// isTrue reports whether the value of a setting means yes. Source: git-config(1), "Values".
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// escapeGlob returns a path as a pattern that matches only it.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
