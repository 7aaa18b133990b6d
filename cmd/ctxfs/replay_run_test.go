package main

import (
	"slices"
)

// replay is one trajectory in one arm.
type replay struct {
	*meter
	namedArm
	world *replayWorld
	seen  map[string]string // what was printed of a tool
	whole map[string]bool   // tools of which everything was printed
	ever  map[string]bool   // tools that were needed
	told  map[string]bool   // tools that a hook has named
}

// replayed is what a trajectory costs in an arm.
func (w *replayWorld) replayed(one trajectory, by namedArm, c costs) bill {
	r := &replay{
		namedArm: by, world: w, seen: make(map[string]string), whole: make(map[string]bool), ever: make(map[string]bool), told: make(map[string]bool),
	}
	r.meter = newMeter(c, w.pool.count(one.system)+by.arm.prompt(w), r.forgets)
	for _, t := range one.turns {
		for _, h := range t.heard {
			r.hears(h)
		}
		r.reads(t)
		if !by.given {
			r.looksUp(t)
		}
		output := w.pool.count(t.text)
		for _, u := range t.uses {
			output += w.pool.count(r.call(u))
		}
		r.asks(output)
	}
	return r.bill
}

// forgets is what a compaction does: loaded definitions stay, as clients keep them,
// but cost what they are; what files and lists said is gone.
func (r *replay) forgets() {
	clear(r.seen)
	clear(r.told)
	if r.loads {
		for key := range r.whole {
			r.receives(r.world.pool.count(r.world.search.definition(key)))
		}
		return
	}
	clear(r.whole)
}

// hears takes what comes in.
func (r *replay) hears(h heard) {
	text := h.text
	if r.stores && h.short != "" {
		text = h.short
	}
	r.receives(r.world.pool.count(text))
	if !r.hook || !h.user {
		return
	}
	for _, s := range r.tells(h.text) {
		r.told[keyOf(s.Match)] = true
		r.seen[keyOf(s.Match)] += s.Text
		r.receives(s.Tokens)
	}
}

// reads pays for what is read later of results that were shortened.
func (r *replay) reads(t exchange) {
	for _, text := range t.reads {
		if r.stores {
			r.asks(r.world.pool.count(readCommand))
			r.receives(r.world.pool.count(text))
		}
	}
}

// readCommand is what reads something in a result that was shortened.
var readCommand = shell(`rg -o '.{0,500}WORD.{0,500}' ` + resultPath)

const (
	// askUser and userNames are what is said when no tool was found.
	askUser   = "I cannot find a tool for this. Which tool of which server should I use?"
	userNames = "Use "
)

// looksUp finds the tools that a turn uses, as far as that is needed.
func (r *replay) looksUp(t exchange) {
	var uses []use
	for _, u := range t.uses {
		if !u.defined {
			continue
		}
		if !r.ever[u.key()] {
			r.needs++
			if r.knows(u) || r.seen[u.key()] != "" {
				r.bill.told++
			}
		}
		r.ever[u.key()] = true
		if !r.knows(u) && !slices.ContainsFunc(uses, func(other use) bool { return other.key() == u.key() }) {
			uses = append(uses, u)
		}
	}
	wants := t.wants
	if r.routed && len(t.routed) > 0 {
		wants = t.routed
	}
	for try, want := range wants {
		if r.direct || !slices.ContainsFunc(uses, r.misses) {
			break
		}
		r.searches(try, want, uses)
	}
	for _, u := range uses {
		if r.misses(u) && !r.direct {
			r.failures++
			r.asks(r.world.pool.count(askUser))
			r.receives(r.world.pool.count(userNames + u.key()))
		}
	}
	r.opens(uses)
}

// misses reports whether nothing was printed of a tool.
func (r *replay) misses(u use) bool {
	return r.seen[u.key()] == "" && !r.whole[u.key()]
}

// knows reports whether a call can be written.
func (r *replay) knows(u use) bool {
	return r.whole[u.key()] || tellsAll(r.seen[u.key()], u)
}

// searches looks for tools once.
func (r *replay) searches(try int, want string, uses []use) {
	wrote, got := r.search(r.world, want, func(key string) bool { return r.whole[key] })
	r.asks(r.world.pool.count(wrote))
	r.receives(r.world.pool.count(got.text))
	for _, u := range uses {
		if r.misses(u) && got.of[u.key()] != "" {
			r.found[try]++
		}
	}
	for key, text := range got.of {
		r.seen[key] += text
		if r.loads {
			r.whole[key] = true
		}
	}
}

// opens asks for all that there is to know of the tools of which not enough is known.
func (r *replay) opens(uses []use) {
	var keys []string
	for _, u := range uses {
		if !r.knows(u) {
			keys = append(keys, u.key())
		}
	}
	if len(keys) == 0 {
		return
	}
	wrote, got := r.open(r.world, keys)
	r.asks(r.world.pool.count(wrote))
	r.receives(r.world.pool.count(got))
	for _, key := range keys {
		r.whole[key] = true
		if r.direct {
			r.found[0]++
		}
	}
}
