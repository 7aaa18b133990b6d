package server

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/wire"
)

// Placed is the instance of a server for one place, started by a call. It fetches a
// catalogue only if the server does not have one yet; its own tools are shown only where
// they differ from the server's.
type Placed struct {
	s   *Server
	at  Place
	run *instance.Instance

	// The rest is guarded by the server's mu.
	def       *config.Server // as it is run there
	condition instance.Condition
	tools     *catalogue.Snapshot // what it lists; nil while that is not known
	toolCache calls.ToolCache     // of tools
	differs   differences         // of tools
	used      time.Time           // when it was last used, as of the last sample
	memory    int64               // of its processes, in bytes, rounded; 0 if it is not known
}

// At returns the instance of the server for a place, which is not that of all. A new
// one begins when before is closed, unless that is nil. At is not called concurrently.
func (s *Server) At(at Place, before <-chan struct{}) *Placed {
	s.mu.Lock()
	x, d := s.placed[at], s.def
	s.mu.Unlock()
	if x != nil {
		if !x.run.HasEnded() {
			return x
		}
		before = x.run.Done()
	}
	x = &Placed{s: s, at: at, def: d.In(at.Project), condition: instance.Condition{State: instance.StateStopped, Since: s.o.Env.Now()}}
	x.run = instance.New(s.o.Instances, instance.Owner{
		Name: s.Folder, Definition: x.definition, Dialer: x.dialer, Clean: s.Clean,
		Kinds: x.kinds, Listed: x.adopt, Changed: s.showing(&x.condition, &x.memory), Pool: s.o.Pool, Rested: x.rested,
	}, x.condition)
	s.mu.Lock()
	s.placed[at] = x
	s.mu.Unlock()
	x.run.Begin(before, instance.NoReason)
	return x
}

// Use uses the instance, and starts it if necessary: see [instance.Instance.Use].
func (x *Placed) Use(ctx context.Context, w instance.Waiting) (*instance.Session, error) {
	return x.run.Use(ctx, w)
}

// maxFailed is the number of instances of a server that do not run and are kept
// because they show why.
const maxFailed = 8

func (x *Placed) definition() *config.Server {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	return x.def
}

// dialer returns how the instance connects: with the project as its only root.
func (x *Placed) dialer(d *config.Server) *wire.Dialer {
	dialer := x.s.dialer(d)
	dialer.Roots = []string{}
	if x.at.Project != "" {
		dialer.Roots = []string{x.at.Project}
		dialer.Log = x.s.logTo(x.at.Project)
	}
	return dialer
}

// kinds returns which lists are fetched: those of tools where the server has a
// catalogue, else all.
func (x *Placed) kinds() []catalogue.Kind {
	if x.s.IsKnown() {
		return []catalogue.Kind{catalogue.Tools}
	}
	return nil
}

// adopt takes the lists of the instance: as the catalogue of a server without one,
// and to compare its tools with it.
func (x *Placed) adopt(c *wire.Connection, all [catalogue.Kinds]wire.Listing, publish func(show func())) {
	s := x.s
	s.mu.Lock()
	shown, d := s.shown, s.def
	s.mu.Unlock()
	if err := all[catalogue.Tools].Err; err != nil { // its tools are those before
		publish(func() {})
		return
	}
	cat := &catalogue.Catalogue{About: catalogue.NewAbout(d)}
	cat.Lists[catalogue.Tools] = all[catalogue.Tools].List
	tools := catalogue.NewSnapshot(cat)
	if shown == nil {
		s.adopt(c, all, func(show func()) { publish(func() { show(); x.tools = tools }) })
		return
	}
	tools.ShareTools(shown)
	publish(func() { x.tools = tools })
}

// rested forgets the instance, which neither runs nor is used. One that has failed
// stays, so that it shows why.
func (x *Placed) rested() {
	s := x.s
	s.mu.Lock()
	forget := []*Placed{x}
	if x.condition.Failing() {
		forget = nil
		var failed []*Placed
		for _, o := range s.placed {
			if o.condition.Failing() {
				failed = append(failed, o)
			}
		}
		if over := len(failed) - maxFailed; over > 0 {
			slices.SortFunc(failed, func(a, b *Placed) int { return a.condition.Since.Compare(b.condition.Since) })
			forget = failed[:over]
		}
	}
	s.mu.Unlock()
	for _, o := range forget {
		o.forget()
	}
}

