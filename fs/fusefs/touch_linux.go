package fusefs

import "golang.org/x/sys/unix"

// setNow sets a file's modification time to now, and no other time.
func setNow(path string) error {
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Nsec: unix.UTIME_NOW}}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, times, unix.AT_SYMLINK_NOFOLLOW)
}
