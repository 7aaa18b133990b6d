package tmux

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs/rounds"
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

	found     atomic.Bool // the socket was found since run last checked who listens there
	unsettled atomic.Bool // some panes are not recorded, and no problem says why

	mu       sync.Mutex
	clients  map[string]*client // by session
	problems []string
	retry    time.Duration // until the next listing, when nothing announces changes
}

func newServer(a *Adopter, socket string) *server {
	s := &server{a: a, socket: socket, again: make(chan struct{}, 1), clients: make(map[string]*client), retry: retryFirst}
	s.unsettled.Store(true)
	return s
}

func (s *server) poke() { rounds.Tell(s.again) }

// run records a server until it ends or ctx does.
func (s *server) run(ctx context.Context) {
	defer s.end()
	for ctx.Err() == nil {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients {
		c.close()
	}
	for _, c := range s.clients {
		<-c.done
	}
	clear(s.clients)
	s.unsettled.Store(false)
}

// update compares the listing with what is recorded, and reports whether to
// list again after a while.
func (s *server) update(l *listing, err error) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = nil
	unsettled := false
	defer func() { s.unsettled.Store(unsettled) }()
	if err == nil && l.version != "" {
		err = supported(l.version)
	}
	if err != nil {
		s.problem(err.Error())
		return true
	}
	shown := s.shown(l)
	for id, c := range s.clients {
		switch {
		case c.ended():
			if time.Since(c.since) < s.retry { // it may be refused again
				again = true
				delete(shown, id)
				break
			}
			delete(s.clients, id)
		case shown[id] == nil:
			c.close() // the end is news
		}
	}
	for id, panes := range shown {
		c := s.clients[id]
		if c == nil {
			if c, err = s.start(id); err != nil {
				s.problem(err.Error())
				again = true
				continue
			}
			s.clients[id] = c
		}
		pending, problems := c.record(panes)
		unsettled = unsettled || pending
		for _, what := range problems {
			s.problem(what)
			again = true
		}
	}
	return again || len(s.clients) == 0
}

// problem notes what is not recorded, once. The caller holds mu.
func (s *server) problem(what string) {
	if what = s.socket + ": " + what; !slices.Contains(s.problems, what) {
		s.problems = append(s.problems, what)
	}
}

// shown returns the panes that are recorded by the client of each session: a window
// that several sessions have, by that of the first one. The caller holds mu.
func (s *server) shown(l *listing) map[string][]*listedPane {
	shown, by := make(map[string][]*listedPane), make(map[string]string) // the session, by window
	for _, fragile := range []bool{false, true} {
		for _, o := range l.sessions {
			for _, window := range o.windows {
				switch {
				case o.fragile != fragile || by[window] != "":
				case fragile:
					s.problem("a session of tmux is not recorded: its option destroy-unattached is set, so that tmux would destroy it when recording ends")
				default:
					by[window] = o.id
				}
			}
		}
	}
	for _, p := range l.panes {
		if id := by[p.windowID]; id != "" {
			shown[id] = append(shown[id], p)
		}
	}
	return shown
}

func (s *server) start(id string) (*client, error) {
	c := &client{
		session: id, since: time.Now(), news: s.poke, done: make(chan struct{}), panes: make(map[string]*pane),
		socket: s.socket, opts: s.a.opts.Record,
	}
	return c, c.attach(s.a.spawner)
}

// recorded returns what is recorded now.
func (s *server) recorded() (panes []Pane, problems []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients {
		panes = append(panes, c.recorded()...)
	}
	return panes, slices.Clone(s.problems)
}
