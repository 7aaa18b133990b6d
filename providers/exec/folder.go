package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/exec/command"
	"ctxfs/providers/exec/pattern"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
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

	mu        sync.Mutex
	outputs   map[string]*output
	runs      map[string]uint64 // how often the command for a path has run in this process
	flights   map[string]*flight
	refreshed refreshed
	broken    error // why the last output could not be stored
	expiry    *time.Timer
	closed    bool
	work      sync.WaitGroup
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
	if !p.opts.Offline {
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

// begin returns the flight of a path, which is started if there is none; nil after Close.
// The caller holds mu.
func (f *folder) begin(name string, r *rule, values pattern.Values, listed bool) *flight {
	if fl := f.flights[name]; fl != nil || f.closed {
		return fl
	}
	fl := &flight{done: make(chan struct{})}
	f.flights[name] = fl
	f.work.Go(func() {
		defer close(fl.done)
		o, text := f.run(name, r, values)
		f.mu.Lock()
		delete(f.flights, name)
		if o != nil {
			o.Listed = listed || r.fixed() || f.outputs[name] != nil && f.outputs[name].Listed
			f.put(o, text)
			fl.o = o
		}
		f.mu.Unlock()
		f.publish()
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

// publish shows what is there now, and tells what has changed.
func (f *folder) publish() {
	f.mu.Lock()
	now := f.show()
	old := f.shown.Swap(now)
	closed := f.closed
	f.mu.Unlock()
	if closed {
		return
	}
	for _, name := range changes(old, now) {
		f.p.opts.Env.Changed(path.Join(f.name, name))
	}
	f.p.fulltext.Changed()
	f.expireAt(now.next)
}

// expireAt has an expired output leave the listing.
func (f *folder) expireAt(next time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.expiry != nil {
		f.expiry.Stop()
	}
	if next.IsZero() || f.closed || f.p.opts.Offline {
		return
	}
	f.expiry = time.AfterFunc(max(next.Sub(f.p.opts.Env.Now()), time.Millisecond), func() {
		f.mu.Lock()
		if f.closed {
			f.mu.Unlock()
			return
		}
		f.work.Add(1)
		f.mu.Unlock()
		defer f.work.Done()
		f.publish()
	})
}

// close ends what runs for the folder, and waits for it.
func (f *folder) close() {
	f.cancel()
	f.mu.Lock()
	f.closed = true
	if f.expiry != nil {
		f.expiry.Stop()
	}
	f.mu.Unlock()
	f.work.Wait()
}

// run runs the command for a path when it is its turn; nil if the provider is closed.
func (f *folder) run(name string, r *rule, values pattern.Values) (*output, []byte) {
	outcome, ok := f.command(pattern.Fill(r.command, values))
	if !ok {
		return nil, nil
	}
	o := &output{Path: name, Ran: f.p.opts.Env.Now(), Made: f.made(r), Failed: f.fault(r.command[0], outcome)}
	if o.Failed == "" && clean.Binary(outcome.Stdout) {
		o.Failed = fmt.Sprintf("%s printed %s that are no text; have it print text, as base64 does", r.command[0], wording.Size(int64(len(outcome.Stdout))))
		outcome.Stdout = nil
	}
	text := outcome.Stdout
	if o.Failed != "" {
		text = outcome.Stderr
		if errors.Is(outcome.Err, command.ErrTooLarge) || len(text) == 0 {
			text = excerpt.Of(outcome.Stdout, command.MaxErrors, "")
		}
	}
	return o, f.clean(text)
}

// clean makes an output fit to be shown.
func (f *folder) clean(text []byte) []byte {
	if !clean.Safe(text) {
		text = []byte(clean.Text(string(text)))
	}
	return f.known.Masker().Mask(text)
}

// command runs a command when it is its turn; ok is false if the provider is closed.
func (f *folder) command(argv []string) (o command.Outcome, ok bool) {
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-f.ctx.Done():
		return o, false
	}
	environ := command.Environ(f.p.opts.Environ(), f.env)
	switch program, err := f.program(argv[0], environ); {
	case f.p.opts.Keeper == nil:
		o = command.Outcome{Exit: -1, Err: errors.New("the path of ctxfs is not known")}
	case err != nil:
		o = command.Outcome{Exit: -1, Err: err}
	case f.p.opts.Hide != nil && f.p.opts.Hide(f.dir):
		o = command.Outcome{Exit: -1, Err: fmt.Errorf("its folder %s is in a mount of ctxfs", f.dir)}
	default:
		o = command.Run(f.ctx, command.Spec{
			Argv: append([]string{program}, argv[1:]...), Dir: f.dir, Env: environ,
			Timeout: f.timeout, MaxSize: f.maxSize, Keeper: f.p.opts.Keeper,
		})
	}
	return o, f.ctx.Err() == nil
}

// program returns the path of a program: one with a slash is relative to the folder in
// which commands run, any other one is looked up in PATH.
func (f *folder) program(name string, environ []string) (string, error) {
	if info, err := os.Stat(f.dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("the folder %s, in which it runs, does not exist", f.dir)
	}
	name = wording.ExpandTilde(name, f.p.opts.Home)
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(f.dir, name)
		}
		return osexec.LookPath(name)
	}
	for _, entry := range environ {
		list, ok := strings.CutPrefix(entry, "PATH=")
		for _, dir := range filepath.SplitList(list) {
			if !ok || !filepath.IsAbs(dir) {
				continue
			}
			if found, err := osexec.LookPath(filepath.Join(dir, name)); err == nil {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf("no program in PATH is called %s", name)
}

// fault says on one line how a command has failed; "" if it has not.
func (f *folder) fault(program string, o command.Outcome) string {
	cause := clean.Cut(clean.Line(string(f.clean(o.Stderr))), 200)
	if of := excerpt.Cause(string(f.clean(o.Stderr))); of != "" {
		cause = clean.Cut(clean.Line(of), 200)
	}
	switch {
	case errors.Is(o.Err, command.ErrTimeout):
		return fmt.Sprintf("%s had not ended after %s, and was ended; give it more: timeout in [exec.%s]", program, duration(f.timeout), f.name)
	case errors.Is(o.Err, command.ErrTooLarge):
		return fmt.Sprintf("%s printed more than %s, and was ended; allow more: max_size in [exec.%s]", program, wording.Size(f.maxSize), f.name)
	case errors.Is(o.Err, command.ErrLost):
		return fmt.Sprintf("%s was ended, since the process of ctxfs that keeps it was killed", program)
	case o.Err != nil:
		return fmt.Sprintf("%s could not be started: %s", program, clean.Line(fs.Cause(o.Err)))
	case o.Exit != 0 && cause != "":
		return fmt.Sprintf("%s exited with %d: %s", program, o.Exit, cause)
	case o.Exit != 0:
		return fmt.Sprintf("%s exited with %d", program, o.Exit)
	}
	return ""
}

// failure returns the body of the file of a failed command: JSON where JSON is expected.
func (f *folder) failure(o *output, said []byte) []byte {
	good := ""
	if o.Good != nil {
		good = path.Base(o.Path) + goodSuffix
	}
	if ext := path.Ext(o.Path); ext == ".json" || ext == ".jsonl" {
		text, err := json.Marshal(failed{o.Failed, o.Ran, string(said), good})
		if err == nil {
			return append(text, '\n')
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ctxfs: %s\nat: %s\n", o.Failed, wording.Time(o.Ran))
	if good != "" {
		fmt.Fprintf(&b, "the last good output, of %s, is beside it: %s\n", wording.Time(o.Good.At), good)
	}
	if len(said) > 0 {
		fmt.Fprintf(&b, "it said:\n\n%s\n", strings.TrimRight(string(said), "\n"))
	}
	return []byte(b.String())
}

// failed is the body of a JSON file whose command has failed.
type failed struct {
	Error    string    `json:"error"`
	At       time.Time `json:"at"`
	Said     string    `json:"said,omitempty"`
	LastGood string    `json:"last_good,omitempty"`
}
