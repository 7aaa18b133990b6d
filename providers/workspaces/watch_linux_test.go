package workspaces

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// fewWatches has the name of the limit that a test lowers, in a process of its own.
const fewWatches = "CTXFS_TEST_LIMIT"

// TestLimits: where the system allows too few watches, or none, that is said, with the
// fix, and the pages become exact all the same.
func TestLimits(t *testing.T) {
	limit := os.Getenv(fewWatches)
	if limit == "" {
		for _, limit := range []string{"max_inotify_watches=8", "max_inotify_watches=400", "max_inotify_instances=0"} {
			t.Run(limit, func(t *testing.T) {
				cmd := exec.Command(os.Args[0], "-test.run=^TestLimits$", "-test.v")
				cmd.Env = append(os.Environ(), fewWatches+"="+limit)
				cmd.SysProcAttr = &syscall.SysProcAttr{
					Cloneflags:  syscall.CLONE_NEWUSER,
					UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
					GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
				}
				out, err := cmd.CombinedOutput()
				var exit *exec.ExitError
				switch {
				case err != nil && !errors.As(err, &exit):
					t.Skipf("no user namespace can be had: %v", err)
				case err != nil:
					t.Errorf("%v\n%s", err, out)
				case strings.Contains(string(out), "--- SKIP"):
					t.Skipf("%s", out)
				}
			})
		}
		return
	}

	name, most, _ := strings.Cut(limit, "=")
	if err := os.WriteFile("/proc/sys/user/"+name, []byte(most), 0); err != nil {
		t.Skipf("the limit cannot be lowered: %v", err)
	}
	w := newHome(t)
	w.make(false)
	w.still = true
	dirs, repositories := make(map[string]string), []string{"shop-00", "shop-06", "shop-11"}
	for i := range 12 {
		name := fmt.Sprintf("shop-%02d", i)
		dirs[name] = w.mkdir(name)
		if slices.Contains(repositories, name) {
			w.repository(name)
		}
		for j := range 12 {
			w.mkdir(fmt.Sprintf("%s/dir-%d", name, j))
		}
		w.workIn(dirs[name])
	}
	want := map[string]string{
		"max_inotify_watches=8":   "no space left on device",
		"max_inotify_watches=400": "too many folders to watch",
		"max_inotify_instances=0": "too many open files",
	}[limit]
	fix := "fs.inotify.max_user_watches"
	if name == "max_inotify_instances" {
		fix = "fs.inotify.max_user_instances"
	}
	w.Start()
	fstest.Settled(t, w)
	if !slices.ContainsFunc(w.Status().Problems, func(p fs.Problem) bool {
		return strings.Contains(p.What, want) && strings.Contains(p.What, "looked at every") && strings.Contains(p.Mend, fix)
	}) {
		t.Errorf("STATUS.md does not say %q: %+v", want, w.Status().Problems)
	}
	for _, words := range []string{want, fix, "The first 10 are watched"} {
		fstest.Contains(t, w.read("INDEX.md"), words)
	}
	head := w.git(dirs["shop-00"], "rev-parse", "main")
	for name, dir := range dirs {
		w.write(name+"/dir-11/new.go", "package new")
		if slices.Contains(repositories, name) {
			w.write(name+"/.git/refs/heads/side", head)
			w.write(name+"/.git/HEAD", "ref: refs/heads/side\n")
		}
		fstest.Must(t, os.RemoveAll(filepath.Join(dir, "dir-7")))
	}
	w.exact(slices.Collect(maps.Values(dirs))...)
}