// forget removes an instance that neither runs nor is used.
func (x *Placed) forget() {
	if !x.run.EndAtRest() {
		return // it is used again
	}
	s := x.s
	s.update(func() {
		if s.placed[x.at] == x {
			delete(s.placed, x.at)
		}
	})
}

// places returns the instances of the server besides the shared one, in the order of
// their places. The caller holds mu.
func (s *Server) places() []*Placed {
	return slices.SortedFunc(maps.Values(s.placed), func(a, b *Placed) int {
		return cmp.Or(strings.Compare(a.at.Project, b.at.Project), strings.Compare(a.at.Session, b.at.Session))
	})
}

// stopPlaced ends the runs of all instances besides the shared one, and reports
// whether there are any.
func (s *Server) stopPlaced() bool {
	s.mu.Lock()
	all := s.places()
	s.mu.Unlock()
	for _, x := range all {
		x.run.Stop(instance.Restarted)
	}
	return len(all) > 0
}

// WantsProject reports whether the server can only run for a project.
func (s *Server) WantsProject() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.def.Disabled && s.def.Fault != nil && s.def.Fault.WantsProject
}

// redefine applies a definition of the same server to the instances besides the
// shared one: those that are run otherwise now are stopped.
func (s *Server) redefine(d *config.Server) {
	s.mu.Lock()
	all := s.places()
	s.mu.Unlock()
	for _, x := range all {
		is, was := d.In(x.at.Project), x.definition()
		s.mu.Lock()
		x.def = is
		s.mu.Unlock()
		if !was.Unchanged(is) {
			x.run.Stop(instance.Reconfigured)
		}
	}
}

// Place is whose an instance of a server is. The zero value is that of the shared
// instance.
type Place struct {
	Project string // the folder of the project, or ""
	Session string // the session of an agent; "" is all of them
}

// String names the place in a sentence.
func (at Place) String() string {
	switch {
	case at.Session == "":
		return at.Project
	case at.Project == "":
		return "session " + at.Session
	}
	return at.Project + ", session " + at.Session
}

// groupOf returns the process group of an instance that is ready, or 0.
func groupOf(i *instance.Instance) int {
	if c := i.Connection(); c != nil && c.Process != nil {
		return c.Process.Group()
	}
	return 0
}

// Groups returns the process groups of the server's instances that are ready.
func (s *Server) Groups() (groups []int) {
	for _, i := range s.Instances() {
		if group := groupOf(i); group != 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// ShowSample shows how much memory process groups use, and when the server's
// instances were last used.
func (s *Server) ShowSample(sizes map[int]int64) {
	s.mu.Lock()
	all := s.places()
	s.mu.Unlock()
	main := sizes[groupOf(s.main)]
	memory, used := make([]int64, len(all)), make([]time.Time, len(all))
	for i, x := range all {
		memory[i] = sizes[groupOf(x.run)]
		used[i], _ = x.run.LastUse()
	}
	s.mu.Lock()
	changed := rounded(main, s.memory) != s.memory
	s.memory = rounded(main, s.memory)
	for i, x := range all {
		is := rounded(memory[i], x.memory)
		changed = changed || is != x.memory || !used[i].Equal(x.used)
		x.memory, x.used = is, used[i]
	}
	s.mu.Unlock()
	if changed {
		s.Show()
	}
}

// rounded returns how much memory is shown where some is used and some was shown
// before: it stays as long as it is about right, so that STATUS.md seldom changes.
func rounded(used, before int64) int64 {
	if math.Abs(float64(used-before)) < 0.15*float64(used) || used == 0 {
		return before
	}
	unit := math.Pow10(int(math.Log10(float64(used))) - 1)
	return int64(math.Round(float64(used)/unit) * unit)
}
