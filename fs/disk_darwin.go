package fs

import (
	"syscall"
	"time"
)

func statTimes(st *syscall.Stat_t) (mtime, ctime time.Time) {
	return timespec(st.Mtimespec), timespec(st.Ctimespec)
}
