package mounts

import (
	"fmt"
	"path/filepath"

	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// Foreign returns the living mount on a folder that the process of a home does
// not serve, and whether there is one.
func Foreign(home control.Home, dir string) (ViewInfo, bool) {
	p, found, err := mountedAt(dir)
	if err != nil || !found || p.Check() != Healthy {
		return ViewInfo{}, false
	}
	return ViewInfo{Dir: dir, Kind: "fuse", State: Healthy, Of: p.Shown(home)}, true
}

// Shown returns, in words, whose mount a mount is that the process of a home does
// not serve.
func (p Point) Shown(home control.Home) string {
	pid := control.ConnectionHolder(p.minor)
	if pid == 0 {
		return "another ctxfs process"
	}
	of := control.HomeOf(pid)
	switch {
	case of.Dir == "":
		return fmt.Sprintf("another ctxfs process (%d)", pid)
	case !control.Same(of.Dir, home.Dir):
		return fmt.Sprintf("the ctxfs process of the home folder %s (%d)", of.Dir, pid)
	case !control.Same(of.State, home.State):
		return fmt.Sprintf("the ctxfs process of the state folder %s (%d)", of.State, pid)
	}
	return fmt.Sprintf("an earlier ctxfs process of this home (%d)", pid)
}

// NotOurs returns the error of unmounting a folder that the process of another home
// or state folder serves. It returns nil if nothing is mounted there, or if that
// process is exiting.
func NotOurs(home control.Home, dir string) error {
	holder := home.Holder() // before the mount: it frees the lock after the mount
	p, found, err := mountedAt(dir)
	if err != nil || !found {
		return err
	}
	pid := control.ConnectionHolder(p.minor)
	of := control.HomeOf(pid)
	switch {
	case holder != 0 && (pid == holder || of.Dir == ""):
		return nil // it is mounted by now, or goes away
	case of.Dir == "":
		return &control.Fault{
			Message: fmt.Sprintf("%s belongs to %s, which cannot be reached from here", dir, p.Shown(home)),
			Hint:    "unmount it all the same: fusermount3 -u " + wording.ShellWord(dir),
		}
	case control.Same(of.Dir, home.Dir) && control.Same(of.State, home.State):
		return nil
	}
	env := ""
	if !control.Same(of.Dir, home.Dir) {
		env = "HOME=" + wording.ShellWord(of.Dir) + " "
	}
	if !usualState(of) || !usualState(home) {
		env += "XDG_STATE_HOME=" + wording.ShellWord(filepath.Dir(of.State)) + " "
	}
	return &control.Fault{
		Message: fmt.Sprintf("%s belongs to the ctxfs of %s (process %d)", dir, of.Dir, pid),
		Hint:    fmt.Sprintf("unmount it there: %sctxfs unmount %s", env, wording.ShellWord(dir)),
	}
}

// usualState reports whether a home has its state folder in the default place.
func usualState(home control.Home) bool {
	return home.State == filepath.Join(home.Dir, ".local", "state", "ctxfs")
}
