package mounts

import (
	"fmt"

	"ctxfs/mounts/control"
)

// Foreign returns the living mount on a folder that the process of a home does
// not serve, if there is one.
func Foreign(home control.Home, dir string) (ViewInfo, bool) {
	p, found, err := mountedAt(dir)
	if err != nil || !found || p.Check() != Healthy {
		return ViewInfo{}, false
	}
	return ViewInfo{Dir: dir, Kind: "fuse", State: Healthy, Of: p.Shown(home)}, true
}

// Shown words whose a mount is that the process of a home does not serve.
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
