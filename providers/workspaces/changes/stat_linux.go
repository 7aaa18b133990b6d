package changes

import (
	"os"
	"syscall"
	"time"
)

// changeTime returns when a file, or what is known of it, last changed: also when it was
// put into the place of another one.
func changeTime(info os.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}
