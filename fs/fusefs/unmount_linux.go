package fusefs

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

// unmount takes a mount away, as an ordinary user through fusermount3. A lazy
// one takes only its name.
func unmount(dir string, lazy bool) error {
	flags := 0
	if lazy {
		flags = syscall.MNT_DETACH
	}
	err := syscall.Unmount(dir, flags)
	if err == nil || !errors.Is(err, syscall.EPERM) {
		return err
	}
	args := []string{"-u", dir}
	if lazy {
		args = []string{"-u", "-z", dir}
	}
	cmd := exec.Command("fusermount3", args...)
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fusermount3 %v: %w: %s", args, err, out)
	}
	return nil
}
