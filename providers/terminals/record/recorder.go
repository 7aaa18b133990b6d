package record

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/terminals/grid"
)

// The sources of a terminal.
const (
	Term = "term" // a shell, opened by ctxfs term
	Run  = "run"  // one command, by ctxfs run: the whole is its one record
	Tmux = "tmux" // a pane of tmux
)

// DefaultMaxPart is the size in bytes past which a log is continued in another
// part.
const DefaultMaxPart = 64 << 20

// Masker hides the secrets of one stream of text.
type Masker interface {
	// Mask returns the stream's next lines, each with its line feed, with the
	// secrets in them hidden; it returns text itself if it has no secrets. It keeps
	// the number of lines and does not retain text. The last line may lack its line
	// feed; it then continues in the next text.
	Mask(text []byte) []byte
	// Again is Mask for lines that show the end of the stream once more; the first
	// may lie within a secret of several lines.
	Again(text []byte) []byte
	// Args returns the words of a command line with their secrets hidden.
	Args(argv []string) []string
}

// Options are the settings of a [Recorder]. Dir is required.
type Options struct {
	// Dir is the folder of all terminals; it is created if necessary.
	Dir string
	// Name is the ID that the terminal should have; "" takes the next number. It is
	// made a file name. An ended terminal with that name is renamed ("api~2"); a
	// running one keeps its name, and the new one gets the other.
	Name string
	// Source is Term, Run or Tmux.
	Source string
	// Argv is the shell or the command.
	Argv []string
	// Pid is its process, if it runs already; see Started.
	Pid int
	// Pane identifies the pane of another multiplexer; it is stored in
	// meta.json.
	Pane string
	// Background and Tree are those of the Meta.
	Background bool
	Tree       string
	// Cwd is the folder it starts in.
	Cwd string
	// Cols and Rows are the size; zero means 80 by 24.
	Cols, Rows int
	// Pipe reports whether the bytes come from a pipe: a line feed then also
	// returns to the first column, as a terminal would have done.
	Pipe bool
	// Nonce authenticates the marks of the shell integration.
	Nonce string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Mask returns a Masker for a stream of text, applied before anything is
	// written.
	Mask func() Masker
	// Copy gets the text of the log as it becomes final, also if that cannot be
	// written; it may be nil. Its errors are ignored.
	Copy io.Writer
	// MaxPart is the size past which a log is continued; 0 means
	// DefaultMaxPart.
	MaxPart int64
	// Limits apply to all terminals together; they are enforced whenever a part
	// begins.
	Limits Limits
	// Replay reports whether replay.cast is written.
	Replay bool
}

// Recorder writes the files of one terminal. It starts no goroutine. It is safe
// for concurrent use: one goroutine may write while another settles.
type Recorder struct {
	mu   sync.Mutex
	opts Options
	grid *grid.Grid

	dir     folder
	meta    Meta
	log     log
	journal journal
	screen  screen
	replay  replay

	seen    int64  // bytes of the grid's text that were processed
	partial []byte // of an unfinished line
	tail    tail   // the text since the shell's last prompt
	mask    Masker // of the log
	open    *Record
	line    string // of the next command, if a mark had it
	hooked  bool   // an authentic mark was seen
	dirty   bool   // the header and meta.json need writing
	crlf    []byte
	closed  bool
}

// New creates a terminal's folder and its first files. An error means that the
// folder cannot be created or written: then nothing can be recorded.
func New(o Options) (*Recorder, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.MaxPart = max(cmp.Or(o.MaxPart, DefaultMaxPart), 2*HeaderLen)
	if o.Cols <= 0 || o.Rows <= 0 {
		o.Cols, o.Rows = 80, 24
	}
	now := o.Now()
	r := &Recorder{opts: o}
	r.mask = o.Mask()
	r.meta = Meta{
		Version: metaVersion, Name: o.Name, Source: o.Source, Argv: o.Mask().Args(o.Argv), Pid: o.Pid, Pane: o.Pane, Background: o.Background, Tree: o.Tree,
		Holder: os.Getpid(), HolderStart: procs.Began(os.Getpid()),
		Started: timestamp(now), Cols: o.Cols, Rows: o.Rows, Cwd: r.masked(o.Cwd), State: Idle, HeaderLen: HeaderLen,
	}
	if err := r.occupy(); err != nil {
		return nil, err
	}
	r.grid = grid.New(grid.Options{Cols: o.Cols, Rows: o.Rows, Nonce: o.Nonce, Now: o.Now})
	r.log.dir, r.log.max, r.log.header = &r.dir, o.MaxPart, r.meta.header
	r.journal.dir, r.screen.dir, r.replay.dir = &r.dir, &r.dir, &r.dir
	if err := r.log.next(); err != nil {
		r.dir.abandon()
		return nil, err
	}
	r.begin(now)
	r.store(now)
	if err := r.dir.fault; err != nil {
		r.log.close()
		r.dir.abandon()
		return nil, err
	}
	if o.Limits != (Limits{}) {
		_ = Prune(o.Dir, o.Limits, now) // what cannot be deleted stays; the provider reports it
	}
	return r, nil
}

