// Package drop is a folder in which files are created to have something done: an inbox.
//
// drop.go is the folder, draft.go a file of JSON that is being written, text.go one of any
// text, result.go what came of it.
package drop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	iofs "io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/jsonscan"
)

// Default limits of a [Folder].
const (
	DefaultMaxBody     int64 = 64 << 20
	defaultKeep              = 1000
	defaultWorkTimeout       = 10 * time.Minute
)

// keepAtLeast is the minimum time for which an outcome is kept, however many there
// are: the program that created the file can rely on it.
const keepAtLeast = 10 * time.Minute

const resultSuffix = ".result"

// Outcome is the result of a file that was put into an inbox. Encoded as a JSON
// object it is the text of the result file. The [Work] that returns it must
// sanitize its text.
type Outcome struct {
	OK bool `json:"ok"`
	// Text is the answer as text, for people and models.
	Text string `json:"text,omitempty"`
	// Structured is the answer for programs.
	Structured json.RawMessage `json:"structured,omitempty"`
	// File is the path of a file with the whole answer if that is too long to be
	// included here.
	File string `json:"file,omitempty"`
	// Misfit is one sentence about how the answer differs from what was
	// promised, whether or not OK is true; "" if it does not.
	Misfit string `json:"misfit,omitempty"`
	// Note is one sentence about how the work was done that its requester may not
	// expect, whether or not OK is true, or "".
	Note string `json:"note,omitempty"`
	// Error is one sentence about why OK is false, and the fix.
	Error string `json:"error,omitempty"`
}

// Work does what a file in an inbox requests. It returns soon after ctx ends.
type Work func(ctx context.Context) Outcome

// Options are the settings of a [Folder].
type Options struct {
	// Accept checks a complete body, once for each file. It decides at once, from
	// memory and what it must look at on disk. If it fails, its error is returned from the write
	// (ErrInvalid: this is not what the inbox takes) and becomes the file's
	// result. Otherwise it returns the work, which then runs in a goroutine of
	// its own. Ctx ends with the drop and not with the writer, which may be
	// interrupted. From is where the program that created the file stood when it
	// did; another one may have written the body. The body must not be modified.
	Accept func(ctx context.Context, name string, from fs.Standpoint, body []byte) (Work, error)
	// AgentOf returns the agent and the session that a process belongs to, for From. It is
	// called when a file is created: when that is complete, its program may have ended. It
	// may be nil.
	AgentOf func(pid int) (agent, session string)
	// Text takes any text instead of one JSON object. Nothing in a text says where
	// it ends: it is complete when no program has the file open, or when nothing
	// was written for the time Quiet. Faults in it are reported in its result only;
	// a write after it was taken fails.
	Text bool
	// Quiet is for texts; 0 means a second.
	Quiet time.Duration
	// Confined takes files also of programs that may only read, and leaves it to Accept
	// to refuse what writes. Otherwise they can create none.
	Confined bool
	// Extension is the extension of the names that are accepted; the name of a
	// result has ".result" instead. With "" any name is accepted.
	Extension string
	// Static are further nodes that explain the folder, such as a README.md.
	Static map[string]fs.Node
	// Now is the clock.
	Now func() time.Time
	// Changed is called with the name of every result that was added, changed or
	// removed; it only enqueues. It may be nil.
	Changed func(name string)
	// WorkTimeout bounds the work on one file; 0 means defaultWorkTimeout.
	WorkTimeout time.Duration
	// MaxBody bounds a file in bytes; 0 means DefaultMaxBody.
	MaxBody int64
	// Keep is how many finished outcomes are kept, the newest ones; those of the
	// last ten minutes are kept in any case. 0 means defaultKeep.
	Keep int
}

// Folder is an [Inbox] in memory. A file that is created in it is never shown:
// its body goes to Accept, and its outcome becomes the file <name>.result (see
// Extension). The result can be looked up as soon as the file was created, and is
// listed when the outcome is there. From then on the name may be used again; the
// new result replaces the old one.
type Folder struct {
	opts Options
	ctx  context.Context // of all work
	end  context.CancelFunc
	work cell.Group

	mu       sync.Mutex
	closed   bool
	results  map[string]*result // by the name of the request, without the extension
	finished []*result          // oldest first
	drafts   map[slotted]struct{}
	sorted   []fs.Entry // nil after a change, made again by List
	modTime  time.Time
	born     int64
	number   uint64
}

