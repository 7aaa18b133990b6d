package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// steady is how long a server must have been ready for its next failure to count
// as the first.
const steady = time.Minute

// begin starts the goroutine of the server. Before it starts anything, it waits
// until before is closed, unless that is nil: for the end of the server that this
// one replaces.
func (s *server) begin(before <-chan struct{}, why reason) {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.done = cancel, make(chan struct{})
	if why != noReason {
		s.beginRun()
	}
	go func() {
		defer close(s.done)
		if before != nil {
			<-before
		}
		s.run(ctx, why)
	}()
}

// beginRun records that a run of the server begins.
func (s *server) beginRun() { s.update(s.beginRunLocked) }

// beginRunLocked is beginRun within update.
func (s *server) beginRunLocked() {
	s.runs++
	s.condition = condition{state: stateStarting, since: s.condition.since}
	select {
	case <-s.urgent: // it was set for another run
	default:
	}
}

// run starts the server when there is a reason to, and again whenever it fails,
// until ctx ends. It runs in the server's goroutine.
func (s *server) run(ctx context.Context, why reason) {
	t := s.p.timing
	wait := t.retry
	var renewed time.Time
	if why == noReason {
		why = s.waitForReason(ctx, nil)
	}
	for ctx.Err() == nil {
		life := s.runOnce(ctx, why)
		if why == outdated {
			s.refreshed()
		}
		why = life.why
		if ctx.Err() != nil {
			return
		}
		select {
		case why = <-s.wanted:
			wait = t.retry
			s.beginRun()
			continue
		default:
		}
		if now := s.p.env.Now(); life.renewable && now.Sub(renewed) > t.retry {
			renewed, why = now, requested
			s.beginRun()
			continue
		}
		if life.ready >= steady {
			wait = t.retry
		}
		var timer <-chan time.Time
		switch {
		case life.state == wire.StateNeedsAuth, life.state == stateCached: // only the user can change that
		case why == outdated && life.ready == 0: // the catalogue stays as it was
			life.condition = condition{state: stateCached, remarks: []string{
				"its catalogue could not be fetched again at " + wording.Time(s.p.env.Now()) + ": " + life.what,
			}}
		default:
			life.next = s.p.env.Now().Add(wait)
			timer = time.After(wait)
			wait = min(2*wait, t.retryMax)
		}
		s.update(func() {
			life.since = s.condition.since
			s.condition = life.condition
			if life.state != stateCached {
				s.failedRun = s.runs
			}
		})
		if why = s.waitForReason(ctx, timer); !why.isPolite() {
			wait = t.retry
		}
	}
}

// ending is how a run of the server ended.
type ending struct {
	condition
	why       reason        // the strongest one when the run began
	ready     time.Duration // how long it was ready
	renewable bool          // it should be connected to again at once
}