// begin creates the parts of a recording besides the log.
func (r *Recorder) begin(now time.Time) {
	if r.opts.Replay {
		r.replay.begin(now, r.meta, r.opts.Mask())
	}
	r.screen.write(now, r)
	if r.opts.Source == Run {
		r.start(now, wording.ShellLine(r.opts.Argv), r.meta.Cwd, FromEnd)
	}
	r.dirty = true
}

// ID returns the name of the terminal's folder. It changes only if the folder is
// deleted and another terminal takes its place.
func (r *Recorder) ID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dir.id
}

// Dir returns the terminal's folder.
func (r *Recorder) Dir() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dir.path()
}

// Started sets the process of the shell or the command.
func (r *Recorder) Started(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.meta.Pid, r.dirty = pid, true
	r.store(r.opts.Now())
}

// Write records bytes that the terminal was sent, after they were sent, and
// returns when Settle should be called: zero if there is nothing to wait for.
// It does not retain p, and never fails: errors are reported in the files. It
// costs what the grid does, and one append if lines have become final.
func (r *Recorder) Write(p []byte) (next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return time.Time{}
	}
	now := r.opts.Now()
	if r.opts.Pipe {
		p = r.returns(p)
	}
	r.replay.output(now, p)
	r.grid.Write(p)
	r.screen.touch(now)
	return r.settle(now)
}

// returns puts a carriage return before every line feed.
func (r *Recorder) returns(p []byte) []byte {
	r.crlf = r.crlf[:0]
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			r.crlf = append(r.crlf, p...)
			return r.crlf
		}
		r.crlf = append(append(r.crlf, p[:i]...), "\r\n"...)
		p = p[i+1:]
	}
}

// Settle writes what has settled and the screen, and returns when it should be
// called again. An early call is cheap; a late one shows things late.
func (r *Recorder) Settle(now time.Time) (next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return time.Time{}
	}
	return r.settle(now)
}

func (r *Recorder) settle(now time.Time) (next time.Time) {
	next = r.grid.Settle(now)
	r.take()
	r.store(now)
	if r.dir.fault != nil {
		next = earlier(next, r.dir.retryAt)
	}
	next = earlier(next, r.screen.show(now, r))
	return earlier(next, r.replay.flush(now))
}

// earlier returns the earlier of two times; zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Resize sets the size of the terminal.
func (r *Recorder) Resize(cols, rows int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || cols <= 0 || rows <= 0 || cols == r.meta.Cols && rows == r.meta.Rows {
		return
	}
	now := r.opts.Now()
	r.take()
	r.meta.Cols, r.meta.Rows, r.dirty = cols, rows, true
	r.grid.Resize(cols, rows)
	r.replay.resize(now, cols, rows)
	r.screen.touch(now)
	r.settle(now)
}

// Close ends the recording: all text is final, and a command that still runs is
// recorded as ended with the exit code exit (-1 if unknown; 128 plus the number
// of the signal that killed it, whose name signal is).
func (r *Recorder) Close(exit int, signal string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	now := r.opts.Now()
	r.grid.Close()
	r.take()
	r.finishLine()
	if r.open != nil {
		if r.open.Source != FromEcho {
			r.open.Source = FromEnd
		}
		r.end(now, exit, signal)
	}
	r.meta.State, r.meta.Ended = Ended, momentOf(now)
	r.meta.Exit, r.meta.Signal = exitPointer(exit), signal
	r.dirty = true
	r.dir.retryAt = time.Time{} // the last chance
	r.store(now)
	r.screen.write(now, r)
	r.replay.close(now)
	r.closed = true
	return errors.Join(r.log.close(), r.journal.close())
}

// Discard deletes a recording of a program that was never started.
func (r *Recorder) Discard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.replay.end()
	_ = errors.Join(r.log.close(), r.journal.close())
	r.dir.abandon()
}

// take processes what has become final in the grid, in the order of text and
// marks.
func (r *Recorder) take() {
	text, marks := r.grid.Take()
	if len(text) > 0 && r.log.deleted() {
		_ = r.recreate() // store tries again, and reports the error
	}
	for _, m := range marks {
		n := m.Offset - r.seen
		r.append(text[:n])
		text, r.seen = text[n:], m.Offset
		r.mark(m)
	}
	r.append(text)
	r.seen += int64(len(text))
}
