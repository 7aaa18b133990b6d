package project

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
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
	w.r.SetKnown([]string{repo})
	w.of(fs.StandpointAt(bound+"/sub"), repo)
	w.r.SetKnown(nil)
	fstest.Must(t, syscall.Unmount(bound, syscall.MNT_DETACH))
	w.of(fs.StandpointAt(repo+"/sub"), repo)

	w.r.SetKnown([]string{w.dir("home/plain")})
	fstest.Must(t, syscall.Mount(w.path("home/plain"), bound, "", syscall.MS_BIND, ""))
	w.of(fs.StandpointAt(w.dir("bound/x")), w.path("home/plain"))
}

// TestFolderThatHangs has a project, and a configured one, on a file system that
// never answers: only callers in it wait, and only once.
func TestFolderThatHangs(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount what hangs")
	}
	w := newWorld(t)
	repo, dead := w.repo("home/repo"), w.dir("home/dead")
	device, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	if err := syscall.Mount("dead", dead, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", device)); err != nil {
		syscall.Close(device)
		t.Skipf("no mounts here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dead, syscall.MNT_DETACH) })
	w.r.prober, w.r.known.prober = fs.NewProber(3*time.Second), fs.NewProber(100*time.Millisecond)

	w.r.SetKnown([]string{repo, dead + "/project"})
	at := fs.Standpoint{Dir: dead + "/project"}
	for range 3 {
		if root, why := w.r.Of(at); root != "" || why != "the caller's folder "+at.Dir+" does not answer" {
			t.Errorf("%q %q", root, why)
		}
		w.of(fs.StandpointAt(repo), repo)
	}
	w.of(w.sandboxed("/mnt", repo), repo)
	if root, err := w.r.Named(at); err == nil {
		t.Errorf("named: %q", root)
	}
	if err := syscall.Close(device); err != nil { // it is dead now
		t.Fatal(err)
	}
	w.r.prober = fs.NewProber(time.Minute) // one that does not wait for who was late before
	if _, why := w.r.Of(at); why != "the caller's folder "+at.Dir+" is not here" {
		t.Errorf("its end is not noticed: %s", why)
	}
}
