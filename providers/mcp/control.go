package mcp

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
)

// Start implements fs.Starter. In the background and a few at a time, it fetches
// the catalogues that are not known or are of another configuration of their
// server. Servers with a cached catalogue start when they are used. Offline it does
// nothing.
func (p *Provider) Start() {
	p.changing.Lock()
	defer p.changing.Unlock()
	p.mu.Lock()
	idle := !p.started && !p.closed && !p.opts.Offline
	p.started = p.started || idle
	p.mu.Unlock()
	if !idle {
		return
	}
	p.begin(p.all())
	p.settleUnlessStarting()
	p.running.Go(p.prune)
	p.running.Go(p.callLog.Prepare)
}

// Reload reads the configuration files again. Servers whose configuration has not
// changed keep running; those that are no longer configured are stopped and their
// folders removed; new ones start. A file that has become unreadable leaves its
// servers unchanged; if it is ctxfs's own, no tool may be called until it is
// corrected.
func (p *Provider) Reload() {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.closed {
		return
	}
	p.apply(p.discover())
	if p.hasStarted() {
		p.running.Go(p.prune)
	}
}

// Restart restarts a server, named by its folder or by its entry; "" restarts all
// that can be started, a few at a time. Instances for projects and sessions are
// stopped: they start when they are used. It does not wait for the start, and may be
// called whether or not Start was.
func (p *Provider) Restart(name string) error {
	if name == "" {
		for _, s := range p.all() {
			if err := p.ensureBegun(s); errors.Is(err, errNotHere) {
				return err
			}
			s.stopPlaced()
			_ = s.main.Restart(instance.Unrequested) // those that cannot be started say so in STATUS.md
		}
		return nil
	}
	chosen, err := p.choose(name)
	if err != nil {
		return err
	}
	var errs []error
	for _, s := range chosen {
		err := p.ensureBegun(s)
		if err == nil && !(s.stopPlaced() && s.wantsProject()) {
			err = s.main.Restart(instance.RestartRequested)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Busy reports whether a server is starting, or installing what it needs, or calls
// are under way.
func (p *Provider) Busy() bool {
	if p.isCalling() {
		return true
	}
	for _, s := range p.all() {
		if instance.IsStarting(s.summary().condition.State) {
			return true
		}
	}
	return false
}

// storeIdle applies the configured time after which unused servers are stopped.
func (p *Provider) storeIdle(idle time.Duration) {
	if p.idle.Swap(int64(idle)) == int64(idle) {
		return
	}
	for _, s := range p.all() {
		s.main.Touch()
	}
}

// choose returns the servers with a name: the one whose folder has it, or else
// those whose entries have it.
func (p *Provider) choose(name string) ([]*server, error) {
	var known []string
	var chosen []*server
	for _, s := range p.all() {
		called := s.names()
		known = append(known, called...)
		if slices.Contains(called, name) {
			chosen = append(chosen, s)
		}
	}
	// A folder's name takes precedence over that of another server's entry.
	if i := slices.IndexFunc(chosen, func(s *server) bool { return s.summary().file == name }); i >= 0 {
		chosen = chosen[i : i+1]
	}
	if len(chosen) == 0 {
		msg := fmt.Sprintf("no server is called %q", clean.Line(name))
		if meant := nearest.Of(name, known); meant != "" {
			return nil, fmt.Errorf("%s; did you mean %q?", msg, clean.Line(meant))
		}
		return nil, fmt.Errorf("%s; list them: ctxfs ls mcps", msg)
	}
	return chosen, nil
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.changing.Lock()
	p.closed = true
	all := slices.Concat(p.all(), slices.Collect(maps.Values(p.leaving)))
	p.changing.Unlock()
	p.stopCalls()
	p.sup.Finish()
	for _, s := range all {
		s.end(instance.Closing)
	}
	for _, s := range all {
		<-s.gone
		s.log.Close()
	}
	p.samples.close()
	p.running.Wait()
	p.questions.Close()
	p.sampling.Close()
	p.logins.Close()
	p.sup.Close()
	p.shown.mu.Lock()
	defer p.shown.mu.Unlock()
	if p.shown.settled != nil {
		p.shown.settled.Stop()
	}
	return nil
}

func (p *Provider) hasStarted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

// apply replaces the set of servers: those with the same definition keep running,
// others are stopped and their folders removed, new ones start.
func (p *Provider) apply(all *clients.Discovery) {
	defs := all.Servers
	for id, s := range p.leaving {
		select {
		case <-s.gone:
			delete(p.leaving, id)
		default:
		}
	}
	old := make(map[string]*server)
	for _, s := range p.all() {
		old[s.def.Identity()] = s
	}
	files := clients.FolderNames(defs)
	remarks := namesakes(defs, files)
	servers := make([]*server, len(defs))
	var fresh []*server
	var making sync.WaitGroup // catalogues are large, and a mount waits for them
	cores := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, d := range defs {
		id := d.Identity()
		s := old[id]
		if s != nil && s.def.Unchanged(d) {
			delete(old, id)
			s.setDefinition(d, files[i], remarks[i])
			s.redefine(d)
			servers[i] = s
			continue
		}
		cores <- struct{}{}
		making.Go(func() {
			defer func() { <-cores }()
			servers[i] = newServer(p, d, files[i], remarks[i])
			servers[i].replaces = s != nil && s.main.Begun()
		})
	}
	making.Wait()
	started := p.hasStarted()
	for _, s := range servers {
		if !s.main.Begun() && (started || s.replaces) {
			fresh = append(fresh, s)
		}
	}
	for id, s := range old {
		s.end(instance.Reconfigured)
		p.leaving[id] = s
	}
	p.mu.Lock()
	p.servers, p.problems, p.files = servers, all.Problems, p.finder.WatchedFiles(all)
	p.mu.Unlock()
	p.publishFolders()
	p.begin(fresh)
}

// begin starts the goroutines of servers, each after the server that it replaces
// has ended. Servers whose catalogue is not known start; the others wait until they
// are used.
func (p *Provider) begin(servers []*server) {
	for _, s := range servers {
		if !s.def.Startable() || s.main.Begun() {
			continue
		}
		var before <-chan struct{}
		if l := p.leaving[s.def.Identity()]; l != nil {
			before = l.gone
		}
		why := instance.NoReason
		if s.wantsStart() {
			why = instance.Unrequested
		}
		s.main.Begin(before, why)
	}
}

// prune removes the cached catalogues of servers that are no longer configured,
// unless their file cannot be read.
func (p *Provider) prune() {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.closed {
		return
	}
	configured := make(map[catalogue.Key]bool)
	for _, s := range p.all() {
		for _, k := range catalogue.KeysOf(s.def) {
			configured[k] = true
		}
	}
	keep := func(k catalogue.Key) bool {
		file, _, _ := strings.Cut(k.Origin, "\x00")
		return configured[k] || !p.finder.WasRead(file)
	}
	p.cache.Prune(keep)
}

// namesakes returns remarks for servers whose names become the same file name:
// each names the others and where they are configured.
func namesakes(defs []*config.Server, files []string) [][]string {
	groups := make(map[string][]int)
	for i, file := range files {
		base, _, _ := strings.Cut(strings.ToLower(file), "~")
		groups[base] = append(groups[base], i)
	}
	remarks := make([][]string, len(defs))
	for _, group := range groups {
		for _, i := range group {
			for _, j := range group {
				if i != j {
					remarks[i] = append(remarks[i], fmt.Sprintf("%s is another server of this name, %s in %s",
						files[j], defs[j].QuotedName(), defs[j].File))
				}
			}
		}
	}
	for i, d := range defs {
		for _, other := range d.AlsoIn {
			remarks[i] = append(remarks[i], fmt.Sprintf("%s configures the same server as %q", other.File, clean.Line(other.Name)))
		}
	}
	return remarks
}

// names returns the names by which commands know the server, that of its folder
// first.
func (s *server) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	called := []string{s.file}
	for _, from := range s.def.Sources() {
		called = append(called, from.Name)
	}
	return called
}
