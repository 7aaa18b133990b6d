package tmux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/providers/terminals/record"
)

// How long nothing is tried again: at first, and at most. So a server is found
// that has no session yet, and one that sends us away is not pestered.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second
)

// gather is how long changes are waited for after the first one.
const gather = 5 * time.Millisecond

// server is a running server, and what is recorded of it.
type server struct {
	a      *Adopter
	socket string
	again  chan struct{} // holds one if something may have changed

	posted sync.Mutex
	calls  []func() // for the goroutine of run

	found atomic.Bool // the socket was, since run last looked who listens there

	// Not all panes there are are recorded, and no problem tells why.
	unsettled atomic.Bool

	mu      sync.Mutex
	panes   map[string]*pane
	problem map[string]string // by what it is of
	asked   int               // captures that are not answered

	// Only the goroutine of run uses these.
	clients map[string]*client // by session
	can     features
	retry   time.Duration // until the next look, where nothing tells of changes
	hold    time.Time     // until then no client is started
	holdFor time.Duration
	before  map[string]*record.Terminal // what panes were recorded to
}

func newServer(a *Adopter, socket string) *server {
	s := &server{
		a: a, socket: socket, again: make(chan struct{}, 1), retry: retryFirst, holdFor: retryFirst,
		panes: make(map[string]*pane), problem: make(map[string]string), clients: make(map[string]*client),
	}
	s.unsettled.Store(true)
	return s
}

// post has a function called by the goroutine of run.
func (s *server) post(f func()) {
	s.posted.Lock()
	s.calls = append(s.calls, f)
	s.posted.Unlock()
	s.poke()
}

// call calls what was posted.
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
		if err != nil && !alive(s.socket) {
			return
		}
		wait := s.look(listed, err)
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

// alive tells whether anybody listens at a socket.
func alive(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// end ends what is recorded: all that was said is read first.
func (s *server) end() {
	for _, c := range s.clients {
		c.close()
	}
	for s.call(); len(s.clients) > 0; s.call() { // the news of what was posted may have been taken
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

// look compares what is with what is recorded, and tells whether to look again
// after a while.
func (s *server) look(l *listing, err error) (again bool) {
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
	waits := time.Now().Before(s.hold)
	if !waits {
		s.attach(l)
	}
	for _, p := range s.panes {
		s.gone(p, l)
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

// attach sees to it that each window is in a session that has a client.
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
			// A pane gets another process without any other news.
			c.ask(&question{
				commands: []string{"refresh-client -B 'ctxfs:%*:#{pane_pid} #{pane_dead}'"},
				answered: func(string, []string, bool) {},
			}, "", "")
		}
		s.post(func() { c.usable = true })
	}
	c.paused = func(p *pane) { s.post(func() { s.paused(c, p) }) }
	c.ended = func() { s.post(func() { s.left(c) }) }
	if err := c.attach(s.a.spawner, s.a.command(s.socket, attachArgs(s.can, id)...)); err != nil {
		s.problem[id] = err.Error()
		return
	}
	s.clients[id] = c
}

// left forgets a client that has ended.
func (s *server) left(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c.session)
	if s.holdFor = min(2*s.holdFor, retryMost); time.Since(c.since) > retryMost {
		s.holdFor = retryFirst
	}
	s.hold = time.Now().Add(s.holdFor)
	for _, p := range s.panes {
		if p.owner == c {
			p.owner, p.moving = nil, false
		}
	}
}

// lateMost is how often tmux is asked again how a program ended: it notices the
// end of the output before it hears of that of the program, and of one that a
// signal has killed it may tell nothing.
const lateMost = 5

// gone ends the terminal of a pane that is not there any more, or not the same.
// The caller holds mu.
func (s *server) gone(p *pane, l *listing) {
	exit := -1
	if i := slices.IndexFunc(l.panes, func(o *listed) bool { return o.id == p.id }); i >= 0 {
		now := l.panes[i]
		if now.pid == p.pid && !now.dead {
			return
		}
		if now.dead && now.pid == p.pid {
			if exit = now.exit; exit < 0 && p.late < lateMost { // tmux has not asked the kernel yet
				p.late++
				time.AfterFunc(retryFirst, s.poke)
				return
			}
		}
	}
	delete(s.panes, p.id)
	// What it said last may not be read yet.
	s.release(p, func() { p.close(exit); s.a.changed() })
}

// release calls a function when all that the owner of a pane has said of it was
// read. The caller holds mu.
func (s *server) release(p *pane, then func()) {
	c := p.owner
	p.owner = nil
	if c == nil || !c.ask(&question{answered: func(string, []string, bool) {
		if c.panes[p.id] == p {
			delete(c.panes, p.id)
		}
		then()
	}}, "", "") {
		then()
	}
}

// state is how far we are with a pane.
type state int

const (
	done    state = iota // it is recorded, or cannot be
	pending              // it is about to be
	failed               // it is to be tried again after a while
)

// pane sees to it that a pane is recorded. The caller holds mu.
func (s *server) pane(now *listed, l *listing) state {
	p := s.panes[now.id]
	if p == nil {
		if now.dead {
			return done
		}
		p = &pane{listed: *now, key: fmt.Sprintf("%s %d %s", s.socket, l.pid, now.id)}
		s.panes[now.id] = p
	}
	if now.cols != p.cols || now.rows != p.rows {
		p.cols, p.rows = now.cols, now.rows
		p.resize(now.cols, now.rows)
	}
	shows := func(c *client) bool {
		return slices.ContainsFunc(l.sessions, func(o *session) bool {
			return o.id == c.session && slices.Contains(o.windows, now.windowID)
		})
	}
	switch {
	case p.moving:
		return pending
	case p.owner != nil && shows(p.owner):
		return done
	case p.owner != nil:
		p.moving = true
		s.release(p, func() { s.post(func() { p.moving = false }) })
		return pending
	case p.failed != "":
		s.problem[p.id], p.failed = p.failed, ""
		return failed
	}
	for _, c := range s.clients {
		if shows(c) {
			if c.usable {
				s.capture(c, p, false)
			}
			return pending
		}
	}
	return done
}

// paused goes on with a pane of which tmux has dropped output.
func (s *server) paused(c *client, p *pane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.owner == c && s.panes[p.id] == p {
		s.capture(c, p, true)
	}
}

// capture takes what tmux holds of a pane, and then its output. The caller holds
// mu.
func (s *server) capture(c *client, p *pane, paused bool) {
	commands := captureCommands(p.id)
	if paused {
		commands = append(commands, "refresh-client -A '"+p.id+":continue'")
	}
	if s.before == nil && !paused {
		s.before = recordings(s.a.opts.Record.Dir)
	}
	before := s.before[p.key]
	p.owner = c
	s.asked++
	if !c.ask(&question{commands: commands, answered: func(first string, answers []string, ok bool) {
		err := errors.New("tmux did not tell what it holds of the pane")
		if ok {
			if held, id, whole := parseCapture(first, answers); whole && id == p.id {
				err = p.begin(held, s.a.opts.Record, before)
			}
		}
		if err == nil {
			c.panes[p.id] = p
		}
		s.answered(c, p, err)
	}}, p.id, captureFormat) {
		p.owner = nil
		s.asked--
	}
}

// answered notes that a capture was answered.
func (s *server) answered(c *client, p *pane, err error) {
	s.mu.Lock()
	s.asked--
	s.mu.Unlock()
	s.post(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil && p.owner == c {
			p.owner, p.failed = nil, err.Error()
		}
	})
}

// recorded is what is recorded now.
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
