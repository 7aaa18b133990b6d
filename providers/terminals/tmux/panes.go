package tmux

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// paneGone ends the terminal of a pane that no longer exists, or has another
// process. The caller holds mu.
func (s *server) paneGone(p *pane, l *listing) {
	exit := -1
	if i := slices.IndexFunc(l.panes, func(o *listedPane) bool { return o.id == p.id }); i >= 0 {
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
	// Its last output may not be read yet.
	s.release(p, func() { p.close(exit); s.a.changed() })
}

// release calls then when everything that the owner of a pane has sent for it has
// been read. The caller holds mu.
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

// progress is how far the recording of a pane is.
type progress int

const (
	done    progress = iota // it is recorded, or cannot be
	pending                 // it is about to be
	failed                  // it is to be tried again after a while
)

// pane makes sure that a pane is recorded. The caller holds mu.
func (s *server) pane(now *listedPane, l *listing) progress {
	p := s.panes[now.id]
	if p == nil {
		if now.dead {
			return done
		}
		p = &pane{listedPane: *now, key: fmt.Sprintf("%s %d %s", s.socket, l.pid, now.id)}
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

// paused continues with a pane whose output tmux has dropped.
func (s *server) paused(c *client, p *pane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.owner == c && s.panes[p.id] == p {
		s.capture(c, p, true)
	}
}

// capture records what tmux holds of a pane, and then its output. The caller
// holds mu.
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
		err := errors.New("tmux did not return what it holds of the pane")
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

// answered records the result of a capture.
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
