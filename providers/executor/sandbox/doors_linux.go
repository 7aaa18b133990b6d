package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// doors returns the sockets of programs that do what they are told by whoever connects:
// container engines, buses over which programs are started, terminal multiplexers.
func doors() (paths []string) {
	paths = []string{
		"/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/crio/crio.sock",
		"/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/io.systemd.Manager",
	}
	for _, name := range []string{"DOCKER_HOST", "CONTAINER_HOST"} {
		if path, ok := strings.CutPrefix(os.Getenv(name), "unix://"); ok {
			paths = append(paths, path)
		}
	}
	for _, pattern := range []string{fmt.Sprintf("/tmp/tmux-%d/*", os.Getuid()), "/run/screen/S-*/*", "/tmp/dbus-*"} {
		found, _ := filepath.Glob(pattern)
		paths = append(paths, found...)
	}
	return paths
}

// runtimeDirs returns the folders with the sockets of the user's programs, which are the
// user's alone.
func runtimeDirs() (dirs []string) {
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), fmt.Sprintf("/run/user/%d", os.Getuid())} {
		dir = real(dir)
		info, err := os.Stat(dir)
		if !filepath.IsAbs(dir) || err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 || slices.Contains(dirs, dir) {
			continue
		}
		if is, ok := info.Sys().(*syscall.Stat_t); ok && int(is.Uid) == os.Getuid() {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// reachable copies the folders that are in one that is going to be hidden.
func reachable(folders []string) (kept []cloned) {
	for _, folder := range folders {
		folder = real(folder)
		if !slices.ContainsFunc(runtimeDirs(), func(dir string) bool { return folder != dir && within(folder, dir) }) {
			continue
		}
		if c, err := clone(folder); err == nil {
			kept = append(kept, c)
		}
	}
	return kept
}

// closeDoors hides sockets: each of them, and all of the user's but those of the folders
// that stay reachable.
func closeDoors(r places, reach []cloned, note func(string, ...any)) {
	for _, path := range doors() {
		hide(path, note)
	}
	for _, dir := range runtimeDirs() {
		needed := append([]string{r.Dir, real(os.Getenv("HOME"))}, r.folders...)
		if slices.ContainsFunc(needed, func(path string) bool { return within(path, dir) }) {
			note("%s is not hidden, since what the agent needs is in it", dir)
			continue
		}
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0700"); err != nil {
			note("%s is not hidden: %v", dir, err)
		}
	}
	for _, c := range reach {
		readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV}
		err := unix.MountSetattr(c.fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &readOnly)
		if err == nil {
			err = os.MkdirAll(c.path, 0o700)
		}
		if err != nil {
			unix.Close(c.fd)
		} else {
			err = c.attach(c.path)
		}
		if err != nil {
			note("%s cannot be reached: %v", c.path, err)
		}
	}
}
