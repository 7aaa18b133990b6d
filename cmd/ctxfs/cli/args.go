package cli

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
)

// NeedsNoPlaces, as a key of a command's annotations, marks a command that works
// without any folders of ours.
const NeedsNoPlaces = "needs no places"

// DirArg is the folder that a command names as its first argument, else the
// default mount point.
func (a *App) DirArg(args []string) (string, error) {
	if len(args) == 0 {
		return a.DefaultMount(), nil
	}
	if args[0] == "" {
		return "", Exit(console.ExitUsage, errors.New("the name of the folder is empty"))
	}
	return filepath.Abs(args[0])
}

// TreePath is the path in the tree that a user names: "mcps/x", or a path of a
// mount.
func (a *App) TreePath(arg string) (string, error) {
	onDisk := filepath.IsAbs(arg)
	for _, start := range []string{".", "..", "~"} {
		onDisk = onDisk || arg == start || strings.HasPrefix(arg, start+"/")
	}
	if !onDisk {
		return CleanPath(arg), nil
	}
	abs, err := filepath.Abs(arg)
	if err != nil {
		return "", err
	}
	roots := []string{a.DefaultMount()}
	if points, err := mounts.Points(); err == nil {
		for _, p := range points {
			roots = append(roots, p.Dir)
		}
	}
	for _, root := range roots {
		if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
			return CleanPath(rel), nil
		}
	}
	return "", &control.Fault{
		Message: fmt.Sprintf("%s is not in a mount of ctxfs", arg),
		Hint:    "name a path in the tree, such as mcps or skills/agentctx; see what there is: ctxfs ls",
	}
}

// CleanPath is the shortest form of a path in the tree; "" is the root.
func CleanPath(p string) string { return strings.TrimPrefix(path.Clean("/"+p), "/") }

// CompleteDirs completes the names of folders on disk.
func CompleteDirs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
