package mcp

import (
	"errors"
	"time"
)

// errUnused says that a server is to end because nobody uses it.
var errUnused = errors.New("nobody uses the server")

// errListed says that a server is to end whose catalogue alone was wanted.
var errListed = errors.New("the server's catalogue is known")

const knownRemark = "known from an earlier run, and not running: its first call starts it"

const listedRemark = "it was stopped once its catalogue was known, and starts again when it is used"

const unusedRemark = "it was stopped because it was not used, and starts again when it is (see idle_timeout in ctxfs's config.toml)"

// storeIdle takes over what the configuration says of servers without users.
func (p *Provider) storeIdle(idle time.Duration) {
	if p.idle.Swap(int64(idle)) == int64(idle) {
		return
	}
	for _, s := range p.all() {
		s.touch()
	}
}

// touch begins the time anew after which the server ends unused.
func (s *server) touch() {
	select {
	case s.used <- struct{}{}:
	default:
	}
}

// dropConnection takes the connection from those who come.
func (s *server) dropConnection() {
	s.mu.Lock()
	s.conn = nil
	s.mu.Unlock()
}

// idleTimer tells when a server has been without a user for too long.
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

// over is called when the time is over. It reports whether the server is to
// end; nobody gets its connection then. While it has users or
// something is kept of it, it goes on: the end of that begins the time anew.
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
