package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ctxfs/fs"
)

// doors returns the sockets of programs that act on requests of any program that
// connects: container engines, buses over which programs are started, and whatever the
// user's own programs listen at now, such as editors, agents for keys and another
// ctxfs.
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
	table, _ := os.ReadFile("/proc/net/unix") // without it, those above remain
	for line := range strings.Lines(string(table)) {
		_, path, ok := strings.Cut(line, " /")
		path = "/" + strings.TrimSuffix(path, "\n")
		if ok && !slices.Contains(paths, path) && ofUser(path, unix.S_IFSOCK) && !asked(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// asked reports whether a socket is one by which names of users and machines are found.
func asked(path string) bool {
	return slices.ContainsFunc([]string{
		"/run/nscd", "/run/nslcd", "/run/systemd/resolve", "/run/systemd/userdb", "/var/lib/sss/pipes", "/run/avahi-daemon",
	}, func(dir string) bool { return fs.Within(real(path), real(dir)) })
}

// ofUser reports whether there is a file of a kind that belongs to this process's user.
func ofUser(path string, kind uint32) bool {
	var is unix.Stat_t
	return unix.Lstat(path, &is) == nil && is.Mode&unix.S_IFMT == kind && int(is.Uid) == os.Getuid()
}

// doorDirs returns the folders in which terminal multiplexers, editors and displays of the
// user make their sockets, also while the agent runs.
func doorDirs() (dirs []string) {
	user := os.Getuid()
	dirs = append(runtimeDirs(), fmt.Sprintf("/tmp/tmux-%d", user), fmt.Sprintf("/tmp/emacs%d", user), "/tmp/.X11-unix")
	if dir := os.Getenv("TMUX_TMPDIR"); dir != "" {
		dirs = append(dirs, filepath.Join(dir, fmt.Sprintf("tmux-%d", user)))
	}
	screens, _ := filepath.Glob("/run/screen/S-*")
	return append(dirs, screens...)
}

// runtimeDirs returns the folders with the sockets of the user's programs, which are the
// user's alone.
func runtimeDirs() (dirs []string) {
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), fmt.Sprintf("/run/user/%d", os.Getuid())} {
		dir = real(dir)
		info, err := os.Stat(dir)
		if filepath.IsAbs(dir) && err == nil && info.Mode().Perm()&0o077 == 0 && !slices.Contains(dirs, dir) && ofUser(dir, unix.S_IFDIR) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// reachable copies the folders that are in one that is going to be hidden.
func reachable(folders []string) (kept []cloned) {
	for _, folder := range folders {
		folder = real(folder)
		if !slices.ContainsFunc(runtimeDirs(), func(dir string) bool { return folder != dir && fs.Within(folder, dir) }) {
			continue
		}
		if c, err := clone(folder); err == nil {
			kept = append(kept, c)
		}
	}
	return kept
}

// reaches reports whether a socket is in one of the folders that stay reachable.
func (r places) reaches(path string) bool {
	return slices.ContainsFunc(r.Reach, func(dir string) bool { return fs.Within(real(path), real(dir)) })
}

// tellDoors notes the sockets that cannot be hidden.
func tellDoors(r places, note func(string, ...any)) {
	open := slices.DeleteFunc(doors(), func(path string) bool { return r.reaches(path) || unix.Access(path, unix.W_OK) != nil })
	if len(open) > 0 {
		note("programs outside can be told what to do, at %s", strings.Join(open[:min(len(open), 5)], ", "))
	}
}

// closeDoors hides sockets, but those in the folders that stay reachable.
func closeDoors(r places, reach []cloned, note func(string, ...any)) {
	for _, path := range doors() {
		if !r.reaches(path) {
			hide(path, note)
		}
	}
	for _, dir := range doorDirs() {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		dir = real(dir)
		needed := append([]string{r.Dir, real(os.Getenv("HOME"))}, r.folders...)
		if slices.ContainsFunc(needed, func(path string) bool { return fs.Within(path, dir) }) {
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
