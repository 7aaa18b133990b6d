package memory

import (
	"cmp"
	"errors"
	iofs "io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/memory/files"
	"ctxfs/providers/memory/read"
	"ctxfs/providers/memory/store"
)

const (
	// gather is the time between a change and the look at it, since a program that writes a
	// file changes it twice. A storm is more than stormy looks with less than calm between
	// them; in it the time after a look is share times as long as that, at least.
	gather = 10 * time.Millisecond
	calm   = time.Second
	stormy = 4
	share  = 4
	// pollPause is the time between two looks if nothing is known to have changed, and
	// unwatched the same where not everything can be watched.
	pollPause = time.Minute
	unwatched = 10 * time.Second
	// manyChanges is how many changed files are announced one by one.
	manyChanges = 500
)

// poke reports that something has changed. It only enqueues.
func (p *Provider) poke() {
	select {
	case p.poked <- struct{}{}:
	default:
	}
}

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
	p.poke()
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
	p.poke()
}

// run looks again whenever something has changed, and now and then, until Close.
func (p *Provider) run() {
	p.shown()
	var ended time.Time // the last look
	looks := 0          // without calm between them
	for {
		wait := pollPause
		switch s := p.current.Load(); {
		case s.late:
			wait = patience
		case s.unwatched:
			wait = unwatched
		}
		timer := time.NewTimer(wait)
		select {
		case <-p.poked:
		case <-timer.C:
			p.foreignDue.Store(true)
			p.oursDue.add("")
		case <-p.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
		if time.Since(ended) > calm {
			looks = 0
		}
		if !p.pause(gather) {
			return
		}
		begun := time.Now()
		p.look(false)
		ended = time.Now()
		if looks++; looks > stormy && !p.pause(share*ended.Sub(begun)) {
			return
		}
	}
}

// pause waits, and reports whether the provider is still there.
func (p *Provider) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
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
	fault := p.watchFault()
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
	poke(p.proposer.changed)
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
	if p.watcher == nil {
		return
	}
	wanted := make(map[string]bool, len(paths))
	for _, path := range paths {
		if !files.Hides(p.opts.Hide, path) {
			wanted[path] = true
		}
	}
	for path := range p.watched {
		if !wanted[path] {
			p.watcher.Remove(strings.TrimSuffix(path, "/"))
		}
	}
	for path := range wanted {
		switch dir, isDir := strings.CutSuffix(path, "/"); {
		case p.watched[path]:
		case isDir:
			p.watcher.Add(dir)
		default:
			p.watcher.AddFile(path)
		}
	}
	if !maps.Equal(wanted, p.watched) {
		p.oursDue.add("") // what was just added may have changed before it was watched
		p.again()
	}
	p.watched = wanted
}

// watchFault returns why not everything is watched, or nil.
func (p *Provider) watchFault() *fs.Problem {
	err := p.watchErr
	if p.watcher != nil {
		for _, path := range slices.Sorted(maps.Keys(p.watched)) {
			if e := p.watcher.Err(strings.TrimSuffix(path, "/")); e != nil && !errors.Is(e, iofs.ErrNotExist) && !errors.Is(e, iofs.ErrPermission) {
				err = e
				break
			}
		}
	}
	if err == nil {
		return nil
	}
	fix := watch.Fix(err)
	if fix == "" {
		fix = "nothing: they are looked for again and again"
	}
	return &fs.Problem{
		What: clean.Line("changes of memories are noticed only after up to " + wording.Seconds(unwatched) + ": " + wording.Cause(err).Error()),
		Mend: fix,
	}
}
