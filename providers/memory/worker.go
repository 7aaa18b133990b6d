package memory

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/files"
	"ctxfs/providers/memory/read"
	"ctxfs/providers/memory/store"
)

const (
	// gather is the time between a change and the look at it, since a program that writes a
	// file changes it twice. After a look comes a pause of share times as long, and in a
	// storm of changes of up to calm.
	gather = 10 * time.Millisecond
	calm   = time.Second
	share  = 4
	// pollPause is the time between two looks if nothing is known to have changed, and
	// unwatched the same where not everything can be watched.
	pollPause = time.Minute
	unwatched = 10 * time.Second
	// manyChanges is how many changed files are announced one by one.
	manyChanges = 500
)

// changedOnDisk has what changed read again.
func (p *Provider) changedOnDisk(paths []string) {
	ours := p.ours()
	for _, path := range paths {
		if ours.Has(path) {
			p.oursDue.add(path)
		} else {
			p.foreignDue.Store(true)
		}
	}
	p.worker.Poke()
}

// pathSet is a set of paths that have changed.
type pathSet struct {
	mu    sync.Mutex
	paths []string
}

// add adds a path; "" stands for all.
func (s *pathSet) add(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = append(s.paths, path)
}

// take empties the set.
func (s *pathSet) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.paths
	s.paths = nil
	return taken
}

// readOurs reads what has changed of our own memories, or all.
func (p *Provider) readOurs(ours *store.Store, all bool) {
	const many = 200
	paths := p.oursDue.take()
	if all || len(paths) > many || slices.Contains(paths, "") {
		ours.Load()
		return
	}
	if len(paths) > 0 {
		slices.Sort(paths)
		ours.Update(slices.Compact(paths))
	}
}

// again has what agents remember read again.
func (p *Provider) again() {
	p.foreignDue.Store(true)
	p.worker.Poke()
}

// mostPause returns how long nothing is looked for unless something has changed.
func (p *Provider) mostPause() time.Duration {
	switch s := p.current.Load(); {
	case s.late:
		return patience
	case s.unwatched:
		return unwatched
	}
	return pollPause
}

// round looks at what has changed, and at everything now and then.
func (p *Provider) round(context.Context) {
	if now := p.opts.Env.Now(); now.Sub(p.lookedAll) >= p.mostPause() {
		p.lookedAll = now
		p.foreignDue.Store(true)
		p.oursDue.add("")
	}
	p.look(false)
}

// look reads what has changed, of our own memories all where that is wanted, and publishes
// it.
func (p *Provider) look(all bool) {
	p.looking.Lock()
	defer p.looking.Unlock()
	ours := p.ours()
	late := false
	_, err := fs.Probe(p.prober, ours.Dir(), func() (struct{}, error) { p.readOurs(ours, all); return struct{}{}, nil })
	own, problems := ours.All()
	if err != nil {
		late = true
		problems = []fs.Problem{{What: "the folder of memories " + clean.Line(ours.Dir()) + " does not answer"}}
	}
	if p.foreignDue.Swap(false) {
		found, err := fs.Probe(p.prober, p.opts.Home, func() (read.Found, error) { return p.reader.Read(), nil })
		if err != nil {
			late = true
			found = p.foreign
			found.Notes = []string{"what is new of agents: their folders do not answer"}
		}
		p.foreign = found
	}
	foreign := p.foreign
	p.watch(append(slices.Clip(foreign.Watch), ours.Dir()+"/"))
	fault := p.watched.Problem("changes of memories", unwatched)
	if fault != nil {
		problems = append(slices.Clip(problems), *fault)
	}
	old := p.current.Load()
	next := p.maker.snapshot(own, foreign, problems, old)
	next.unwatched, next.late = fault != nil, late
	if late {
		p.foreignDue.Store(true)
		p.oursDue.add("")
	}
	changed := next.changes(old)
	p.current.Store(next)
	if len(changed) == 0 && next.sameStatus(old) {
		return
	}
	p.publish(next, old)
	p.proposer.changed.Poke()
	if len(changed) > manyChanges {
		changed = []string{""}
	}
	for _, path := range changed {
		p.opts.Env.Changed(path)
	}
	if len(changed) == 0 {
		p.opts.Env.Changed(indexName) // the status has changed
	}
}

// publish puts what is shown into the folders, which stay the same nodes.
func (p *Provider) publish(s, old *snapshot) {
	root := map[string]fs.Node{indexName: s.index, summaryName: s.summary, inboxName: p.inbox, proposedName: p.proposer.folder}
	before := make(map[string]*section)
	if old != nil {
		for _, sec := range old.sections {
			before[sec.Name] = sec
		}
	}
	for _, sec := range s.sections {
		if p.folders[sec.Name] == nil {
			p.folders[sec.Name] = new(fs.Folder)
			before[sec.Name] = nil
		}
		root[sec.Name] = p.folders[sec.Name]
		if same := before[sec.Name]; same != nil && same.summary == sec.summary && slices.Equal(same.entries, sec.entries) {
			continue
		}
		nodes := make(map[string]fs.Node, len(sec.entries)+1)
		for _, e := range sec.entries {
			nodes[e.file] = e.node
		}
		nodes[summaryName] = sec.summary
		p.folders[sec.Name].Replace(cmp.Or(sec.modTime, p.opts.Env.Built), nodes)
	}
	for name := range p.folders {
		if root[name] == nil {
			delete(p.folders, name)
		}
	}
	p.root.Replace(cmp.Or(s.modTime, p.opts.Env.Built), root)
}

// watch watches these files, and these folders, which end with a slash, with all below
// them, and nothing else.
func (p *Provider) watch(paths []string) {
	paths = slices.DeleteFunc(paths, func(path string) bool { return files.Hides(p.opts.Hide, path) })
	if p.watched.Only(paths) {
		p.oursDue.add("") // what was just added may have changed before it was watched
		p.again()
	}
}
