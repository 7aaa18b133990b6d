package mounts

import (
	"errors"
	"testing"

	"ctxfs/fs/fstest"
)

// TestMountingNeedsLinux: a system that cannot mount reports that, and what
// to do instead.
func TestMountingNeedsLinux(t *testing.T) {
	fault := cannotBecause("/home/ada/my ctx", nil, "mounting works on Linux only, and this is darwin", "")
	fstest.Equal(t, fault.Message, "cannot mount on /home/ada/my ctx: mounting works on Linux only, and this is darwin")
	fstest.Equal(t, fault.Hint, "without FUSE, write the same tree to a plain folder: ctxfs sync '/home/ada/my ctx'")
	fault = cannotBecause("/x", errors.New("mount: no space left"), "", "")
	if fault.Message != "cannot mount on /x: mount: no space left" || fault.Hint != "find out more: ctxfs doctor; without FUSE, write the same tree to a plain folder: ctxfs sync /x" {
		t.Error(fault)
	}
	fault = cannotBecause("/x", errors.New("EPERM"), "fusermount3 is not installed", "install it: sudo apt install fuse3")
	fstest.Equal(t, fault.Hint, "install it: sudo apt install fuse3; without FUSE, write the same tree to a plain folder: ctxfs sync /x", fault)
}
