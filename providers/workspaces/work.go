package workspaces

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	known "ctxfs/providers/internal/workspaces"
)

const (
	// pollTime is after what time a workspace with work in it is looked at again if not
	// every change would be noticed.
	pollTime = 10 * time.Second
	// pollIdle is after what time every workspace with work within the time asleep is: what
	// no event reports, such as a program that was installed, is seen then.
	pollIdle = 10 * time.Minute
	asleep   = 24 * time.Hour
)

// Refresh implements facts.Overview: the workspaces may be others, and pages are made again
// where others say something else.
func (p *Provider) Refresh() {
	changed := p.meet()
	p.mu.Lock()
	places := p.newestFirst()
	p.mu.Unlock()
	for _, w := range places {
		if w.hears() {
			p.mu.Lock()
			p.dueLocked(w)
			p.mu.Unlock()
		}
	}
	if changed {
		p.publish()
		p.opts.Env.Changed("")
	}
	p.poke()
}

func (p *Provider) poke() { p.worker.Poke() }

// again has the pages of a place made again.
func (p *Provider) again(w *place) {
	p.mu.Lock()
	p.dueLocked(w)
	p.mu.Unlock()
	p.poke()
}

// dueLocked has the pages of a place made again, for a caller that holds mu. It reports
// whether that is news.
func (p *Provider) dueLocked(w *place) bool {
	name := w.workspace().Name
	_, was := p.due[name]
	if !was {
		p.due[name] = time.Unix(0, w.rested.Load())
		if time.Since(p.trustAt) < hurry {
			p.due[name] = time.Time{}
		}
	}
	return !was
}

// hurry is how long after a change of trust pages follow what others say at once.
const hurry = 30 * time.Second

// trustChanged withdraws the page of a project that is not trusted any more, and has all
// pages made again now, however lately they were made: others follow what they say.
func (p *Provider) trustChanged(dir string, trusted bool) {
	p.mu.Lock()
	p.trustAt = time.Now()
	var of []*place
	for name, w := range p.places {
		p.due[name] = time.Time{}
		if w.workspace().Dir == dir {
			of = append(of, w)
		}
	}
	p.mu.Unlock()
	for _, w := range of {
		w.trustChanged(trusted)
	}
	p.poke()
}

// Settled implements fs.Settler: pages that wait are made now, and places are looked at in
// which not every change would be noticed.
func (p *Provider) Settled(ctx context.Context) error {
	if err := p.watcher.Settled(ctx); err != nil {
		return err
	}
	p.hurried.Add(1)
	defer p.hurried.Add(-1)
	p.poke()
	return p.worker.Settled(ctx)
}

// rush lets no place rest that has pages to be made.
func (p *Provider) rush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, w := range p.places {
		if _, due := p.due[name]; due || w.polled.Load() && w.age() < idle {
			p.due[name] = time.Time{}
		}
	}
}

// work makes the pages that are due, one workspace after the other.
func (p *Provider) work(ctx context.Context) {
	p.follow()
	p.lookAtProcesses(processesAge)
	if p.hurried.Load() > 0 {
		p.rush()
	}
	for ctx.Err() == nil {
		w, _ := p.next(true)
		if w == nil {
			return
		}
		w.survey(ctx)
	}
}

// mostPause returns how long it is until there is work, if nothing changes.
func (p *Provider) mostPause() time.Duration {
	w, wait := p.next(false)
	if w != nil {
		return 0
	}
	if p.isWorked() && (wait == 0 || wait > processesAge) {
		return processesAge
	}
	return cmp.Or(wait, pollIdle)
}

// next returns a place whose pages are due now, for the caller to make if take is set; or
// else how long it is until the first of them are, or 0.
func (p *Provider) next(take bool) (w *place, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for _, w := range p.newestFirst() {
		name := w.workspace().Name
		at, ok := p.due[name]
		if poll, polled := w.pollAt(); polled && (!ok || poll.Before(at)) {
			at, ok = poll, true
		}
		if ok && !at.After(now) {
			if take {
				delete(p.due, name)
			}
			return w, 0
		}
		if ok && (wait == 0 || at.Sub(now) < wait) {
			wait = at.Sub(now)
		}
	}
	return nil, wait
}

// pollAt returns when the place is looked at although nothing is known to have changed,
// if it is.
func (w *place) pollAt() (at time.Time, ok bool) {
	age, after := w.age(), pollIdle
	switch {
	case age > asleep:
		return time.Time{}, false
	case age < idle && w.polled.Load():
		after = pollTime
	}
	return wording.Later(time.Unix(0, w.rested.Load()), time.Unix(0, w.looked.Load()).Add(after)), true
}

// age returns the time since the last work there.
func (w *place) age() time.Duration { return w.p.opts.Env.Now().Sub(w.workspace().Time) }

// heard is what others say about a workspace.
type heard struct {
	remarks []facts.Remark
	trusted bool
}

// hears asks what others say about the workspace, and reports whether that is something
// else than its pages were made of.
func (w *place) hears() (news bool) {
	was := w.heard.Load()
	if was == nil {
		return false // they are yet to be made
	}
	is := w.workspace()
	trusted, err := fs.Probe(w.p.prober, is.Dir, func() (bool, error) { return w.p.opts.Trusts(is.Dir), nil })
	return err == nil && trusted != was.trusted || !slices.EqualFunc(w.p.remarks(is), was.remarks, func(a, b facts.Remark) bool {
		return a.Topic == b.Topic && a.Text == b.Text && a.Path == b.Path && a.Time.Equal(b.Time) && slices.Equal(a.Cells, b.Cells)
	})
}

// remarks returns what others say about the folders of a workspace.
func (p *Provider) remarks(w known.Workspace) (all []facts.Remark) {
	for _, dir := range w.Folders() {
		all = append(all, p.opts.Brief(dir)...)
	}
	return all
}
