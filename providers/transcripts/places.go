package transcripts

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/transcripts/agents/history"
)

// place is one of an agent's folders with histories. It does not change.
type place struct {
	agent string
	history.Place
	real string // Dir with links resolved; "" where it is not there
}

// rel is the path below the place's folder, with slashes.
func (pl *place) rel(path string) (rel string, ok bool) {
	for _, dir := range []string{pl.Dir, pl.real} {
		if dir == "" {
			continue
		}
		if path == dir {
			return "", true
		}
		if rest, found := strings.CutPrefix(path, dir+"/"); found {
			return filepath.ToSlash(rest), true
		}
	}
	return "", false
}

// findPlaces asks the agents where they keep their histories.
func (p *Provider) findPlaces() (places []*place) {
	for _, a := range p.opts.Agents {
		for _, pl := range a.Places(p.machine()) {
			pl.Dir = filepath.Clean(pl.Dir)
			real, _ := filepath.EvalSymlinks(pl.Dir)
			one := &place{agent: a.Name, Place: pl, real: real}
			places = append(append(places, one), one.linked()...)
		}
	}
	return places
}

// linked are the folders that are linked into a place, as whoever moves or
// renames a project's folder does: each is a place of its own. Links that lead
// into the place, or to a folder that it lies in, are left out.
func (pl *place) linked() (places []*place) {
	if pl.NoLinks || pl.real == "" {
		return nil
	}
	entries, err := os.ReadDir(pl.real)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 || pl.Skip != nil && pl.Skip(e.Name()) {
			continue
		}
		dir := filepath.Join(pl.Dir, e.Name())
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || within(real, pl.real) || within(pl.real, real) {
			continue
		}
		if info, err := os.Stat(real); err != nil || !info.IsDir() {
			continue
		}
		prefix := e.Name() + "/"
		below := history.Place{Dir: dir, File: func(rel string) history.Format { return pl.File(prefix + rel) }}
		if pl.Skip != nil {
			below.Skip = func(rel string) bool { return pl.Skip(prefix + rel) }
		}
		places = append(places, &place{agent: pl.agent, Place: below, real: real})
	}
	return places
}

func (p *Provider) allPlaces() []*place {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.places
}

// askPlaces finds the places anew and watches those, and no others.
func (p *Provider) askPlaces() []*place {
	p.asking.Lock()
	defer p.asking.Unlock()
	places := p.findPlaces()
	p.mu.Lock()
	before := p.places
	p.places = places
	p.mu.Unlock()
	if p.watcher == nil {
		return places
	}
	for _, pl := range places {
		p.watcher.Add(pl.Dir) // first: what comes after that is told
	}
	for _, pl := range before {
		if !slices.ContainsFunc(places, func(o *place) bool { return o.Dir == pl.Dir }) {
			p.watcher.Remove(pl.Dir)
		}
	}
	return places
}

// placesMoved tells whether an agent keeps its histories elsewhere by now.
func (p *Provider) placesMoved() bool {
	return !slices.EqualFunc(p.findPlaces(), p.allPlaces(), func(a, b *place) bool { return a.agent == b.agent && a.Dir == b.Dir })
}

// lateTime is how often at most is looked at what cannot be watched.
const lateTime = 3 * time.Second

// lookAgain looks at the places that are not watched, or not wholly: there are
// more folders than the system or the watch allows, or some may not be read.
func (p *Provider) lookAgain(ctx context.Context) {
	for _, pl := range p.allPlaces() {
		if ctx.Err() != nil {
			return
		}
		if p.watcher != nil {
			if err := p.watcher.Err(pl.Dir); err == nil || isNotExist(err) {
				continue
			}
		}
		seen := make(map[string]bool)
		p.walk(ctx, pl, pl.Dir, seen)
		if ctx.Err() != nil {
			return
		}
		for _, dir := range []string{pl.Dir, pl.real} {
			if dir != "" {
				p.forget(dir, seen)
			}
		}
	}
}

// keepLooking calls lookAgain every few seconds, or as seldom as it takes for it
// to cost one part in twenty of a core.
func (p *Provider) keepLooking() {
	wait := lateTime
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		p.lookAgain(p.ctx)
		wait = max(lateTime, 20*time.Since(began))
	}
}
