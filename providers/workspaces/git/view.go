package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/git"
	"ctxfs/providers/workspaces/programs"
)

const (
	// maxSettings is the size of the longest configuration that is read, in bytes.
	maxSettings = 4 << 20
	// nothing is a path that does not exist.
	nothing = "/dev/null"
)

// view is a repository as git is shown it, for one that reads only.
type view struct {
	*git.View
	opts    Options
	program string // git
	scratch string // the folder with all that is made
	partial bool   // objects may be missing
}

// make makes the view.
func (v *view) make(ctx context.Context, repo git.Repository) (err error) {
	if err := os.Mkdir(v.home(), 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errTooSlow)
	defer cancel()
	// The user's settings are those of HOME, with what they include.
	user := []string{"HOME=" + v.opts.Home, "XDG_CONFIG_HOME=" + v.opts.Config, "PATH=" + systemPath}
	v.View, err = git.Show(repo, filepath.Join(v.scratch, "git"), func(env []string, args ...string) ([]byte, error) {
		if args[0] == "--file" {
			args = append(args, "--no-includes")
		}
		return v.opts.Programs.Output(ctx, programs.Command{
			Path: v.program, Args: append([]string{"config", "--list", "-z"}, args...), Dir: v.scratch, Env: append(env, user...),
		}, maxSettings)
	})
	if err != nil {
		return err
	}
	v.partial = v.Config.Last("extensions.partialclone") != ""

	var written git.Settings
	for _, key := range []string{"core.autocrlf", "core.eol"} {
		if value := v.User.Last(key); value != "" {
			written = append(written, git.Setting{Key: key, Value: value})
		}
	}
	written = append(written, v.Config.Harmless()...)
	for key, usual := range map[string]string{"core.excludesfile": "ignore", "core.attributesfile": "attributes"} {
		path := v.User.Last(key)
		if own := v.Config.Last(key); own != "" {
			path = own
		}
		if below, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(v.opts.Home, below)
		} else if path == "" {
			path = filepath.Join(v.opts.Config, "git", usual)
		}
		if path = git.Named(v.Dir, []byte(path)); git.IsRegular(path) {
			written = append(written, git.Setting{Key: key, Value: path})
		}
	}
	for key, value := range map[string]string{"core.bare": fmt.Sprint(v.Bare), "protocol.allow": "never", "core.fsmonitor": "false", "core.hookspath": nothing} {
		written = append(written, git.Setting{Key: key, Value: value})
	}
	return v.Configure(written)
}

// systemPath is the PATH of git, which needs no other program.
const systemPath = "/usr/bin:/bin"

func (v *view) home() string { return filepath.Join(v.scratch, "home") }

// environment is all that git knows besides the view. Its home is empty, so that neither
// the user's filters nor their credential helpers run, which a repository can only
// choose, but choose it can.
func (v *view) environment() []string {
	return append(v.Env(),
		"HOME="+v.home(), "XDG_CONFIG_HOME="+v.home(), "PATH="+systemPath, "LC_ALL=C", "TZ=UTC0",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+nothing, "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat")
}

// run runs git in the work tree and calls read with what it prints.
func (v *view) run(ctx context.Context, read func(io.Reader) error, args ...string) error {
	return v.opts.Programs.Run(ctx, programs.Command{
		Path: v.program, Args: append([]string{"--no-pager", "--no-optional-locks"}, args...), Dir: v.Dir, Env: v.environment(),
	}, read)
}

// explain returns why git failed, in words about the real repository.
func (v *view) explain(err error) string {
	text := v.Real(err.Error())
	switch {
	case strings.Contains(text, "unknown repository extension"), strings.Contains(text, "repository format"):
		text += "; a newer version of git is needed than " + v.program
	case v.partial && !errors.Is(err, errTooSlow):
		text += "; objects of this partial clone may not have been fetched"
	}
	return text
}
