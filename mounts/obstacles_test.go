package mounts

import (
	"errors"
	"testing"
)

// TestMountingNeedsLinux: a system that cannot mount reports that, and what
// to do instead.
func TestMountingNeedsLinux(t *testing.T) {
	if cause := unsupported("linux", true); cause != "" {
		t.Error(cause)
	}
	fault := cannotBecause("/home/ada/my ctx", nil, unsupported("darwin", false), "")
	if fault.Message != "cannot mount on /home/ada/my ctx: mounting works on Linux only, and this is darwin" {
		t.Error(fault.Message)
	}
	if fault.Hint != "without FUSE, write the same tree to a plain folder: ctxfs sync '/home/ada/my ctx'" {
		t.Error(fault.Hint)
	}
	fault = cannotBecause("/x", errors.New("mount: no space left"), "", "")
	if fault.Message != "cannot mount on /x: mount: no space left" || fault.Hint != "find out more: ctxfs doctor; without FUSE, write the same tree to a plain folder: ctxfs sync /x" {
		t.Error(fault)
	}
	fault = cannotBecause("/x", errors.New("EPERM"), "fusermount3 is not installed", "install it: sudo apt install fuse3")
	if fault.Hint != "install it: sudo apt install fuse3; without FUSE, write the same tree to a plain folder: ctxfs sync /x" {
		t.Error(fault)
	}
}