var _ fs.Inbox = (*Folder)(nil)

// New returns an empty inbox. Close ends it.
func New(opts Options) *Folder {
	opts.WorkTimeout = cmp.Or(opts.WorkTimeout, defaultWorkTimeout)
	opts.MaxBody = cmp.Or(opts.MaxBody, DefaultMaxBody)
	opts.Quiet = cmp.Or(opts.Quiet, defaultQuiet)
	opts.Keep = cmp.Or(opts.Keep, defaultKeep)
	opts.Static = maps.Clone(opts.Static)
	if opts.Changed == nil {
		opts.Changed = func(string) {}
	}
	ctx, end := context.WithCancel(context.Background())
	now := opts.Now()
	return &Folder{
		opts: opts, ctx: ctx, end: end,
		results: make(map[string]*result), drafts: make(map[slotted]struct{}),
		modTime: now, born: now.UnixNano(),
	}
}

// Close ends all work and waits for it. Unfinished requests get an outcome that
// says so. Afterwards results can still be read, and nothing can be created.
func (d *Folder) Close() error {
	d.mu.Lock()
	d.closed = true
	drafts := slices.Collect(maps.Keys(d.drafts))
	d.mu.Unlock()
	d.end()
	for _, w := range drafts {
		w.Abandon()
	}
	d.work.Wait()
	return nil
}

// Attr implements Node.
func (d *Folder) Attr(context.Context) (fs.Attr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return fs.Attr{Mode: iofs.ModeDir | 0o755, ModTime: d.modTime, Version: uint64(d.modTime.UnixNano()), Live: true}, nil
}

// Lookup implements Dir. A result exists from the moment its file was created.
func (d *Folder) Lookup(_ context.Context, name string) (fs.Node, error) {
	if n, ok := d.opts.Static[name]; ok {
		return n, nil
	}
	asked, ok := strings.CutSuffix(name, resultSuffix)
	if !ok {
		return nil, fs.ErrNotExist
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r, ok := d.results[asked]; ok {
		return r, nil
	}
	return nil, fs.ErrNotExist
}

// List implements Dir. It lists finished results only.
func (d *Folder) List(context.Context) ([]fs.Entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sorted == nil {
		d.sorted = make([]fs.Entry, 0, len(d.opts.Static)+len(d.finished))
		for name, n := range d.opts.Static {
			d.sorted = append(d.sorted, fs.Entry{Name: name, Type: typeOf(n)})
		}
		for _, r := range d.finished {
			d.sorted = append(d.sorted, fs.Entry{Name: r.name + resultSuffix})
		}
		slices.SortFunc(d.sorted, func(a, b fs.Entry) int { return cmp.Compare(a.Name, b.Name) })
	}
	return d.sorted, nil
}

// Create implements Inbox.
func (d *Folder) Create(_ context.Context, name string, from fs.Standpoint) (fs.Draft, error) {
	if from.Confined != nil && !d.opts.Confined {
		return nil, from.Confined
	}
	if err := checkDropName(name); err != nil {
		return nil, err
	}
	base, ok := strings.CutSuffix(name, d.opts.Extension)
	if !ok || base == "" {
		return nil, fmt.Errorf("%w: names end in %s here", fs.ErrInvalid, d.opts.Extension)
	}
	if d.opts.AgentOf != nil {
		from.Agent, from.Session = d.opts.AgentOf(from.PID)
	}
	w, err := d.create(name, base, from)
	if err != nil {
		return nil, err
	}
	d.opts.Changed(base + resultSuffix)
	return w, nil
}

func (d *Folder) create(name, base string, from fs.Standpoint) (slotted, error) {
	now := d.opts.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, fmt.Errorf("%w: this inbox has been closed", fs.ErrReadOnly)
	}
	_, taken := d.opts.Static[name]
	_, hidden := d.opts.Static[base+resultSuffix]
	if taken || hidden {
		return nil, fs.ErrReadOnly
	}
	if old, ok := d.results[base]; ok {
		if !old.isFinished() {
			return nil, fmt.Errorf("%w: a file of this name is under way", fs.ErrExist)
		}
		d.finished = slices.DeleteFunc(d.finished, func(r *result) bool { return r == old })
	}
	d.number++
	r := &result{
		name: base, modTime: now, version: fs.BytesVersion(fmt.Append(nil, d.born, d.number)),
		patience: d.opts.WorkTimeout + fs.DefaultDeadline, finished: make(chan struct{}),
	}
	d.results[base] = r
	var w slotted
	if s := (slot{name: name, from: from, result: r}); d.opts.Text {
		w = &textDraft{drop: d, slot: s}
	} else {
		w = &draft{drop: d, slot: s}
	}
	d.drafts[w] = struct{}{}
	d.changed(now)
	return w, nil
}

