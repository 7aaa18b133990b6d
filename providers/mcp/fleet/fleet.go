// Package fleet has the set of all servers: which ones the configuration wants, which of
// them run, and whom a name means.
//
// apply.go reads the configuration and changes the set by it; choose.go finds servers;
// trust.go lets projects configure servers; report.go says what is configured where;
// sample.go measures what servers use.
package fleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/server"
)

// Options are the settings of a fleet.
type Options struct {
	// Server is what all servers share, to which the fleet adds the idle time and the
	// pool of instances, FileCalls, Sample, and Running.
	Server *server.Options

	// SettingsPath is the path of ctxfs's own configuration. Approvals is the file of
	// the servers of projects that are trusted.
	SettingsPath string
	Approvals    string
	Hide         func(path string) bool
	Projects     *project.Resolver
	Trust        *trust.Store
	Root         func(dir string) string // of a project

	Sample time.Duration // between samples of what processes use; 0 takes none
	// Changed is called after the set of servers, or the name of one, has changed.
	Changed func()
}

// Fleet is the set of all servers. It is safe for concurrent use.
type Fleet struct {
	o       Options
	running cell.Group
	samples sampler

	// changing is held while the set of servers changes. Only then is the finder
	// used, and are the next two written.
	changing sync.Mutex
	finder   *clients.Finder
	leaving  map[string]*server.Server // by identity: servers that were replaced or removed and may still run
	closed   bool

	idle      atomic.Int64 // nanoseconds after which an unused server is stopped; 0 is never
	policy    atomic.Pointer[policy.Policy]
	fileCalls atomic.Bool // [mcp] file_calls
	idleRules ineffectiveRules

	mu       sync.Mutex
	started  bool
	servers  []*server.Server // in the order in which they got their names
	problems []fs.Problem
	files    []string // that configure servers, there or not
}

// New returns a fleet without servers: Reload reads the configuration.
func New(o Options) *Fleet {
	f := &Fleet{o: o, leaving: make(map[string]*server.Server)}
	f.samples.every, f.samples.take = o.Sample, f.sample
	s := o.Server
	s.Instances.Idle = func() time.Duration { return time.Duration(f.idle.Load()) }
	s.Pool, s.FileCalls, s.Sample, s.Running = instance.NewPool(0), f.fileCalls.Load, f.samples.soon, &f.running
	f.finder = clients.New(clients.Options{Home: s.Home, Environ: s.Environ, Hide: o.Hide, Approvals: o.Approvals, Remembered: f.remembered})
	return f
}

// Start lets servers run, and reports whether it has: it does nothing offline, and when
// called again. In the background and a few at a time, the catalogues are fetched that
// are not known or are of another configuration of their server. Servers with a cached
// catalogue start when they are used.
func (f *Fleet) Start() bool {
	f.changing.Lock()
	defer f.changing.Unlock()
	f.mu.Lock()
	idle := !f.started && !f.closed && !f.o.Server.Offline
	f.started = f.started || idle
	f.mu.Unlock()
	if idle {
		f.begin(f.All())
		f.running.Go(f.prune)
	}
	return idle
}

// Close ends all servers, and waits for them.
func (f *Fleet) Close() {
	f.changing.Lock()
	f.closed = true
	all := slices.Concat(f.All(), slices.Collect(maps.Values(f.leaving)))
	f.changing.Unlock()
	f.o.Server.Instances.Sup.Finish()
	for _, s := range all {
		s.End(instance.Closing)
	}
	for _, s := range all {
		s.Close()
	}
	f.samples.close()
	f.running.Wait()
}

// Reload reads the configuration files again. Servers whose configuration has not
// changed keep running; those that are no longer configured are stopped and their
// folders removed; new ones start. A file that has become unreadable leaves its
// servers unchanged; if it is ctxfs's own, no tool may be called until it is
// corrected.
func (f *Fleet) Reload() {
	f.changing.Lock()
	defer f.changing.Unlock()
	if f.closed {
		return
	}
	f.apply(f.discover())
	if f.hasStarted() {
		f.running.Go(f.prune)
	}
}

