package tmux

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"

	"ctxfs/providers/terminals/record"
)

// Gap is the line of a log after which output is missing.
const Gap = "[ctxfs: output may be missing here: it came faster than tmux keeps it]"

// pane is a pane that is recorded, or about to be.
type pane struct {
	listedPane
	leaving bool // its client has asked for its last output; under the client's mutex

	mu     sync.Mutex
	rec    *record.Recorder // nil until its backlog was recorded
	fault  string           // why it could not be recorded
	timer  *time.Timer
	closed bool
}

// chunk is how many bytes of a backlog are recorded at once.
const chunk = 64 << 10

// begin records what tmux holds of a pane, as it has answered.
func (p *pane) begin(first string, answers []string, ok bool, socket string, o record.Options) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, id := parseCapture(first, answers)
	if !ok || id != p.id {
		p.fault = "tmux did not return what it holds of the pane"
		return
	}
	o.Source, o.Pane, o.Pid, o.Name = record.Tmux, socket+" "+p.id, p.pid, p.name()
	o.Argv, o.Cwd, o.Cols, o.Rows = []string{p.command}, p.cwd, c.cols, c.rows
	rec, err := record.New(o)
	if err != nil {
		p.fault = fmt.Sprintf("pane %s of tmux is not recorded: %v", p.name(), err)
		return
	}
	p.rec = rec
	p.write(c.replay())
}

// state reports whether the recording is about to begin, or why it cannot, and sets the
// size.
func (p *pane) state(cols, rows int) (pending bool, fault string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec != nil && (p.cols != cols || p.rows != rows) {
		p.cols, p.rows = cols, rows
		p.rec.Resize(cols, rows)
	}
	return p.rec == nil && p.fault == "", p.fault
}

// output records what the pane's programs print.
func (p *pane) output(text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec != nil {
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
		p.timer = time.AfterFunc(time.Until(at), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if !p.closed {
				p.settleAt(p.rec.Settle(time.Now()))
			}
		})
	default:
		p.timer.Reset(time.Until(at))
	}
}

// close ends the terminal; exit is -1 if it is unknown.
func (p *pane) close(exit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.rec != nil {
		_ = p.rec.Close(exit, "") // the files have the error
	}
}

// terminal returns the ID of its terminal, or "".
func (p *pane) terminal() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec == nil || p.closed {
		return ""
	}
	return p.rec.ID()
}

// capture is what tmux holds of a pane.
type capture struct {
	alternate      int // 1 if a full-screen program has the screen
	x, y           int // the cursor
	savedX, savedY int // that of the screen beneath the program
	history        int // in rows
	cols, rows     int

	lines []string // history and screen, wrapped rows joined
	shown []string // the screen; the last of the lines, if it is not alternate
}

// captureFormat is the format of the numbers of a capture.
const captureFormat = "#{pane_id} #{alternate_on} #{cursor_x} #{cursor_y} #{alternate_saved_x} #{alternate_saved_y} " +
	"#{history_size} #{pane_width} #{pane_height}"

// captureCommands returns the commands that print the texts of a capture.
func captureCommands(pane string) []string {
	return []string{
		"capture-pane -p -J -S - -t " + pane,
		"capture-pane -p -J -t " + pane,
		"capture-pane -a -q -p -J -t " + pane,
	}
}

// parseCapture parses the answers; the pane is "" if it no longer exists.
func parseCapture(first string, answers []string) (c capture, pane string) {
	_, err := fmt.Sscan(first, &pane, &c.alternate, &c.x, &c.y, &c.savedX, &c.savedY, &c.history, &c.cols, &c.rows)
	if err != nil || len(answers) < 3 || c.cols <= 0 || c.rows <= 0 {
		return c, ""
	}
	all, shown, beneath := answers[0], answers[1], answers[2]
	if c.alternate == 1 {
		// The history may end within a line that continues below.
		all = strings.TrimSuffix(all, shown) + beneath
		c.savedX, c.savedY = min(c.savedX, c.cols), min(c.savedY, c.rows) // huge for one that was never saved
	}
	c.lines, c.shown = plainLines(all), plainLines(shown)
	return c, pane
}

// plainLines returns the lines of a text, without trailing blanks.
func plainLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// replay returns bytes that make an empty terminal show what tmux shows, with all
// history.
func (c *capture) replay() []byte {
	var b bytes.Buffer
	lines, blank := trim(c.lines)
	b.WriteString(strings.Join(lines, "\r\n"))
	if n := min(blank, c.history, c.rows); n > 0 { // rows are blank below what scrolled
		fmt.Fprintf(&b, "\x1b[%dS", n)
	}
	if c.alternate != 1 {
		fmt.Fprintf(&b, "\x1b[%d;%dH", c.y+1, c.x+1)
		return b.Bytes()
	}
	shown, _ := trim(c.shown)
	fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[?1049h\x1b[H%s\x1b[%d;%dH", c.savedY+1, c.savedX+1, strings.Join(shown, "\r\n"), c.y+1, c.x+1)
	return b.Bytes()
}

// trim removes the blank lines at the end, and counts them.
func trim(lines []string) (trimmed []string, blank int) {
	n := len(lines)
	for n > 0 && lines[n-1] == "" {
		n--
	}
	return lines[:n], len(lines) - n
}
