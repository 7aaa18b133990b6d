package exec

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/providers/exec/command"
	"ctxfs/providers/exec/pattern"
	"ctxfs/providers/internal/mask"
)

// folder is one table of the configuration: a folder of the tree, its outputs, and the
// commands that run for it.
type folder struct {
	*settingsOf
	p      *Provider
	ctx    context.Context // until it is closed
	cancel context.CancelFunc
	known  *mask.Known // the secrets in the environment of its commands
	store  *store
	slots  chan struct{} // as many elements as commands run
	shown  atomic.Pointer[shown]
	// places are the lines of the paths in config.toml as it is now.
	places atomic.Pointer[map[string]int]
	// refreshing is held by the refresh that is under way.
	refreshing sync.Mutex
	publishing sync.Mutex // held while changes are shown and told

	mu        sync.Mutex
	outputs   map[string]*output
	runs      map[string]uint64 // how often the command for a path has run in this process
	flights   map[string]*flight
	refreshed refreshed
	broken    error       // why the last output could not be stored
	expiry    *time.Timer // publishes when the next output expires
	soon      *time.Timer // publishes what a refresh has fetched; nil if nothing was
	closed    bool
	work      cell.Group
}

// flight is a command that runs for all who wait for the same path.
type flight struct {
	done chan struct{}
	o    *output // nil if the provider was closed
}

func newFolder(p *Provider, s *settingsOf) *folder {
	f := &folder{
		settingsOf: s, p: p, store: &store{dir: filepath.Join(p.opts.Cache, s.name)}, slots: make(chan struct{}, s.atOnce),
		known: mask.NewKnown(command.Environ(p.opts.Environ(), s.env)), runs: make(map[string]uint64), flights: make(map[string]*flight),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	var unneeded []string
	f.outputs, unneeded = f.store.load(f.madeFor)
	if p.opts.Watch {
		f.store.clear(unneeded, p.opts.Env.Now().Add(-max(f.lifetime, readTime)))
	}
	f.refreshed = f.store.loadRefreshed()
	for dir := range f.refreshed.Listings {
		listed := func(r rule) bool { _, ok := r.path.Match(split(dir)); return ok }
		if !slices.ContainsFunc(f.listings, listed) || !f.mayBeFolder(split(dir)) {
			delete(f.refreshed.Listings, dir)
		}
	}
	f.places.Store(&s.lines)
	f.shown.Store(f.show())
	return f
}

// split returns the names on a path; none for "".
func split(name string) []string {
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// leadsOn reports whether a folder is on the path of something.
func (f *folder) leadsOn(names []string) bool {
	return f.mayBeFolder(names) && slices.ContainsFunc(slices.Concat(f.files, f.listings), func(r rule) bool {
		_, ok := r.path.MatchPrefix(names)
		return ok && (r.listing || len(names) < r.path.Depth())
	})
}

// made identifies what a rule runs.
func (f *folder) made(r *rule) string {
	return fmt.Sprintf("%x", hash(slices.Concat([]string{f.dir}, f.env, []string{""}, r.command)...))
}

func (f *folder) madeFor(name string) string {
	if r, _, ok := f.match(split(name)); ok {
		return f.made(r)
	}
	return "nothing"
}

// generation returns since when the file at a path is what it is, and a number for that.
func (f *folder) generation(name string) (time.Time, uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, ran := f.p.opts.Env.Built, int64(0)
	if o := f.outputs[name]; o != nil {
		at, ran = o.Ran, o.Ran.UnixNano()
	}
	return at, hash(name, fmt.Sprint(ran, f.runs[name]))
}

// get returns the output for a path: the one that is served, or that of its command, which
// runs once for all who wait.
func (f *folder) get(ctx context.Context, name string, r *rule, values pattern.Values) (*output, error) {
	f.mu.Lock()
	if o := f.outputs[name]; o != nil && f.p.opts.Env.Now().Before(o.ends(f.lifetime)) {
		f.mu.Unlock()
		return o, nil
	}
	fl := f.begin(name, r, values, false)
	f.mu.Unlock()
	if fl == nil {
		return nil, fs.ErrInterrupted
	}
	select {
	case <-fl.done:
	case <-ctx.Done():
		return nil, fs.ContextError(ctx)
	}
	if fl.o == nil {
		return nil, fs.ErrInterrupted
	}
	return fl.o, nil
}

// begin returns the flight of a path, which it starts if necessary; nil after Close. The
// caller holds mu.
func (f *folder) begin(name string, r *rule, values pattern.Values, listed bool) *flight {
	if fl := f.flights[name]; fl != nil || f.closed {
		return fl
	}
	fl := &flight{done: make(chan struct{})}
	f.flights[name] = fl
	f.work.Go(func() {
		defer close(fl.done)
		defer func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.flights, name)
		}()
		defer f.store.lock(f.ctx, name)()
		var text []byte
		if !listed {
			fl.o = f.elsewhere(name, r)
		}
		fetched := fl.o != nil
		if !fetched {
			fl.o, text = f.run(name, r, values)
		}
		func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			switch o := fl.o; {
			case o == nil:
			case fetched:
				f.outputs[name] = o
				f.runs[name]++
			default:
				o.Listed = listed || r.fixed() || f.outputs[name] != nil && f.outputs[name].Listed
				f.put(o, text)
			}
			if listed {
				f.publishSoon()
			}
		}()
		if !listed {
			f.publish()
		}
	})
	return fl
}

// put stores an output in the place of the one before. The caller holds mu.
func (f *folder) put(o *output, text []byte) {
	old := f.outputs[o.Path]
	if old != nil && o.Failed != "" {
		o.Good = old.Good
		if old.Failed == "" {
			o.Good = &old.Body
		}
	}
	if o.Failed != "" {
		text = f.failure(o, text)
	}
	f.broken = f.store.save(o, text)
	f.outputs[o.Path] = o
	f.runs[o.Path]++
	if old != nil {
		f.store.retire(old, o, o.Ran)
	}
	f.prune(o.Ran)
}

// The limits of what is kept of one folder: how many outputs, and how many bytes, on disk
// and of those that could only be kept in memory.
const (
	maxOutputs = 5000
	maxOnDisk  = 1 << 30
	maxInRAM   = 64 << 20
)

// prune drops the oldest outputs beyond the limits. The caller holds mu.
func (f *folder) prune(now time.Time) {
	var onDisk, inRAM int64
	for _, o := range f.outputs {
		for _, b := range o.bodies() {
			onDisk += b.Size
			inRAM += int64(len(b.kept))
		}
	}
	for len(f.outputs) > 1 && (len(f.outputs) > maxOutputs || onDisk > maxOnDisk || inRAM > maxInRAM) {
		var oldest *output
		for _, o := range f.outputs {
			if oldest == nil || o.Ran.Before(oldest.Ran) {
				oldest = o
			}
		}
		for _, b := range oldest.bodies() {
			onDisk -= b.Size
			inRAM -= int64(len(b.kept))
		}
		f.drop(oldest, now)
	}
}

// drop removes an output. The caller holds mu.
func (f *folder) drop(o *output, now time.Time) {
	delete(f.outputs, o.Path)
	f.runs[o.Path]++
	f.store.retire(o, nil, now)
}

// close ends what runs for the folder, and waits for it.
func (f *folder) close() {
	f.cancel()
	f.mu.Lock()
	f.closed = true
	for _, timer := range []*time.Timer{f.expiry, f.soon} {
		if timer != nil {
			timer.Stop()
		}
	}
	f.mu.Unlock()
	f.work.Wait()
}