// slot is what a file being written is, whatever it takes: its name, who creates it,
// and where its outcome goes.
type slot struct {
	name   string
	from   fs.Standpoint
	result *result
}

func (s *slot) slotOf() *slot { return s }

// slotted is a [Draft] with its slot.
type slotted interface {
	fs.Draft
	slotOf() *slot
}

// checkDropName rejects names that no request can have: those that editors and
// shells use for temporary files, those of results, and unprintable ones.
func checkDropName(name string) error {
	switch {
	case name == "" || strings.ContainsRune(name, '/') || len(name)+len(resultSuffix) > 255:
		return fmt.Errorf("%w: not a file name that can be used here", fs.ErrInvalid)
	case strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasSuffix(name, resultSuffix):
		return fmt.Errorf("%w: names of this kind are not accepted here", fs.ErrInvalid)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%w: the name holds what cannot be printed", fs.ErrInvalid)
	}
	return nil
}

// start runs the work for w. It is called once for each draft, and so is finish.
func (d *Folder) start(w slotted, work Work) {
	d.work.Go(func() {
		ctx, cancel := context.WithTimeout(d.ctx, d.opts.WorkTimeout)
		defer cancel()
		var o Outcome
		if err := fs.Guard(func() error { o = work(ctx); return nil }); err != nil {
			o = Outcome{Error: err.Error()}
		}
		d.finish(w, o)
	})
}

// finish publishes the outcome.
func (d *Folder) finish(w slotted, o Outcome) {
	body, err := jsonscan.Line(o)
	if err != nil { // Structured is not JSON
		body, _ = jsonscan.Line(Outcome{Error: fmt.Sprintf("%v: the outcome cannot be written down: %v", fs.ErrBroken, err)})
	}
	now := d.opts.Now()
	d.mu.Lock()
	delete(d.drafts, w)
	result := w.slotOf().result
	result.publish(now, body)
	d.finished = append(d.finished, result)
	dropped := d.trim(now)
	d.changed(now)
	d.mu.Unlock()

	d.opts.Changed(result.name + resultSuffix)
	for _, r := range dropped {
		d.opts.Changed(r.name + resultSuffix)
	}
}

func typeOf(n fs.Node) iofs.FileMode {
	if _, ok := n.(fs.Dir); ok {
		return iofs.ModeDir
	}
	return 0
}

// trim removes the oldest outcomes beyond those that are kept.
func (d *Folder) trim(now time.Time) (dropped []*result) {
	for len(d.finished) > d.opts.Keep && now.Sub(d.finished[0].doneAt()) >= keepAtLeast {
		dropped = append(dropped, d.finished[0])
		delete(d.results, d.finished[0].name)
		d.finished[0] = nil
		d.finished = d.finished[1:]
	}
	return dropped
}

// changed advances the modification time even if the clock has not moved.
func (d *Folder) changed(now time.Time) {
	d.sorted = nil
	if !now.After(d.modTime) {
		now = d.modTime.Add(time.Nanosecond)
	}
	d.modTime = now
}
