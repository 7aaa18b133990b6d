package tmux

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ctxfs/providers/terminals/record"
)

// pane is a pane that is recorded, or about to be.
type pane struct {
	listedPane
	key string // identifies it among all panes of all servers, in meta.json

	// Used only by the server's goroutine:
	owner  *client // through which its output comes
	moving bool    // the owner is about to release it
	late   int     // how often tmux did not know how its process had ended
	failed string  // why it could not be recorded, until the next attempt

	mu     sync.Mutex
	rec    *record.Recorder // nil until its backlog was recorded
	timer  *time.Timer
	closed bool
}

// chunk is how many bytes of a backlog are recorded at once.
const chunk = 64 << 10

// begin records what tmux holds of a pane: all of it, or what is new since it
// was last recorded. Before is the terminal that it was recorded to, if any.
func (p *pane) begin(c capture, o record.Options, before *record.Terminal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if p.rec != nil {
		p.write([]byte(reset)) // what is on the screen is now in the log
		p.rec.Resize(c.cols, c.rows)
		p.resume(c, logTail(p.rec.Dir()))
		return nil
	}
	o.Source, o.Pane, o.Pid, o.Name = record.Tmux, p.key, p.pid, p.name()
	o.Argv, o.Cwd, o.Cols, o.Rows = []string{p.command}, p.cwd, c.cols, c.rows
	var last []string
	if before != nil && before.Pid == p.pid && (before.Running() || before.HeaderLen == record.HeaderLen) {
		if before.Running() {
			return fmt.Errorf("process %d already records this pane of tmux, as terminal %s", before.Holder, before.ID)
		}
		o.Continue = before.ID
		last = logTail(before.Dir)
	}
	rec, err := record.New(o)
	if err != nil {
		return fmt.Errorf("pane %s of tmux is not recorded: %w", p.name(), err)
	}
	if p.rec = rec; o.Continue != "" {
		p.resume(c, last)
	} else {
		p.write(c.replayAll())
	}
	return nil
}

// resume continues after the last lines of the log.
func (p *pane) resume(c capture, log []string) {
	text, sure := c.replaySince(log)
	if !sure {
		p.write([]byte(Gap + "\r\n"))
	}
	p.write(text)
}

// output records what the pane's programs print.
func (p *pane) output(text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec != nil && !p.closed {
		p.write(text)
	}
}

func (p *pane) write(text []byte) {
	for len(text) > 0 {
		n := min(len(text), chunk)
		p.settleAt(p.rec.Write(text[:n]))
		text = text[n:]
	}
}

// settleAt has settled text written at a time, zero for none.
func (p *pane) settleAt(at time.Time) {
	switch {
	case at.IsZero():
	case p.timer == nil:
		p.timer = time.AfterFunc(time.Until(at), p.settle)
	default:
		p.timer.Reset(time.Until(at))
	}
}

func (p *pane) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec != nil && !p.closed {
		p.settleAt(p.rec.Settle(time.Now()))
	}
}

func (p *pane) resize(cols, rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec != nil && !p.closed {
		p.rec.Resize(cols, rows)
	}
}

// close ends the terminal; exit is -1 if it is unknown.
func (p *pane) close(exit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.rec != nil {
		_ = p.rec.Close(exit, "") // the files have the error
	}
}

// terminal returns the ID of its terminal, "" if it has none yet.
func (p *pane) terminal() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec == nil || p.closed {
		return ""
	}
	return p.rec.ID()
}

// recordings returns the terminals that panes were recorded to, by the key of
// the pane: the newest of each, or the one that runs.
func recordings(dir string) map[string]*record.Terminal {
	all := make(map[string]*record.Terminal)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return all // record.New reports what is wrong with the folder
	}
	for _, e := range entries {
		t, err := record.LoadState(filepath.Join(dir, e.Name()))
		if err != nil || t.Source != record.Tmux || t.Pane == "" {
			continue
		}
		if old := all[t.Pane]; old == nil || t.Running() || !old.Running() && t.Changed.After(old.Changed) {
			all[t.Pane] = t
		}
	}
	return all
}

// tailSize is how many bytes of the end of a log are compared.
const tailSize = 32 << 10

// logTail returns the last lines of a terminal's log, as far as its newest part
// has them; none if it cannot be read.
func logTail(dir string) []string {
	t, err := record.LoadState(dir)
	if err != nil {
		return nil
	}
	for i := len(t.Parts) - 1; i >= 0; i-- { // a part that has just begun has no lines
		part := t.Parts[i]
		begin := t.HeaderLen
		if part.Size <= begin {
			continue
		}
		f, err := os.Open(t.Path(part.Number))
		if err != nil {
			return nil
		}
		from := max(begin, part.Size-tailSize)
		text, err := io.ReadAll(io.NewSectionReader(f, from, part.Size-from))
		f.Close()
		if err != nil {
			return nil
		}
		lines := tail(text)
		if from > begin && len(lines) > 1 {
			lines = lines[1:] // it may have been cut
		}
		return lines
	}
	return nil
}
