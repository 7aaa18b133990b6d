package tmux

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/terminals/record"
)

// pauseAfter is how far behind, in seconds, a client may be before tmux drops
// what it keeps for it. It bounds the memory that tmux needs.
const pauseAfter = 5

// client is a control-mode client of a session, which records its panes.
type client struct {
	session, socket string
	since           time.Time
	opts            record.Options
	cmd             *exec.Cmd
	in              io.WriteCloser
	out             io.Closer
	news            func()        // called when panes may have come, gone or changed
	done            chan struct{} // closed when it has ended

	mu        sync.Mutex
	ready     bool // attached
	closed    bool
	panes     map[string]*pane
	questions []*question // in the order of sending

	inBlock string // the arguments of the %begin that is open; for the goroutine that reads
}

// command returns a tmux command for a running server; it never starts one.
func command(socket string, args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", socket, "-N"}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "TMUX=") || strings.HasPrefix(entry, "TMUX_PANE=")
	})
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not reach it
	return cmd
}

// attach starts a client.
func (c *client) attach(spawner *procs.Spawner) error {
	c.cmd = command(c.socket, "-C", "attach-session", "-E", "-f", fmt.Sprintf("read-only,ignore-size,pause-after=%d", pauseAfter), "-t", c.session)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := spawner.Start(c.cmd); err != nil {
		return fmt.Errorf("cannot start tmux: %w", err)
	}
	c.in, c.out = in, out
	go func() {
		_ = cell.Run(func() { c.read(out) })
		c.close()
		c.kill() // it has ended, or must
		_ = c.cmd.Wait()
		c.mu.Lock()
		panes := c.panes
		c.panes, c.questions = nil, nil
		c.mu.Unlock()
		for _, p := range panes {
			p.close(-1)
		}
		close(c.done)
		c.news()
	}()
	return nil
}

func (c *client) ended() bool { return rounds.IsClosed(c.done) }

// close makes the client end. What it has sent already is read.
func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	_ = c.in.Close()
	time.AfterFunc(2*time.Second, c.kill) // a server that hangs does not tell its client to end
}

// kill ends the client without the server, which holds the other ends of its
// pipes too.
func (c *client) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.out.Close()
}

// record makes sure that these panes of the session are recorded, and no others. It
// reports whether any is about to be, and what is wrong with those that cannot be.
func (c *client) record(listed []*listedPane) (pending bool, problems []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ready {
		return true, nil
	}
	for id, p := range c.panes {
		exit, there := -1, false
		for _, now := range listed {
			if now.id == id && now.pid == p.pid {
				there, exit = !now.dead, now.exit
			}
		}
		if !there && !p.leaving { // its last output may not be read yet
			p.leaving = true
			c.ask(&question{answered: func(string, []string, bool) {
				c.mu.Lock()
				delete(c.panes, id)
				c.mu.Unlock()
				p.close(exit)
				c.news()
			}}, "", "")
		}
	}
	for _, now := range listed {
		p := c.panes[now.id]
		switch {
		case p != nil && p.pid == now.pid && !p.leaving:
			more, fault := p.state(now.cols, now.rows)
			pending = pending || more
			if fault != "" {
				problems = append(problems, fault)
				delete(c.panes, now.id)
			}
		case p != nil:
			pending = pending || !now.dead
		case !now.dead:
			pending = true
			c.begin(&pane{listedPane: *now})
		}
	}
	return pending, problems
}

// begin records what tmux holds of a pane, and then its output. The caller holds mu.
func (c *client) begin(p *pane) {
	c.panes[p.id] = p
	c.ask(&question{commands: captureCommands(p.id), answered: func(first string, answers []string, ok bool) {
		p.begin(first, answers, ok, c.socket, c.opts)
		c.news()
	}}, p.id, captureFormat)
}

// recorded returns what is recorded now.
func (c *client) recorded() (panes []Pane) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.panes {
		if id := p.terminal(); id != "" {
			panes = append(panes, Pane{Terminal: id, ID: p.id})
		}
	}
	return panes
}

