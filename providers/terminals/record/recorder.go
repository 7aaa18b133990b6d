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
	"ctxfs/providers/terminals/grid"
)

// Where a terminal comes from.
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
	// secrets in them hidden: text itself where there are none. It keeps the
	// number of lines and does not keep text. The last line may lack its line
	// feed; it goes on in the next text.
	Mask(text []byte) []byte
	// Again is the same for lines that show the end of the stream once more, of
	// which the first may lie within a secret of several lines.
	Again(text []byte) []byte
	// Args returns the words of a command line with their secrets hidden.
	Args(argv []string) []string
}

// Options say what is recorded. Dir is required.
type Options struct {
	// Dir is the folder of all terminals; it is made if need be.
	Dir string
	// Name is the id that the terminal should have; "" counts one up. A name is
	// made a file name. A terminal of that name that has ended gets another one
	// ("api~2"); while it runs it keeps its name and the new one gets the other.
	Name string
	// Continue is the id of a terminal that has ended and goes on with this
	// recording, in a new part; "" begins a new one.
	Continue string
	// Source is Term, Run or Tmux.
	Source string
	// Argv is the shell or the command.
	Argv []string
	// Pid is its process, if that runs already; see Started.
	Pid int
	// Pane identifies the pane of another multiplexer; it is kept in meta.json.
	Pane string
	// Cwd is the folder it starts in.
	Cwd string
	// Cols and Rows are the size; zero counts as 80 by 24.
	Cols, Rows int
	// Pipe says that the bytes come from a pipe: a line feed also returns to
	// the first column, as a terminal would have made it.
	Pipe bool
	// Nonce authenticates the marks of the shell's integration.
	Nonce string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Mask makes what hides the secrets of a stream of text before anything is
	// written; nil hides none.
	Mask func() Masker
	// Copy gets the text of the log as it becomes final, also where that cannot be
	// written; nil gets none. What it returns does not matter.
	Copy io.Writer
	// MaxPart is the size past which a log is continued; 0 is DefaultMaxPart.
	MaxPart int64
	// Limits are those of all terminals together, looked at whenever a part
	// begins.
	Limits Limits
	// Replay writes replay.cast.
	Replay bool
}

// A Recorder writes the files of one terminal. It starts no goroutine. It is
// safe for concurrent use: one goroutine may write while another settles.
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

	seen    int64  // bytes of the grid's text that were taken
	partial []byte // of a line that is not finished
	tail    tail   // the text since the shell's last prompt
	mask    Masker // of the log; nil hides nothing
	open    *Record
	line    string // of the next command, where a mark told it
	hooked  bool   // an authentic mark was seen
	dirty   bool   // the header, and meta.json
	crlf    []byte
	closed  bool
}

// New makes a terminal's folder and its first files. The error says that the
// folder cannot be made or written; there is nothing to record to then.
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
	r.mask = r.masker()
	r.meta = Meta{
		Version: metaVersion, Name: o.Name, Source: o.Source, Argv: r.maskedArgs(o.Argv), Pid: o.Pid, Pane: o.Pane,
		Holder: os.Getpid(), HolderStart: processStart(os.Getpid()),
		Started: moment(now), Cols: o.Cols, Rows: o.Rows, Cwd: r.masked(o.Cwd), State: Idle, HeaderLen: HeaderLen,
	}
	if err := r.occupy(); err != nil {
		return nil, err
	}
	r.grid = grid.New(grid.Options{Cols: o.Cols, Rows: o.Rows, Nonce: o.Nonce, Now: o.Now})
	r.log.dir, r.log.max, r.log.header = &r.dir, o.MaxPart, r.meta.header
	r.journal.dir, r.screen.dir, r.replay.dir = &r.dir, &r.dir, &r.dir
	if err := r.log.next(); err != nil {
		r.dir.abandon(o.Continue == "")
		return nil, err
	}
	r.begin(now)
	r.store(now)
	if err := r.dir.fault; err != nil {
		r.log.close()
		r.dir.abandon(o.Continue == "")
		return nil, err
	}
	if o.Limits != (Limits{}) {
		_ = Prune(o.Dir, o.Limits, now) // what cannot be deleted stays; the provider tells
	}
	return r, nil
}

// begin begins what there is besides the log.
func (r *Recorder) begin(now time.Time) {
	if r.opts.Replay && r.opts.Continue == "" {
		r.replay.begin(now, r.meta, r.masker())
	}
	r.screen.write(now, r)
	if r.opts.Source == Run {
		r.start(now, words(r.opts.Argv), r.meta.Cwd, FromEnd)
	}
	r.dirty = true
}

// words is a command line of words.
func words(argv []string) string {
	var b bytes.Buffer
	for i, arg := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(wording.ShellWord(arg))
	}
	return b.String()
}

// ID is the name of the terminal's folder. It changes only if somebody deletes
// that and another terminal takes its place.
func (r *Recorder) ID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dir.id
}

// Dir is the terminal's folder.
func (r *Recorder) Dir() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dir.path()
}

// Started tells the process of the shell or the command.
func (r *Recorder) Started(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.meta.Pid, r.dirty = pid, true
	r.store(r.opts.Now())
}

// Write takes bytes that the terminal was sent, after it was sent them, and
// tells when Settle wants to be called: zero if there is nothing to wait for. It
// does not keep p, and never fails: what goes wrong is told by the files. Cost:
// the grid's, and one append if lines have become final.
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

// Settle writes what has settled and the screen, and tells when it wants to be
// called again. Calling it early is cheap; calling it late shows things late.
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

// earlier is the earlier of two times, of which zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Resize tells that the terminal has another size.
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

// Close ends the recording: all text is final, and a command that still runs
// has ended with that exit code (-1 if it is not known; 128 and the number of
// the signal that killed it, whose name is then given).
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
	r.meta.Exit, r.meta.Signal = known(exit), signal
	r.dirty = true
	r.dir.retryAt = time.Time{} // the last chance
	r.store(now)
	r.screen.write(now, r)
	r.replay.close(now)
	r.closed = true
	return errors.Join(r.log.close(), r.journal.close())
}

// Discard takes away a recording of what was never begun.
func (r *Recorder) Discard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.replay.end()
	_ = errors.Join(r.log.close(), r.journal.close())
	r.dir.abandon(r.opts.Continue == "")
}

// take takes what has become final from the grid, in the order of text and
// marks.
func (r *Recorder) take() {
	text, marks := r.grid.Take()
	if len(text) > 0 && r.log.deleted() {
		_ = r.anew() // store tries again, and tells why it cannot be
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
