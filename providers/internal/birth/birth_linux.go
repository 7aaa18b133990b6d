// Package birth knows when files were created: that, with its number, tells a file from
// another one that has taken its place.
package birth

import (
	"time"

	"golang.org/x/sys/unix"
)

// Of returns when the file at a path was created, links not followed; zero where that is
// not known.
func Of(path string) time.Time {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &st); err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}
	}
	return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
}
