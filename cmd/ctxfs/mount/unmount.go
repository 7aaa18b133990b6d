package mount

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
)

func newUnmount(a *cli.App) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:     "unmount [DIR]",
		Aliases: []string{"umount"},
		Short:   "remove a mount",
		Args:    cli.Args(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeMounts(cmd.Context(), a), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := mounts.Rescue(a.Process()); err != nil {
				return err
			}
			if len(args) > 0 {
				dir, err := a.Abs(args[0]) // it leaves the current folder
				if err != nil {
					return err
				}
				args = []string{dir}
			}
			var err error
			for range 4 { // again for what a process has left that was ending
				if err = unmount(cmd.Context(), a, args, all, asJSON); !errors.Is(err, control.ErrGone) {
					break
				}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove every mount")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func unmount(ctx context.Context, a *cli.App, args []string, all, asJSON bool) error {
	info, err := a.ServerInfo(ctx)
	if err != nil {
		return err
	}
	shown := shownBy(info)
	named := []string{a.DefaultMount()}
	if len(args) > 0 {
		dir, err := mounts.Resolve(args[0])
		if err != nil {
			return err
		}
		named = append(named, dir)
	}
	dead, err := mounts.DeadPoints(a.Process(), shown, named...)
	if err != nil {
		return err
	}
	if len(dead) > 0 { // one that is just being made does not answer either
		now, err := a.ServerInfo(ctx)
		if err != nil {
			return err
		}
		shown = shownBy(now)
		dead = slices.DeleteFunc(dead, func(p mounts.Point) bool { return slices.Contains(shown, p.Dir) })
	}
	want, err := chooseMounts(a, args, all, shown, dead)
	if err != nil {
		return err
	}
	if len(want) == 0 && !all {
		if err := mounts.NotOurs(a.Process(), named[len(named)-1]); err != nil {
			return err
		}
	}

	if err := a.Chdir("/"); err != nil { // or this very command would keep a mount in use
		return err
	}
	result := mounts.UnmountResult{Dirs: []string{}, Busy: map[string][]string{}, Failed: map[string]string{}}
	for _, dir := range want {
		if i := slices.IndexFunc(dead, func(p mounts.Point) bool { return p.Dir == dir }); i >= 0 {
			if err := dead[i].Mend(); err != nil {
				return err
			}
			result.Dirs = append(result.Dirs, dir)
			continue
		}
		one, err := unmountServed(ctx, a, dir)
		if err != nil {
			return err
		}
		result.Dirs = append(result.Dirs, one.Dirs...)
		maps.Copy(result.Busy, one.Busy)
		maps.Copy(result.Failed, one.Failed)
	}
	var failed error
	if len(result.Failed) > 0 {
		dir := slices.Min(slices.Collect(maps.Keys(result.Failed)))
		failed = &control.Fault{
			Message: fmt.Sprintf("%s is still mounted: %s", a.Tilde(dir), result.Failed[dir]),
			Hint:    "unmount it as root: umount -l " + wording.ShellWord(dir),
		}
	}
	if asJSON {
		return cmp.Or(a.PrintJSON(result), failed)
	}
	if len(result.Dirs) == 0 && failed == nil {
		a.Sayf("%s", strings.Join(append([]string{"nothing is mounted"}, args...), " on "))
	}
	for _, dir := range result.Dirs {
		a.Sayf("unmounted %s", a.Tilde(dir))
		if users := result.Busy[dir]; len(users) > 0 {
			a.Notef("it was in use by %s, which can still read the files they have open", strings.Join(users, ", "))
		}
	}
	return failed
}

// shownBy returns the folders that a process shows, or is about to.
func shownBy(info mounts.ServerInfo) (dirs []string) {
	for _, v := range info.Mounts {
		dirs = append(dirs, v.Dir)
	}
	if info.Making != "" {
		dirs = append(dirs, info.Making)
	}
	return dirs
}

func completeMounts(ctx context.Context, a *cli.App) []string {
	info, err := a.ServerInfo(ctx)
	if err != nil {
		return nil
	}
	dirs := shownBy(info)
	dead, _ := mounts.DeadPoints(a.Process(), dirs, a.DefaultMount())
	for _, p := range dead {
		dirs = append(dirs, p.Dir)
	}
	return dirs
}

func unmountServed(ctx context.Context, a *cli.App, dir string) (mounts.UnmountResult, error) {
	result, err := mounts.OpUnmount.Ask(ctx, a.OnlyRunning(), mounts.ViewQuery{Dir: dir, Process: os.Getpid()}, nil, nil)
	if errors.Is(err, control.ErrNotRunning) {
		err = nil
	}
	return result, err
}

// chooseMounts returns the folders of the mounts that the command means.
func chooseMounts(a *cli.App, args []string, all bool, shown []string, dead []mounts.Point) ([]string, error) {
	every := slices.Clone(shown)
	for _, p := range dead {
		every = append(every, p.Dir)
	}
	switch {
	case all && len(args) > 0:
		return nil, cli.Exit(console.ExitUsage, fmt.Errorf("--all and a folder exclude each other"))
	case all:
		return every, nil
	case len(args) == 0 && slices.Contains(every, a.DefaultMount()):
		return []string{a.DefaultMount()}, nil
	case len(args) == 0 && len(every) > 1:
		return nil, cli.Exit(console.ExitUsage, &control.Fault{
			Message: "there are several mounts: " + strings.Join(every, ", "),
			Hint:    "name one, or: ctxfs unmount --all",
		})
	case len(args) == 0:
		return every, nil
	}
	dir, err := mounts.Resolve(args[0])
	if err != nil {
		return nil, err
	}
	if slices.Contains(every, dir) {
		return []string{dir}, nil
	}
	if abs, err := a.Abs(args[0]); err == nil && slices.Contains(every, abs) {
		return []string{abs}, nil
	}
	return nil, nil
}
