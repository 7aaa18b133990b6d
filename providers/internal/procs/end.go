package procs

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

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

// EndTime is how long killed processes may take to end.
const EndTime = 10 * time.Second

// Ending ends processes in rounds: by SIGTERM, and by SIGKILL what has not ended within the
// grace. Killed are a part of those that were told.
type Ending struct {
	Told, Killed map[Process]bool
	// Spare keeps a process from being killed, as late as it is after the grace; it may be
	// nil.
	Spare func(p Process, late time.Duration) bool

	grace, pause time.Duration
	begun        time.Time // of the grace: all have been told
}

// NewEnding returns an Ending that has not signalled any process.
func NewEnding(grace time.Duration) *Ending {
	return &Ending{Told: make(map[Process]bool), Killed: make(map[Process]bool), grace: grace, pause: time.Millisecond}
}

// Round tells or kills all processes that are left, and returns how late it is after the
// grace, and which of them cannot be signalled. More returns those that are left by then.
func (e *Ending) Round(all []Process, more func() []Process) (late time.Duration, err error) {
	if late = -e.grace; !e.begun.IsZero() {
		late += time.Since(e.begun)
	}
	if late >= 0 {
		err = e.kill(all, late, more)
	} else {
		for _, p := range all {
			if !e.Told[p] {
				e.Told[p] = true
				err = errors.Join(err, p.end(syscall.SIGTERM), p.end(syscall.SIGCONT))
			}
		}
	}
	if e.begun.IsZero() {
		e.begun = time.Now()
	}
	return late, err
}

// Pause returns how long to wait before the next round.
func (e *Ending) Pause() time.Duration {
	e.pause = min(2*e.pause, 40*time.Millisecond)
	return e.pause / 2
}

// kill kills processes and what they start meanwhile: first none can start another one
// any more, or else a program that starts itself over and over would be ahead for ever.
func (e *Ending) kill(all []Process, late time.Duration, more func() []Process) (err error) {
	stopped := make(map[Process]bool)
	for range 50 {
		before := len(stopped)
		for _, p := range all {
			if !stopped[p] && (e.Spare == nil || !e.Spare(p, late)) {
				stopped[p], e.Told[p], e.Killed[p] = true, true, true
				_ = p.Signal(syscall.SIGSTOP)
			}
		}
		if len(stopped) == before {
			break
		}
		all = more()
	}
	for p := range stopped {
		err = errors.Join(err, p.end(syscall.SIGKILL))
	}
	return err
}

// end sends a signal that ends the process, or lets it end.
func (p Process) end(sig syscall.Signal) error {
	if err := p.Signal(sig); err != nil {
		return fmt.Errorf("process %d cannot be ended: %w", p.PID, &os.SyscallError{Syscall: "kill", Err: err})
	}
	return nil
}

// End ends all descendants of this process. It returns when all have ended; the error says
// how many cannot be ended. Each child that ends is passed on. Children are those that this
// process has started: all that other systems than Linux know of. Adopt must have been
// called, and Reap's rule holds.
func End(grace time.Duration, ended func(Exit), children ...int) error {
	for e := NewEnding(grace); Reap(ended); time.Sleep(e.Pause()) {
		left := func() []Process { return below(children) }
		all := left()
		late, _ := e.Round(all, left)
		if !Reap(ended) {
			break
		}
		if late > EndTime {
			return fmt.Errorf("%d processes cannot be ended", len(all))
		}
	}
	return nil
}

// EndMarked kills all processes that have a mark, except this one, and reports whether all
// are gone.
func EndMarked(mark uint64) bool {
	for e := NewEnding(0); ; time.Sleep(e.Pause()) {
		left := func() []Process { return marked(mark) }
		all := left()
		if late, _ := e.Round(all, left); len(all) == 0 || late > EndTime {
			return len(all) == 0
		}
	}
}
