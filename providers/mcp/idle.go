package mcp

import (
	"errors"
	"time"
)

// errUnused is the cause for which an unused server is stopped.
var errUnused = errors.New("the server is not used")

// errListed is the cause of stopping a server that was started only for its
// catalogue.
var errListed = errors.New("the server's catalogue is known")

const knownRemark = "known from an earlier run, and not running: its first call starts it"

const listedRemark = "it was stopped once its catalogue was known, and starts again when it is used"

const unusedRemark = "it was stopped because it was not used, and starts again when it is (see idle_timeout in ctxfs's config.toml)"

// storeIdle applies the configured time after which unused servers are stopped.
func (p *Provider) storeIdle(idle time.Duration) {
	if p.idle.Swap(int64(idle)) == int64(idle) {
		return
	}
	for _, s := range p.all() {
		s.touch()
	}
}

// touch restarts the time after which the unused server is stopped.
func (s *server) touch() {
	select {
	case s.used <- struct{}{}:
	default:
	}
}

// dropConnection hides the connection from new users.
func (s *server) dropConnection() {
	s.mu.Lock()
	s.conn = nil
	s.mu.Unlock()
}

// idleTimer fires when a server has been without users for too long.
type idleTimer struct {
	s     *server
	timer *time.Timer // nil: never
}

func newIdleTimer(s *server) *idleTimer {
	i := &idleTimer{s: s}
	i.restart()
	return i
}

func (i *idleTimer) stop() {
	if i.timer != nil {
		i.timer.Stop()
	}
}

func (i *idleTimer) restart() {
	i.stop()
	i.timer = nil
	if d := time.Duration(i.s.p.idle.Load()); d > 0 {
		i.timer = time.NewTimer(d)
	}
}

func (i *idleTimer) fires() <-chan time.Time {
	if i.timer == nil {
		return nil
	}
	return i.timer.C
}

// over reports whether the server is to be stopped now that the timer has fired; if
// so it hides the connection from new users. While the server has users or kept
// resources it keeps running, and the time restarts after the last of them.
func (i *idleTimer) over() bool {
	s := i.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 || len(s.kept) > 0 {
		return false
	}
	select {
	case <-s.used: // just now
		i.restart()
		return false
	default:
	}
	s.conn = nil
	return true
}