// Restart restarts a server, named by its folder or by its entry; "" restarts all
// that can be started, a few at a time. Instances for projects and sessions are
// stopped: they start when they are used. It does not wait for the start, and may be
// called whether or not Start was.
func (f *Fleet) Restart(name string) error {
	if name == "" {
		for _, s := range f.All() {
			if err := f.EnsureBegun(s); errors.Is(err, ErrNotHere) {
				return err
			}
			_ = s.Restart(instance.Unrequested) // those that cannot be started say so in STATUS.md
		}
		return nil
	}
	chosen, err := f.Choose(name)
	if err != nil {
		return err
	}
	var errs []error
	for _, s := range chosen {
		if err = f.EnsureBegun(s); err == nil {
			err = s.Restart(instance.RestartRequested)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Use uses the instance of a server for a place, starts it if necessary, and keeps it
// running until the session is released. It may be called whether or not Start was.
// Placed is nil if the instance is the one that all share. Errors are those of
// [instance.Instance.Use], and ErrNotHere.
func (f *Fleet) Use(ctx context.Context, s *server.Server, at server.Place, w instance.Waiting) (*instance.Session, *server.Placed, error) {
	if at == (server.Place{}) {
		if err := f.EnsureBegun(s); err != nil {
			return nil, nil, err
		}
		session, err := s.Use(ctx, w)
		return session, nil, err
	}
	for {
		x, err := f.instanceAt(s, at)
		if err != nil {
			return nil, nil, err
		}
		session, err := x.Use(ctx, w)
		if err == instance.ErrEnded {
			continue // it was unused, and has just been forgotten
		}
		return session, x, err
	}
}

// instanceAt returns the instance of a server for a place, which is not that of all.
func (f *Fleet) instanceAt(s *server.Server, at server.Place) (*server.Placed, error) {
	f.changing.Lock()
	defer f.changing.Unlock()
	switch {
	case f.closed || f.o.Server.Offline:
		return nil, ErrNotHere
	case !slices.Contains(f.All(), s):
		return nil, instance.ErrEnded
	}
	return s.At(at, f.before(s)), nil
}

// EnsureBegun lets a server run that Start has not begun.
func (f *Fleet) EnsureBegun(s *server.Server) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	if f.closed || f.o.Server.Offline {
		return ErrNotHere
	}
	if s.Begun() {
		return nil
	}
	if slices.Contains(f.All(), s) {
		f.begin([]*server.Server{s})
	}
	if s.Definition().Startable() && !s.Begun() {
		return instance.ErrEnded
	}
	return nil
}

// ErrNotHere is the error of what would start a server where none runs.
var ErrNotHere = errors.New("ctxfs does not run servers here; start it: ctxfs mount")

// Policy returns the policy.
func (f *Fleet) Policy() *policy.Policy { return f.policy.Load() }

func (f *Fleet) hasStarted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started
}

// ConfigFiles implements fs.Watched.
func (f *Fleet) ConfigFiles() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files
}

// All returns the current servers. The slice must not be written to.
func (f *Fleet) All() []*server.Server {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.servers
}

// Summaries returns the summaries of all servers, and the problems of
// configuration files and of ineffective rules of the policy.
func (f *Fleet) Summaries() ([]server.Summary, []fs.Problem) {
	f.mu.Lock()
	servers, problems := f.servers, f.problems
	f.mu.Unlock()
	all := make([]server.Summary, len(servers))
	seen := make([]ruleTarget, len(servers))
	for i, s := range servers {
		all[i] = s.Summary()
		seen[i] = ruleTarget{s, all[i].File, all[i].Condition.State == instance.StateDisabled, all[i].Shown}
	}
	found, fresh := f.idleRules.find(f.Policy(), seen)
	if !f.o.Server.Offline {
		for _, problem := range fresh {
			f.o.Server.Env.Log.Warn("a rule of the policy has no effect", "problem", problem.What)
		}
	}
	return all, slices.Concat(problems, found)
}

// ineffectiveRules caches the problems of rules of the policy that match nothing,
// until the policy, the servers or their tools change.
type ineffectiveRules struct {
	mu       sync.Mutex
	of       *policy.Policy
	seen     []ruleTarget
	problems []fs.Problem
}

// ruleTarget is the part of a server that decides which rules are effective.
type ruleTarget struct {
	server *server.Server
	file   string
	off    bool                // it is disabled
	shown  *catalogue.Snapshot // nil where its tools are not known
}

// find returns the problems of ineffective rules, and which of them are new.
func (i *ineffectiveRules) find(by *policy.Policy, seen []ruleTarget) (all, fresh []fs.Problem) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == by && slices.Equal(i.seen, seen) {
		return i.problems, nil
	}
	before := i.problems
	i.of, i.seen, i.problems = by, seen, by.Ineffective(knownServers(seen))
	fresh = slices.DeleteFunc(slices.Clone(i.problems), func(p fs.Problem) bool { return slices.Contains(before, p) })
	return i.problems, fresh
}

func knownServers(all []ruleTarget) (known []policy.Server) {
	for _, s := range all {
		k := policy.Server{Names: s.server.Names(), Disabled: s.off}
		if s.shown != nil {
			k.Tools = s.shown.ToolNames()
		}
		known = append(known, k)
	}
	return known
}
