package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers/setup"
)

func newUninstall(a *cli.App) *cobra.Command {
	var yes, keepData bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "undo setup, and remove ctxfs and all that it keeps",
		Args:  cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := newHome(a)
			if err != nil {
				return err
			}
			u := &uninstall{run: run{options: options{undo: true, yes: yes}, app: a, home: home}, keepData: keepData}
			return u.do(cmd.Context())
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&keepData, "keep-data", false, "keep the configuration, memories, recordings and logins")
	return cmd
}

type uninstall struct {
	run
	keepData bool
}

// data are the folders with the user's own data, and folders those to be removed.
func (u *uninstall) data() []string {
	share := filepath.Join(u.app.Home, ".local/share")
	if dir, ok := u.app.LookupEnv("XDG_DATA_HOME"); ok && filepath.IsAbs(dir) {
		share = dir
	}
	return []string{filepath.Dir(u.app.Config), u.app.State, filepath.Join(share, "ctxfs")}
}

func (u *uninstall) folders() (all []string) {
	candidates := []string{u.app.Cache}
	if !u.keepData {
		candidates = append(candidates, u.data()...)
		for _, run := range u.app.Process().SocketFolders() { // in folders that stand in for the state
			candidates = append(candidates, filepath.Dir(run))
		}
	}
	for _, dir := range candidates {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all
}

// program returns the path of this program if it is the user's own, in the home folder.
func (u *uninstall) program() string {
	self := u.app.Program
	if filepath.Base(self) != "ctxfs" {
		return ""
	}
	home, err := filepath.EvalSymlinks(u.app.Home)
	if err != nil || !strings.HasPrefix(self, home+"/") {
		return ""
	}
	return self
}

func (u *uninstall) do(ctx context.Context) error {
	p, err := u.plan(nil)
	if err != nil {
		return err
	}
	person := u.person()
	u.describe(p)
	switch {
	case person != nil:
		if !person.agrees("\ngo on? [y/N] ") {
			u.app.Sayf("nothing was removed")
			return nil
		}
	case !u.yes:
		return cli.Exit(console.ExitUsage, &control.Fault{Message: "nothing was removed: no terminal to confirm on", Hint: "remove it without asking: ctxfs uninstall --yes"})
	}
	written, err := u.write(ctx, nil, &p, nil)
	if err != nil {
		return err
	}
	u.report(ctx, p, written)
	if p.Failed() != nil {
		return &control.Fault{
			Message: "these files could not be restored, so what is known about them stays, and all the rest",
			Hint:    "repair what is said above, and run ctxfs uninstall again",
		}
	}
	if err := u.app.Chdir("/"); err != nil { // it may stand in what goes
		return err
	}
	if err := u.end(ctx); err != nil {
		return err
	}
	if err := u.removeData(); err != nil {
		return err
	}
	return u.removeProgram()
}

// describe says what is about to be removed.
func (u *uninstall) describe(p setup.Plan) {
	for _, f := range p.Files {
		if f.Does != "" {
			u.app.Sayf("restore %s", u.app.Tilde(f.Path))
		}
	}
	u.app.Sayf("unmount, and end the background process")
	for _, dir := range u.folders() {
		u.app.Sayf("remove %s", u.app.Tilde(dir))
	}
	if u.keepData {
		for _, dir := range u.data() {
			if _, err := os.Lstat(dir); err == nil {
				u.app.Sayf("keep %s", u.app.Tilde(dir))
			}
		}
	}
	if program := u.program(); program != "" {
		u.app.Sayf("remove %s", u.app.Tilde(program))
	}
	u.showRest(p)
}

// endTime is how long the background process may take to end.
const endTime = 20 * time.Second

// end unmounts, and ends the background process and, unless data is kept, logins.
func (u *uninstall) end(ctx context.Context) error {
	points := []string{u.app.DefaultMount()}
	if info, err := u.app.ServerInfo(ctx); err == nil { // or unmounting says why not
		for _, m := range info.Mounts {
			points = append(points, m.Dir)
		}
	}
	pid := u.app.Process().Holder()
	unmount := u.app.Command(ctx, u.app.Program, "unmount", "--all")
	unmount.Stdout, unmount.Stderr = u.app.Out, u.app.Err
	if err := unmount.Run(); err != nil {
		return fmt.Errorf("ctxfs unmount --all: %w", err)
	}
	for _, dir := range points {
		mounts.Abandon(dir)
	}
	if pid > 0 {
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end the background process %d: %w", pid, err)
		}
	}
	ctx, stop := context.WithTimeout(ctx, endTime)
	defer stop()
	// It writes what it knows after it has given up its lock.
	for tick := time.NewTicker(20 * time.Millisecond); u.app.Process().Holder() > 0 || !ended(pid); {
		select {
		case <-ctx.Done():
			return &control.Fault{Message: fmt.Sprintf("the background process %d does not end", pid), Hint: fmt.Sprintf("kill %d, then: ctxfs uninstall", pid)}
		case <-tick.C:
		}
	}
	if !u.keepData {
		if err := setup.ForgetLogins(u.app.State, u.app.LookupEnv); err != nil {
			u.app.Notef("%v", err)
		}
	}
	return nil
}

// ended reports whether a process is gone, or is a zombie.
func ended(pid int) bool {
	if pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // proc_pid_stat(5); not on macOS
	return err == nil && strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " Z")
}

// removeData removes the folders, and those around them that are empty then.
func (u *uninstall) removeData() error {
	var failed []error
	for _, dir := range u.folders() {
		if err := os.RemoveAll(dir); err != nil {
			failed = append(failed, err)
			continue
		}
		u.app.Sayf("removed %s", u.app.Tilde(dir))
		for above := filepath.Dir(dir); strings.HasPrefix(above, u.app.Home+"/") || strings.HasPrefix(filepath.Base(above), "ctxfs-"); above = filepath.Dir(above) {
			if os.Remove(above) != nil {
				break // something else is in it
			}
		}
	}
	return errors.Join(failed...)
}

// removeProgram removes this program if it is the user's own, and says where it is
// otherwise.
func (u *uninstall) removeProgram() error {
	if program := u.program(); program != "" {
		if err := os.Remove(program); err != nil {
			return err
		}
		u.app.Sayf("removed %s", u.app.Tilde(program))
		return nil
	}
	u.app.Sayf("the program stays: it is in %s, not in your home folder", filepath.Dir(u.app.Program))
	return nil
}