// runOnce starts the server when it is its turn, shows its lists, and keeps them
// current until the server exits, a restart interrupts it, or ctx ends.
func (s *server) runOnce(ctx context.Context, why reason) (ended ending) {
	ctx, interrupt := context.WithCancel(ctx)
	var def *config.Server
	var legacy bool
	s.update(func() {
		def, legacy = s.def, s.shown != nil && s.shown.Legacy && s.shown.Command == s.def.CommandHash()
		s.interrupt = interrupt
		select {
		case other := <-s.wanted: // this is the start that was requested
			if why.isPolite() && !other.isPolite() {
				s.beginRunLocked() // the request waits for a run that begins after it
			}
			why = max(why, other)
		default:
		}
	})
	defer func() {
		ended.why = why
		s.mu.Lock()
		s.interrupt = nil
		s.mu.Unlock()
		interrupt()
	}()
	limits := s.limits(def)
	start, err := s.waitTurn(ctx, def, limits, why)
	if err != nil {
		return ending{}
	}
	defer start.End()

	login := s.p.session(def)
	s.mu.Lock()
	s.login = login
	s.mu.Unlock()
	d := &wire.Dialer{Def: def, Login: login, Start: start, Home: s.p.opts.Home, Lookup: s.p.opts.LookupEnv, Timing: s.p.timing.wire(), Now: s.p.env.Now}
	c, err := d.Dial(start.Context(), legacy)
	if err != nil {
		return ending{condition: s.explain(def, c, wire.GivenUp(start, err), limits)}
	}
	defer c.Close()
	c.Slow = !start.Answered()
	all := c.Lists(start.Context())
	if err := all[catalogue.Tools].Err; err != nil || start.Context().Err() != nil {
		if err == nil {
			err = context.Cause(start.Context())
		}
		return ending{condition: s.explain(def, c, wire.GivenUp(start, c.Ending(err)), limits)}
	}
	start.End()
	s.adopt(c, all, true)
	c.Go(func() { s.keepCurrent(c) })
	begun := s.p.env.Now()
	cause := s.serve(ctx, c, limits.Idle, why == outdated)
	s.dropConnection()
	life := ending{ready: s.p.env.Now().Sub(begun)}
	switch {
	case cause == errUnused:
		life.condition = condition{state: stateCached, remarks: []string{unusedRemark}}
	case cause == errListed:
		life.condition = condition{state: stateCached, remarks: []string{listedRemark}}
	case cause != nil:
		life.renewable = wire.IsRenewable(cause)
		life.condition = s.explain(def, c, c.Ending(cause), limits)
	}
	return life
}

// serve keeps the lists current while the server runs. It returns why it stopped:
//
//   - errUnused: the server has not been used for a while;
//   - errListed: it was started briefly, for its catalogue, and has no users;
//   - nil: ctx has ended;
//   - else the error that ended the connection.
func (s *server) serve(ctx context.Context, c *wire.Connection, limit time.Duration, briefly bool) error {
	settle := s.p.timing.settle
	var listed time.Time
	idle := newIdleTimer(s)
	defer idle.stop()
	if briefly && idle.over() {
		return errListed
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.used:
			idle.restart()
			continue
		case <-idle.fires():
			if idle.over() {
				return errUnused
			}
			continue
		case <-c.Lost:
			return c.Over()
		case <-c.Changed:
		}
		if s.p.env.Now().Sub(listed) > 2*settle {
			settle = s.p.timing.settle
		} else { // it has news whenever it was asked
			settle = min(2*settle, s.p.timing.calm)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(settle):
		}
		select { // changes until now are in the lists that are requested next
		case <-c.Changed:
		default:
		}
		listing, stop := context.WithTimeout(ctx, limit)
		all := c.Lists(listing)
		stop()
		switch {
		case ctx.Err() != nil:
			return nil
		case c.IsLost():
			return c.Over()
		case all[catalogue.Tools].Err != nil && c.WantsLogin():
			return c.OverBy(all[catalogue.Tools].Err)
		}
		for k := range all {
			if errors.Is(all[k].Err, context.DeadlineExceeded) {
				all[k].Err = fmt.Errorf("no answer within %s", wording.Seconds(limit))
			}
		}
		s.adopt(c, all, false)
		listed = s.p.env.Now()
	}
}

