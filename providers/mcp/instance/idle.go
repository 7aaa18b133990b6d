package instance

import (
	"errors"
	"time"

	"ctxfs/fs/rounds"
)

// errUnused is the cause for which an unused server is stopped.
var errUnused = errors.New("the server is not used")

// errOutdated is the cause of stopping a server that has been told what no longer
// holds.
var errOutdated = errors.New("what the server was told has changed")

// errStopped is the cause for which a run is interrupted that is not to be followed by
// another one.
var errStopped = errors.New("the server was stopped")

// Interruption is why an instance is stopped although it may be in use: those whose
// requests it interrupts are told.
type Interruption string

// The interruptions.
const (
	Restarted    Interruption = "it was restarted"
	Reconfigured Interruption = "its configuration was changed"
	Closing      Interruption = "ctxfs is stopping"
)

// Error implements error.
func (w Interruption) Error() string { return string(w) }

const stoppedRemark = "it was stopped, and starts again when it is used"

const outdatedRemark = "it was stopped because the settings changed, and starts again when it is used"

const unusedRemark = "it was stopped because it was not used, and starts again when it is (see idle_timeout in ctxfs's config.toml)"

// Touch restarts the time after which the unused instance is stopped.
func (i *Instance) Touch() { rounds.Tell(i.used) }

// Renew has the server learn what the Dialer says by now: the run under way, if
// there is one, ends once it is unused. If the owner retries, another one starts
// when it can, even if no run was under way.
func (i *Instance) Renew() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case !i.resting:
		i.outdated = true
		i.Touch()
	case i.owner.Retries && i.cancel != nil && i.owner.Definition().Startable():
		i.want(Unrequested)
	}
}

// endOutdated reports whether the run under way is to end now, because it is outdated
// and unused; if so it hides the connection from new users.
func (i *Instance) endOutdated() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.outdated || i.users > 0 {
		return false
	}
	i.conn = nil
	return true
}

// idleTimer fires when an instance has been without users for too long.
type idleTimer struct {
	of    *Instance
	timer *time.Timer // nil: never
}

func newIdleTimer(of *Instance) *idleTimer {
	t := &idleTimer{of: of}
	t.restart()
	return t
}

func (t *idleTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *idleTimer) restart() {
	t.stop()
	t.timer = nil
	if d := t.of.o.Idle(); d > 0 {
		t.timer = time.NewTimer(d)
	}
}

func (t *idleTimer) fires() <-chan time.Time {
	if t.timer == nil {
		return nil
	}
	return t.timer.C
}

// over reports whether the instance is to be stopped now that the timer has fired;
// if so it hides the connection from new users. While the instance has users or is
// kept it keeps running, and the time restarts after the last of them.
func (t *idleTimer) over() bool {
	i := t.of
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.users > 0 || i.owner.IsKept != nil && i.owner.IsKept() {
		return false
	}
	select {
	case <-i.used: // just now
		t.restart()
		return false
	default:
	}
	i.conn = nil
	return true
}
