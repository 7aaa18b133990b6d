package tmux

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ctxfs/providers/internal/spawn"
)

// pauseAfter is how far behind, in seconds, a client may be before tmux drops
// what it keeps for it. It bounds the memory that tmux needs.
const pauseAfter = 5

// answerTime is how long a server may take to answer before the connection is
// dropped, and made again.
const answerTime = 30 * time.Second

// client is a control-mode client of a session.
type client struct {
	session string
	since   time.Time
	can     features
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.Closer

	attached func()      // called once, by the goroutine that reads
	news     func()      // called when panes may have come, gone or changed
	paused   func(*pane) // called when tmux has dropped output of a pane
	ended    func()      // called last

	mu        sync.Mutex
	questions []*question // in the order of sending
	watchdog  *time.Timer
	closed    bool

	usable bool // attached; used by the goroutine of the server

	// Used only by the goroutine that reads:
	panes   map[string]*pane
	inBlock string // the arguments of the %begin that is open
	ready   bool
}

// command returns a tmux command for a running server; it never starts one.
func (a *Adopter) command(socket string, args ...string) *exec.Cmd {
	global := []string{"-u", "-S", socket}
	if a.can.flags {
		global = append(global, "-N")
	}
	cmd := exec.Command(a.opts.Program, append(global, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "TMUX=") || strings.HasPrefix(entry, "TMUX_PANE=")
	})
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not reach it
	return cmd
}

// attach starts a client.
func (c *client) attach(spawner *spawn.Spawner, cmd *exec.Cmd) error {
	c.cmd, c.panes = cmd, make(map[string]*pane)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := spawner.Start(cmd); err != nil {
		return fmt.Errorf("cannot start tmux: %w", err)
	}
	c.in, c.out = in, out
	go func() {
		c.read(out)
		c.close()
		c.kill() // it has ended, or must
		_ = cmd.Wait()
		c.mu.Lock()
		c.watchdog.Stop()
		left := c.questions
		c.questions = nil
		c.mu.Unlock()
		for _, q := range left {
			q.answered("", nil, false)
		}
		c.ended()
	}()
	return nil
}

// attachArgs returns the arguments of attach-session. -E leaves the session's
// environment alone.
func attachArgs(can features, session string) []string {
	if !can.flags {
		return []string{"-C", "attach-session", "-E", "-r", "-t", session}
	}
	flags := fmt.Sprintf("read-only,ignore-size,pause-after=%d", pauseAfter)
	return []string{"-C", "attach-session", "-E", "-f", flags, "-t", session}
}

// close makes the client end. What it has sent already is read.
func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	if c.watchdog != nil {
		c.watchdog.Stop()
	}
	_ = c.in.Close()
	// A server that hangs does not tell its client to end.
	c.watchdog = time.AfterFunc(2*time.Second, c.kill)
}

// kill ends the client without the server, which holds the other ends of its
// pipes too.
func (c *client) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.out.Close()
}

// ask asks a question about a target, "" for none; its answer comes in the
// order of the output. After the connection has ended there is no answer, and
// ask returns false.
func (c *client) ask(q *question, target, format string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	q.token = newToken()
	first := "display-message -p "
	if target != "" {
		first += "-t " + target + " "
	}
	c.questions = append(c.questions, q)
	if len(c.questions) == 1 {
		c.watch()
	}
	if _, err := io.WriteString(c.in, q.line(first+"'"+q.token+" "+format+"'")); err != nil {
		c.kill() // the end answers the question
	}
	return true
}

// watch drops a server that does not answer. The caller holds mu.
func (c *client) watch() {
	if c.watchdog != nil {
		c.watchdog.Stop()
	}
	c.watchdog = time.AfterFunc(answerTime, c.kill)
}

// answered removes the first question.
func (c *client) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.questions = c.questions[1:]
	switch {
	case c.closed:
	case len(c.questions) > 0:
		c.watch()
	default:
		c.watchdog.Stop()
	}
}

// pending returns the question that is to be answered next.
func (c *client) pending() *question {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.questions) == 0 {
		return nil
	}
	return c.questions[0]
}

// maxLine is the longest line that is read; the joined rows of a pane are one.
const maxLine = 64 << 20

// read reads until the connection ends.
func (c *client) read(out io.Reader) {
	r := bufio.NewReaderSize(out, 128<<10)
	var long []byte
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) && len(long)+len(line) < maxLine {
			long = append(long, line...)
			continue
		}
		if err != nil {
			return
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		if !c.line(bytes.TrimSuffix(line, []byte("\n"))) {
			return
		}
		long = long[:0]
	}
}

// line processes a line, and reports whether to go on.
func (c *client) line(line []byte) bool {
	if c.inBlock == "" {
		if id, text, ok := output(line); ok {
			if p := c.panes[id]; p != nil {
				p.output(text)
			}
			return true
		}
	}
	text := string(line)
	q := c.pending()
	switch {
	case q != nil && q.started:
		if q.take(text) {
			c.inBlock = q.frame
			c.answered()
			q.answered(q.first, q.answers, true)
		}
	case c.inBlock != "":
		return c.block(text, q)
	default:
		return c.notified(text)
	}
	return true
}

// block processes a line of a block that is not an answer.
func (c *client) block(line string, q *question) bool {
	if q != nil {
		if first, ok := strings.CutPrefix(line, q.token+" "); ok {
			q.started, q.first = true, first
			if len(q.commands) == 0 {
				c.answered()
				q.answered(first, nil, true)
			}
			return true
		}
	}
	if line == "%end "+c.inBlock {
		c.inBlock = ""
	} else if line == "%error "+c.inBlock {
		c.inBlock = ""
		if !c.ready {
			return false // tmux says why, and exits
		}
		if q != nil {
			c.answered()
			q.answered("", nil, false)
		}
	}
	return true
}

// notified processes a line outside of blocks.
func (c *client) notified(line string) bool {
	name, argument := notification(line)
	switch name {
	case "%begin":
		c.inBlock = strings.TrimPrefix(line, "%begin ")
	case "%session-changed":
		// The user's detach-on-destroy may move this client to another session,
		// which has a client of its own.
		if argument != c.session {
			return false
		}
		if !c.ready {
			c.ready = true
			c.attached()
		}
	case "%pause":
		if p := c.panes[argument]; p != nil {
			c.paused(p)
		}
	case "%exit":
		return false
	case "%layout-change", "%sessions-changed", "%subscription-changed",
		"%window-add", "%window-close", "%unlinked-window-add", "%unlinked-window-close":
		c.news()
	}
	return true
}

// features are what a version of tmux supports.
type features struct {
	flags bool // attach-session -f, refresh-client -A and -B: since 3.2
}

// featuresOf returns the features of a version in tmux's own notation: "3.3a",
// "3.2-rc", "next-3.5", "openbsd-7.4". The error means that it is too old.
func featuresOf(version string) (features, error) {
	text := strings.TrimPrefix(version, "next-")
	if strings.HasPrefix(text, "openbsd") || text == "master" {
		return features{flags: true}, nil
	}
	major, rest, _ := strings.Cut(text, ".")
	digits := rest
	if i := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' }); i >= 0 {
		digits = rest[:i]
	}
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(digits)
	if err != nil || err2 != nil || a < 3 {
		return features{}, fmt.Errorf("tmux %s cannot be recorded: version 3.0 or later is needed", version)
	}
	return features{flags: a > 3 || b >= 2}, nil
}
