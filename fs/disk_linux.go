package fs

import (
	"syscall"
	"time"
)

func statTimes(st *syscall.Stat_t) (mtime, ctime time.Time) {
	return timespec(st.Mtim), timespec(st.Ctim)
}
