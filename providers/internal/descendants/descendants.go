// Package descendants ends everything that a process has started, also what has left its
// session or was left behind by its parent.
package descendants

import (
	"fmt"
	"syscall"
	"time"

	"ctxfs/providers/internal/procs"
)

type process = procs.Process

// Exit is how a child has ended.
type Exit struct {
	PID    int
	Status syscall.WaitStatus
}

// Code returns the exit code, as shells do: 128 plus its number if a signal ended it.
func (e Exit) Code() int {
	if e.Status.Signaled() {
		return 128 + int(e.Status.Signal())
	}
	return e.Status.ExitStatus()
}

// Reap waits for all children that have ended, without waiting for others to end, and
// reports whether any are left. The process must have no children for which something
// else waits.
func Reap(ended func(Exit)) (left bool) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil || pid < 0:
			return false
		case pid == 0:
			return true
		default:
			if ended != nil {
				ended(Exit{pid, status})
			}
		}
	}
}

// endTime is how long killed processes may take to end.
const endTime = 10 * time.Second

// End ends all descendants of this process: by SIGTERM, and by SIGKILL what has not ended
// within the grace. It returns when none is left; the error says what cannot be ended.
// Each child that ends is passed on. Children are those that this process has started: all
// that other systems than Linux know of. Adopt must have been called, and Reap's rule holds.
func End(grace time.Duration, ended func(Exit), children ...int) error {
	var begun time.Time // of the grace: all have been told
	pause := time.Millisecond
	told := make(map[process]bool)
	for Reap(ended) {
		all := below(children)
		late := -grace
		if !begun.IsZero() {
			late += time.Since(begun)
		}
		switch {
		case late > endTime:
			return fmt.Errorf("%d processes cannot be ended", len(all))
		case late >= 0:
			kill(all, func() []process { return below(children) })
		default:
			for _, p := range all {
				if !told[p] {
					told[p] = true
					_ = p.Signal(syscall.SIGTERM)
					_ = p.Signal(syscall.SIGCONT)
				}
			}
		}
		if begun.IsZero() {
			begun = time.Now()
		}
		if !Reap(ended) {
			return nil
		}
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
	}
	return nil
}

// kill kills processes and what they start meanwhile: first none can start another one
// any more, or else a program that starts itself over and over would be ahead for ever.
func kill(all []process, more func() []process) {
	stopped := make(map[process]bool)
	for round := 0; round < 50; round++ {
		before := len(stopped)
		for _, p := range all {
			if !stopped[p] {
				stopped[p] = true
				_ = p.Signal(syscall.SIGSTOP)
			}
		}
		if len(stopped) == before {
			break
		}
		all = more()
	}
	for p := range stopped {
		_ = p.Signal(syscall.SIGKILL)
	}
}
