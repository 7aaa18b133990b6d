package tmux

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/providers/terminals/record"
)

// The first and the longest delay before a server is tried again. So a server
// without a session yet is found, and one that refuses ctxfs is not pestered.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second
)

// gather is how long further changes are awaited after the first one.
const gather = 5 * time.Millisecond

// server is a running server, and the recordings of its panes.
type server struct {
	a      *Adopter
	socket string
	again  chan struct{} // holds a value if something may have changed

	posted sync.Mutex
	calls  []func() // for the goroutine of run

	found atomic.Bool // the socket was found since run last checked who listens there

	// Some panes are not recorded, and no problem says why.
	unsettled atomic.Bool

	mu      sync.Mutex
	panes   map[string]*pane
	problem map[string]string // by what it is about
	asked   int               // unanswered captures

	// Used only by the goroutine of run:
	clients map[string]*client // by session
	can     features
	retry   time.Duration // until the next listing, when nothing announces changes
	holdOff time.Time     // no client is started before
	holdFor time.Duration
	before  map[string]*record.Terminal // the terminals that panes were recorded to
}

func newServer(a *Adopter, socket string) *server {
	s := &server{
		a: a, socket: socket, again: make(chan struct{}, 1), retry: retryFirst, holdFor: retryFirst,
		panes: make(map[string]*pane), problem: make(map[string]string), clients: make(map[string]*client),
	}
	s.unsettled.Store(true)
	return s
}

// post makes the goroutine of run call a function.
func (s *server) post(f func()) {
	s.posted.Lock()
	s.calls = append(s.calls, f)
	s.posted.Unlock()
	s.poke()
}

// call calls the posted functions.
func (s *server) call() {
	s.posted.Lock()
	calls := s.calls
	s.calls = nil
	s.posted.Unlock()
	for _, f := range calls {
		f()
	}
}

func (s *server) poke() {
	select {
	case s.again <- struct{}{}:
	default:
	}
}

// run records a server until it ends or ctx does.
func (s *server) run(ctx context.Context) {
	defer s.end()
	for ctx.Err() == nil {
		s.call()
		s.found.Store(false)
		listed, err := s.a.list(ctx, s.socket)
		if err != nil && !isListening(s.socket) {
			return
		}
		wait := s.update(listed, err)
		s.a.changed()
		var timer <-chan time.Time
		if wait {
			timer = time.After(s.retry)
			s.retry = min(2*s.retry, retryMost)
		} else if !s.unsettled.Load() {
			s.retry = retryFirst
		}
		select {
		case <-ctx.Done():
		case <-timer:
		case <-s.again:
			select {
			case <-ctx.Done():
			case <-time.After(gather):
			}
		}
	}
}

// isListening reports whether a process listens at a socket.
func isListening(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// end ends all recordings: everything that was sent is read first.
func (s *server) end() {
	for _, c := range s.clients {
		c.close()
	}
	for s.call(); len(s.clients) > 0; s.call() { // the wake-up for what was posted may have been consumed
		<-s.again
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.panes {
		p.close(-1)
	}
	clear(s.panes)
	s.unsettled.Store(false)
}

// update compares the listing with what is recorded, and reports whether to
// list again after a while.
func (s *server) update(l *listing, err error) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.problem)
	unsettled := false
	defer func() { s.unsettled.Store(unsettled || s.asked > 0) }()
	if err == nil && l.version != "" {
		s.can, err = featuresOf(l.version)
	}
	if err != nil {
		s.problem[""] = err.Error()
		return true
	}
	waits := time.Now().Before(s.holdOff)
	if !waits {
		s.attach(l)
	}
	for _, p := range s.panes {
		s.paneGone(p, l)
	}
	s.before = nil // it is read when a pane is new
	for _, listed := range l.panes {
		switch s.pane(listed, l) {
		case pending:
			unsettled = true
		case failed:
			waits = true
		}
	}
	return waits || len(s.clients) == 0
}

// attach makes sure that each window is in a session that has a client.
func (s *server) attach(l *listing) {
	var shown []string
	for _, session := range l.sessions {
		if s.clients[session.id] != nil {
			shown = append(shown, session.windows...)
		}
	}
	for _, session := range l.sessions {
		missing := slices.ContainsFunc(session.windows, func(w string) bool { return !slices.Contains(shown, w) })
		switch {
		case !missing:
		case session.fragile:
			s.problem[session.id] = "a session of tmux is not recorded: its option destroy-unattached is set, so that tmux would destroy it when recording ends"
		default:
			s.start(session.id)
			shown = append(shown, session.windows...)
		}
	}
}

// start starts a client. The caller holds mu.
func (s *server) start(id string) {
	c := &client{session: id, can: s.can, news: s.poke, since: time.Now()}
	c.attached = func() {
		if c.can.flags {
			// No other notification reports that a pane gets another process.
			c.ask(&question{
				commands: []string{"refresh-client -B 'ctxfs:%*:#{pane_pid} #{pane_dead}'"},
				answered: func(string, []string, bool) {},
			}, "", "")
		}
		s.post(func() { c.usable = true })
	}
	c.paused = func(p *pane) { s.post(func() { s.paused(c, p) }) }
	c.ended = func() { s.post(func() { s.clientEnded(c) }) }
	if err := c.attach(s.a.spawner, s.a.command(s.socket, attachArgs(s.can, id)...)); err != nil {
		s.problem[id] = err.Error()
		return
	}
	s.clients[id] = c
}

// clientEnded removes a client that has ended.
func (s *server) clientEnded(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c.session)
	if s.holdFor = min(2*s.holdFor, retryMost); time.Since(c.since) > retryMost {
		s.holdFor = retryFirst
	}
	s.holdOff = time.Now().Add(s.holdFor)
	for _, p := range s.panes {
		if p.owner == c {
			p.owner, p.moving = nil, false
		}
	}
}

// lateMost is how often tmux is asked again how a program ended: it notices the end
// of the output before that of the program, and may never report the end of a
// program killed by a signal.
const lateMost = 5

// recorded returns what is recorded now.
func (s *server) recorded() (panes []Pane, problems []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.panes {
		if id := p.terminal(); id != "" {
			panes = append(panes, Pane{Terminal: id, Name: p.name(), Socket: s.socket, ID: p.id, Pid: p.pid, Command: p.command})
		}
	}
	for _, problem := range s.problem {
		if text := s.socket + ": " + problem; !slices.Contains(problems, text) {
			problems = append(problems, text)
		}
	}
	return panes, problems
}