// adopt stores and shows the lists of a server. A list that could not be fetched,
// or is empty although the previous one was not, does not replace that one.
func (s *server) adopt(c *wire.Connection, all [catalogue.Kinds]wire.Listing, ready bool) {
	now := s.p.env.Now().UTC()
	s.pinning.Lock() // Accept must see what is shown
	defer s.pinning.Unlock()
	s.mu.Lock()
	def, before, was := s.def, s.unsaved, s.shown
	s.mu.Unlock()
	if before == nil {
		if before = s.p.cache.Catalogue(catalogue.KeysOf(def)); before == nil {
			before = new(catalogue.Catalogue)
		}
	}
	cat := describe(def, c, now, before)
	for k, l := range all {
		old := before.Lists[k]
		switch kind := catalogue.Kind(k); {
		case l.Err != nil:
			cat.Notes = append(cat.Notes, s.clean(def, kind.Method()+" failed, what was known before is shown: "+clean.Line(wire.WithoutAddress(l.Err).Error())))
			l.List = old
		case len(l.List.Items) == 0 && len(old.Items) > 0 && before.Command == cat.Command && (l.Asked || kind == catalogue.Tools):
			cat.Notes = append(cat.Notes, fmt.Sprintf("the server listed no %s, those known before (%d) are shown", kind, len(old.Items)))
			l.List = old
		default:
			l.List.Succeed(old, now)
		}
		if l.Note != "" {
			cat.Notes = append(cat.Notes, l.Note)
		}
		cat.Lists[k] = l.List
	}
	shown := catalogue.NewSnapshot(cat)
	shown.Share(was)
	var unsaved *catalogue.Catalogue
	if err := s.p.cache.Save(cat, shown); err != nil {
		s.p.env.Log.Warn("a catalogue cannot be saved", "server", def.Name, "err", err)
		unsaved = cat
	}
	remarks := c.Remarks(func(text string, limit int) string { return s.cleanLine(def, text, limit) })
	shown = shown.Filtered(def.Tools.And(def.Limits))
	s.mu.Lock()
	known := s.pins
	s.mu.Unlock()
	state, err := s.p.pins.Pin(known, catalogue.KeysOf(def), was, shown, now)
	if err != nil {
		s.p.env.Log.Warn("pinned definitions cannot be saved", "server", def.Name, "err", err)
	}
	s.update(func() {
		s.unsaved = unsaved
		s.shown = shown
		s.setPins(state)
		if ready {
			s.condition = condition{state: stateReady, since: s.condition.since}
			s.conn = c
			c.Slow = c.Slow && s.users == 0 // its users do not wait for another start
			select {
			case why := <-s.wanted: // this run serves the request
				if why == restartRequested {
					s.wanted <- why
				}
			default:
			}
		}
		s.condition.remarks = remarks
	})
}

// describe returns a catalogue without its lists.
func describe(d *config.Server, c *wire.Connection, now time.Time, before *catalogue.Catalogue) *catalogue.Catalogue {
	cat := &catalogue.Catalogue{About: catalogue.NewAbout(d)}
	c.Describe(&cat.About)
	cat.Time, cat.Described = now, now
	if cat.Server == before.Server && cat.Protocol == before.Protocol && cat.Instructions == before.Instructions && cat.Transport == before.Transport {
		cat.Described = before.Described
	}
	return cat
}

// explain returns the condition of a server that cannot be used.
func (s *server) explain(d *config.Server, c *wire.Connection, err error, limits supervise.Limits) condition {
	f := c.Explain(err, s.explainer(d, limits))
	return condition{state: f.State, what: f.What, fix: f.Fix, fixHere: f.FixHere, stderr: f.Stderr, remarks: f.Remarks}
}

func (s *server) explainer(d *config.Server, limits supervise.Limits) wire.Explainer {
	return wire.Explainer{
		Folder: s.summary().file, Def: d, Limits: limits, Home: s.p.opts.Home, Lookup: s.p.opts.LookupEnv,
		Clean: func(text string) string { return s.clean(d, text) },
	}
}

// clean removes secrets and control characters from a text from outside.
func (s *server) clean(d *config.Server, text string) string {
	s.mu.Lock()
	login := s.login
	s.mu.Unlock()
	hide := d.Redact
	if login != nil {
		hide = func(text string) string { return login.Redact(d.Redact(text)) }
	}
	return mask.Text(hide(clean.Text(hide(text))))
}

// cleanLine cleans and shortens a line from outside. Secrets are removed before it
// is cut, since a piece of one would stay.
func (s *server) cleanLine(d *config.Server, text string, limit int) string {
	return clean.Cut(clean.Line(s.clean(d, text)), limit)
}
