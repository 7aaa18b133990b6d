// Package birth knows when files were created: that, with its number, tells a file from
// another one that has taken its place.
package birth

import (
	"os"
	"syscall"
	"time"
)

// Of returns when the file at a path was created, links not followed; zero where that is
// not known.
func Of(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(st.Birthtimespec.Sec, st.Birthtimespec.Nsec)
}