// ask asks a question about a target, "" for none; its answer comes in the order of the
// output, and not at all once the connection has ended. The caller holds mu.
func (c *client) ask(q *question, target, format string) {
	if c.closed {
		return
	}
	q.token = newToken()
	first := "display-message -p "
	if target != "" {
		first += "-t " + target + " "
	}
	c.questions = append(c.questions, q)
	_, _ = io.WriteString(c.in, q.line(first+"'"+q.token+" "+format+"'"))
}

// tell is ask for a command without an answer.
func (c *client) tell(command string) {
	c.ask(&question{commands: []string{command}, answered: func(string, []string, bool) {}}, "", "")
}

// answered removes the first question, and calls its function.
func (c *client) answered(q *question, ok bool) {
	c.mu.Lock()
	c.questions = c.questions[1:]
	c.mu.Unlock()
	q.answered(q.first, q.answers, ok)
}

// read reads until the connection ends.
func (c *client) read(out io.Reader) {
	r := bufio.NewReaderSize(out, 128<<10)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil || !c.line(bytes.TrimSuffix(line, []byte("\n"))) {
			return
		}
	}
}

// line processes a line, and reports whether to go on.
func (c *client) line(line []byte) bool {
	if c.inBlock == "" {
		if id, text, ok := output(line); ok {
			if p := c.pane(id); p != nil {
				p.output(text)
			}
			return true
		}
	}
	text := string(line)
	var q *question // that is to be answered next
	c.mu.Lock()
	if len(c.questions) > 0 {
		q = c.questions[0]
	}
	c.mu.Unlock()
	switch {
	case q != nil && q.started:
		if q.take(text) {
			c.inBlock = q.frame
			c.answered(q, true)
		}
	case c.inBlock != "":
		return c.block(text, q)
	default:
		return c.notified(text)
	}
	return true
}

func (c *client) pane(id string) *pane {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.panes[id]
}

// block processes a line of a block that is not an answer.
func (c *client) block(line string, q *question) bool {
	if q != nil {
		if first, ok := strings.CutPrefix(line, q.token+" "); ok {
			q.started, q.first = true, first
			if len(q.commands) == 0 {
				c.answered(q, true)
			}
			return true
		}
	}
	switch line {
	case "%end " + c.inBlock:
		c.inBlock = ""
	case "%error " + c.inBlock:
		c.inBlock = ""
		if q == nil {
			return c.ready // if it is not attached, tmux says why, and exits
		}
		c.answered(q, false)
	}
	return true
}

// notified processes a line outside of blocks.
func (c *client) notified(line string) bool {
	words := append(strings.Fields(line), "", "")
	switch words[0] {
	case "%begin":
		c.inBlock = strings.TrimPrefix(line, "%begin ")
	case "%session-changed":
		// The user's detach-on-destroy may move this client to another session,
		// which has a client of its own.
		if words[1] != c.session {
			return false
		}
		c.mu.Lock()
		if !c.ready {
			c.ready = true // no other notification reports that a pane gets another process
			c.tell("refresh-client -B 'ctxfs:%*:#{pane_pid} #{pane_dead}'")
		}
		c.mu.Unlock()
		c.news()
	case "%pause":
		if p := c.pane(words[1]); p != nil {
			p.output([]byte("\r\n" + Gap + "\r\n"))
			c.mu.Lock()
			c.tell("refresh-client -A '" + p.id + ":continue'")
			c.mu.Unlock()
		}
	case "%exit":
		return false
	case "%layout-change", "%sessions-changed", "%subscription-changed",
		"%window-add", "%window-close", "%unlinked-window-add", "%unlinked-window-close":
		c.news()
	}
	return true
}

// supported returns an error for a version in tmux's own notation ("3.3a", "3.2-rc",
// "next-3.5", "openbsd-7.4") that is too old: attach-session -f and refresh-client -A and
// -B are of 3.2.
func supported(version string) error {
	var major, minor int
	_, err := fmt.Sscanf(strings.TrimPrefix(version, "next-"), "%d.%d", &major, &minor)
	if err == nil && (major < 3 || major == 3 && minor < 2) {
		return fmt.Errorf("tmux %s cannot be recorded: version 3.2 or later is needed", version)
	}
	return nil
}
