package fs

import (
	"syscall"
	"time"
)

// onLocalDisk reports whether path is on a disk of this machine, where reading
// waits for no network.
func onLocalDisk(path string) bool {
	const mntLocal = 0x1000
	var st syscall.Statfs_t
	err := retryEINTR(func() error { return syscall.Statfs(path, &st) })
	return err == nil && st.Flags&mntLocal != 0
}

func statTimes(st *syscall.Stat_t) (mtime, ctime time.Time) {
	return timespec(st.Mtimespec), timespec(st.Ctimespec)
}
