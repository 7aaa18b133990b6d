package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls are made here, and not by go-landlock: that links package psx, which has
// the C library's pthread_create replaced in the whole program, and so in the background
// process, for a thread that is about to become another program.

// The rights over files, see landlock(7). Those to read come with everything; a rule for
// what is no folder takes those of files only.
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fileRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | deviceRight
	allRights   = deviceRight<<1 - 1
	deviceRight = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// No devices can be made, which would lead to disks.
	folderRights = allRights &^ (unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK)
)

// The versions of the ABI of Landlock with further rights: to truncate a file, to ioctl a device,
// and scopes for signals.
const (
	abiTruncate = 3
	abiIoctlDev = 5
	abiScope    = 6
)

// version returns the version of the kernel's Landlock.
func version() (int, error) {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errors.New("this kernel has no Landlock, or it is switched off")
	}
	return int(n), nil
}

// landlocked keeps this thread, and what it becomes, from writing anything but what the
// rules name. The network is left alone, and so are sockets, through which ctxfs is reached.
func landlocked(r places) error {
	known, err := version()
	if err != nil {
		return err
	}
	if known < abiTruncate {
		return errors.New("this kernel's Landlock does not keep files from being cut")
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: allRights, Scoped: scopes(known)}
	if known < abiIoctlDev {
		attr.Handled_access_fs &^= deviceRight
	}
	return restrict(attr, func(ruleset int) error {
		for _, rule := range []struct {
			rights uint64
			paths  []string
		}{
			{readRights, []string{"/"}}, {folderRights, r.folders}, {fileRights, r.files}, {folderRights, []string{"/dev/pts"}},
			{fileRights, []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}},
		} {
			for _, path := range rule.paths {
				if err := allow(ruleset, path, rule.rights&attr.Handled_access_fs); err != nil && !errors.Is(err, os.ErrNotExist) {
					return err
				}
			}
		}
		return nil
	})
}

// scope keeps signals, and connections to abstract sockets, from processes outside.
func scope() error {
	known, err := version()
	if err != nil || known < abiScope {
		return errors.New("that needs Landlock, of Linux 6.12 or later")
	}
	return restrict(unix.LandlockRulesetAttr{Scoped: scopes(known)}, func(int) error { return nil })
}

func scopes(known int) uint64 {
	if known < abiScope {
		return 0
	}
	return unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
}

// restrict closes this thread to what a ruleset handles and has no rules for.
func restrict(attr unix.LandlockRulesetAttr, rules func(ruleset int) error) error {
	// An older kernel takes the longer structure, as long as what it does not know is zero.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	if err := rules(int(fd)); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// allow gives rights over a file, or a folder with all that is in it.
func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock_add_rule %s: %w", path, errno)
	}
	return nil
}
