package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// Controls is where the kernel shows a folder for every FUSE connection, if fusectl
// is mounted.
const Controls = "/sys/fs/fuse/connections"

// Abort ends a connection, dead or alive, by its number: all processes that wait
// for it get an error at once. It does not touch the mount. The user who mounted
// may call it where the control files are mounted, and root anywhere.
func Abort(minor string) error {
	err := AbortIn(Controls, minor)
	if err == nil {
		return nil
	}
	controls, private := mountControls()
	if private != nil {
		return fmt.Errorf("%w; %w", err, private)
	}
	defer controls.Close()
	return AbortIn(fmt.Sprintf("/proc/self/fd/%d", controls.Fd()), minor)
}

// AbortIn ends a connection by its control file below the folder controls.
func AbortIn(controls, minor string) error {
	f, err := os.OpenFile(filepath.Join(controls, minor, "abort"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("1")
	return errors.Join(err, f.Close())
}

// Numbers of the kernel that package syscall does not have, the same on all
// architectures.
const (
	sysFsopen   = 430
	sysFsconfig = 431
	sysFsmount  = 432

	closeOnExec     = 1 // FSOPEN_CLOEXEC and FSMOUNT_CLOEXEC
	fsconfigCreate  = 6 // FSCONFIG_CMD_CREATE
	controlFileType = "fusectl"
)

// mountControls mounts the file system of the control files without a name: it
// exists as long as the returned folder is open, and only for this process. It
// needs Linux 5.2 and root.
func mountControls() (*os.File, error) {
	name, err := syscall.BytePtrFromString(controlFileType)
	if err != nil {
		return nil, err
	}
	context, _, errno := syscall.Syscall(sysFsopen, uintptr(unsafe.Pointer(name)), closeOnExec, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("fsopen", errno)
	}
	defer syscall.Close(int(context))
	if _, _, errno := syscall.Syscall6(sysFsconfig, context, fsconfigCreate, 0, 0, 0, 0); errno != 0 {
		return nil, os.NewSyscallError("fsconfig", errno)
	}
	root, _, errno := syscall.Syscall(sysFsmount, context, closeOnExec, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("fsmount", errno)
	}
	return os.NewFile(root, controlFileType), nil
}
