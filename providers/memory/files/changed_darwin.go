package files

import (
	"syscall"
	"time"
)

// changedAt returns when a file was last changed by the system's clock, which no program
// can set.
func changedAt(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctimespec.Unix()) }
