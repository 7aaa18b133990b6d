package guard

import (
	"errors"
	"syscall"
	"time"
)

// Requests may still be on their way into the dead process when those that it had
// read are taken over, so the takeover is repeated, at growing intervals.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// Release answers all requests on the connections of a dead process with "not
// connected", until gone reports that nothing is left of the process that could
// hold the connections, or until they have ended. It closes them, and returns how
// many requests it has answered, and the connections that it could not free,
// because the kernel is too old and this user may not abort them either.
func Release(connections []Connection, gone func() bool) (answered int, stuck []Connection) {
	return release(connections, gone, notifyResend)
}

func release(connections []Connection, gone func() bool, resend int32) (answered int, stuck []Connection) {
	for _, c := range connections {
		_ = syscall.SetNonblock(c.FD, true) // the dead process shares it, and no longer minds
	}
	buffer := make([]byte, largestRequest)
	for pause := firstPause; len(connections) > 0 && !gone(); pause = min(2*pause, lastPause) {
		var open []Connection
		for _, c := range connections {
			err := takeOver(c.FD, resend)
			if err == nil {
				err = refuse(c.FD, buffer, &answered)
			}
			if err == nil {
				open = append(open, c)
				continue
			}
			if errors.Is(err, errNoResend) && Abort(c.Minor) != nil {
				stuck = append(stuck, c)
			}
			_ = syscall.Close(c.FD)
		}
		connections = open
		poll(pause, descriptors(connections)...)
	}
	for _, c := range connections {
		_ = syscall.Close(c.FD)
	}
	return answered, stuck
}

func descriptors(connections []Connection) []int {
	var fds []int
	for _, c := range connections {
		fds = append(fds, c.FD)
	}
	return fds
}
