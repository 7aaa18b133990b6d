package mounts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/fusefs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// CheckSystem returns an error, with an alternative, on a system that can mount
// neither dir nor any other folder.
func CheckSystem(dir string) error {
	if !fusefs.Supported {
		return cannotMount(dir, nil)
	}
	return nil
}

// cannotMount explains why a mount failed, and how to fix it.
func cannotMount(dir string, err error) *control.Fault {
	cause, cure := Obstacle()
	return cannotBecause(dir, err, cause, cure)
}

func cannotBecause(dir string, err error, cause, cure string) *control.Fault {
	instead := "without FUSE, write the same tree to a plain folder: ctxfs sync " + wording.ShellWord(dir)
	switch {
	case cause == "":
		cause, cure = err.Error(), "find out more: ctxfs doctor; "
	case cure != "":
		cure += "; "
	}
	return &control.Fault{Message: fmt.Sprintf("cannot mount on %s: %s", dir, cause), Hint: cure + instead}
}

// isNameless reports whether a user has no name.
func isNameless(uid string) bool {
	_, err := user.LookupId(uid)
	return errors.As(err, new(user.UnknownUserIdError))
}

// Obstacle returns what keeps this user from mounting, and how to fix it:
//
//  1. cause and cure are empty: nothing is in the way;
//  2. cause alone: nothing helps;
//  3. both: cure removes the cause.
func Obstacle() (cause, cure string) {
	if !fusefs.Supported {
		return "mounting works on Linux only, and this is " + runtime.GOOS, ""
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return "this system has no /dev/fuse", "load the kernel module (modprobe fuse), or start the container with --device /dev/fuse"
	}
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return fmt.Sprintf("/dev/fuse cannot be opened by you (%v)", err), "as root: chmod 0666 /dev/fuse"
	}
	f.Close()
	if os.Getuid() == 0 {
		return "", ""
	}
	path, err := exec.LookPath("fusermount3")
	if err != nil {
		return "fusermount3 is not installed", "install it: sudo apt install fuse3"
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSetuid == 0 {
		return path + " is not setuid root, so it cannot mount for you", "as root: chmod u+s " + path
	}
	if uid := strconv.Itoa(os.Getuid()); isNameless(uid) {
		return "fusermount3 mounts for users with a name, and yours (" + uid + ") has none in /etc/passwd", "as root: useradd -M -o -u " + uid + " agent"
	}
	return "", ""
}

// maxUsers is how many processes that use a mount are named.
const maxUsers = 5

// Users returns the processes that have a mount as their working directory, or a file in
// it open, as "name (pid)", and whether one of these own does, which are not named. It
// only reads links in /proc, and does not touch the mount.
func Users(dir string, own ...int) (users []string, ownToo bool) {
	users = processes("", func(proc string) bool {
		pid, _ := strconv.Atoi(filepath.Base(proc))
		is := isUsing(proc, dir)
		if is && slices.Contains(own, pid) {
			ownToo = true
			return false
		}
		return is
	})
	return users, ownToo
}

// sandboxesWith returns processes whose mount namespaces still have a mount that is
// gone from this one, one of each namespace, as Users does.
func sandboxesWith(p Point) []string {
	seen := make(map[string]bool)
	return processes(", in a sandbox", func(proc string) bool {
		namespace, err := os.Readlink(filepath.Join(proc, "ns", "mnt"))
		if err != nil || seen[namespace] {
			return false
		}
		seen[namespace] = true
		points, _ := pointsOf(proc)
		return slices.ContainsFunc(points, func(o Point) bool { return o.minor == p.minor })
	})
}

// processes returns those for whose folders in /proc is is true, at most maxUsers.
func processes(where string, is func(proc string) bool) (users []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, proc := range procs {
		if len(users) == maxUsers {
			break
		}
		if is(proc) {
			name, _ := os.ReadFile(filepath.Join(proc, "comm"))
			users = append(users, fmt.Sprintf("%s (%s%s)", strings.TrimSpace(string(name)), filepath.Base(proc), where))
		}
	}
	return users
}

func isUsing(proc, dir string) bool {
	links := []string{filepath.Join(proc, "cwd"), filepath.Join(proc, "root"), filepath.Join(proc, "exe")}
	if fds, err := os.ReadDir(filepath.Join(proc, "fd")); err == nil {
		for _, fd := range fds {
			links = append(links, filepath.Join(proc, "fd", fd.Name()))
		}
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && filepath.IsAbs(target) && fs.Within(target, dir) {
			return true
		}
	}
	return false
}
