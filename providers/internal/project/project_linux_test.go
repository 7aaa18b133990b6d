package project

import (
	"os"
	"syscall"
	"testing"

	"ctxfs/fs"
)

// TestBoundFolderIsOneProject binds a project to another path of this machine.
func TestBoundFolderIsOneProject(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can bind folders")
	}
	w := newWorld(t)
	repo, bound := w.repo("home/repo"), w.dir("bound")
	w.dir("home/repo/sub")
	if err := syscall.Mount(repo, bound, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("no mounts here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(bound, syscall.MNT_DETACH) })
	w.of(fs.StandpointAt(bound+"/sub"), bound) // it was found there first
	w.of(fs.StandpointAt(repo+"/sub"), bound)
	if err := syscall.Unmount(bound, syscall.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	w.of(fs.StandpointAt(repo+"/sub"), repo)

	w.r.SetKnown([]string{w.dir("home/plain")})
	if err := syscall.Mount(w.path("home/plain"), bound, "", syscall.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	w.of(fs.StandpointAt(w.dir("bound/x")), w.path("home/plain"))
}
