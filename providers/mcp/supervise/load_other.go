//go:build !linux

package supervise

import "time"

// busy is not known where the system does not tell.
func busy() bool { return false }

func uptime() (time.Duration, bool) { return 0, false }
