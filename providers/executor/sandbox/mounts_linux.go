package sandbox

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// cloned is a copy of a part of the mounts, to be put where it was when all of them are
// read-only.
type cloned struct {
	path string
	fd   int
}

// clone copies the mounts at a path and below. It stays writable when they are not.
func clone(path string) (cloned, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	return cloned{path, fd}, err
}

// attach puts the copy over a path, and is the end of it.
func (c cloned) attach(path string) error {
	defer unix.Close(c.fd)
	return unix.MoveMount(c.fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// namespace names the mount namespace of this process.
func namespace() (string, error) { return os.Readlink("/proc/self/ns/mnt") }

// mountReadOnly makes all mounts of this process's namespace read-only, except for what the
// rules name. Nothing has changed if there is an error.
func mountReadOnly(r places, note func(string, ...any)) error {
	// The namespace of the process that started this one must stay as it is.
	switch ours, err := namespace(); {
	case err != nil:
		return err
	case r.Outside == "" || ours == r.Outside:
		return errors.New("this system does not allow it")
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	var writable []cloned
	// In /proc a process describes namespaces of its own, as for a sandbox inside of this one.
	for _, path := range append(append([]string{"/dev", "/proc"}, r.folders...), r.files...) {
		c, err := clone(path)
		if err != nil {
			note("%s cannot be written: %v", path, err)
			continue
		}
		writable = append(writable, c)
	}
	reach := reachable(r.Reach)
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		for _, c := range append(writable, reach...) {
			unix.Close(c.fd)
		}
		return err
	}
	for _, c := range writable {
		if err := c.attach(c.path); err != nil {
			note("%s cannot be written: %v", c.path, err)
		}
	}
	for _, path := range r.keep {
		if err := keep(path); err != nil {
			note("%s can be written to: %v", path, err)
		}
	}
	closeDevices(note)
	closeSettings(note)
	closeDoors(r, reach, note)
	return os.Chdir(cwd) // of the same name, but in the mounts that are there now
}

// closeDevices leaves the devices that programs need: nothing can be created beside them,
// and disks are as good as empty.
func closeDevices(note func(string, ...any)) {
	// Devices are written to whether or not their folder is read-only.
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/dev", unix.AT_RECURSIVE, &readOnly); err != nil {
		note("/dev is not read-only: %v", err)
	}
	// Memory that processes share is a folder in which files are created.
	if _, err := os.Stat("/dev/shm"); err == nil {
		if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
			note("/dev/shm cannot be written: %v", err)
		}
	}
	for _, path := range disks() {
		hide(path, note)
	}
}

// disks returns the paths of block devices, and of others that lead to them or to memory.
func disks() (paths []string) {
	blocks, _ := os.ReadDir("/sys/class/block")
	for _, block := range blocks {
		paths = append(paths, filepath.Join("/dev", block.Name()))
	}
	for _, pattern := range []string{"mem", "kmem", "port", "sg[0-9]*", "bsg/*", "nvme[0-9]*", "ng[0-9]*", "loop-control", "mapper/*", "uinput", "vhost*"} {
		found, _ := filepath.Glob(filepath.Join("/dev", pattern))
		paths = append(paths, found...)
	}
	return paths
}

// hide has a path lead to /dev/null, if it can be written to.
func hide(path string, note func(string, ...any)) {
	if unix.Access(path, unix.W_OK) != nil {
		return
	}
	c, err := clone("/dev/null")
	if err == nil {
		err = c.attach(real(path))
	}
	if err != nil {
		note("%s can be written to: %v", path, err)
	}
}

// closeSettings keeps root from changing the system by files of /proc, where no right is
// needed but to be root.
func closeSettings(note func(string, ...any)) {
	if os.Geteuid() != 0 {
		return
	}
	for _, path := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"} {
		if err := keep(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			note("%s can be written to: %v", path, err)
		}
	}
}

// keep makes what is at a path read-only.
func keep(path string) error {
	c, err := clone(path)
	if err != nil {
		return err
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(c.fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &readOnly); err != nil {
		unix.Close(c.fd)
		return err
	}
	return c.attach(path)
}
