package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
)

// listedPane is what tmux lists of a pane.
type listedPane struct {
	id                  string // "%1"
	pid                 int
	cols, rows          int
	dead                bool // its process has ended, and it remains
	exit                int  // exit code of a dead pane
	window, place       int  // the index of its window, and its own
	session, command    string
	cwd                 string
	sessionID, windowID string // the first of those that show it
}

// name returns the name of the pane's terminal.
func (l *listedPane) name() string { return fmt.Sprintf("%s-%d-%d", l.session, l.window, l.place) }

// session is what tmux lists of a session.
type session struct {
	id      string
	windows []string
	used    int64 // when it was last used
	fragile bool  // it is destroyed when its last client leaves
}

// listing is what a server lists.
type listing struct {
	version  string
	pid      int // of the server
	sessions []*session
	panes    []*listedPane
}

const listFormat = "#{version} #{pid} #{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_width} #{pane_height} " +
	"#{pane_dead} x#{pane_dead_status} #{window_index} #{pane_index} #{session_activity} x#{destroy-unattached} " +
	"#{q:session_name} #{q:pane_current_command} #{q:pane_current_path}"

// listTime is how long a server may take to list its panes.
const listTime = 10 * time.Second

// list lists the panes of a server.
func (a *Adopter) list(ctx context.Context, socket string) (*listing, error) {
	// The path of a folder may contain line feeds: lines that begin with the
	// token were written by tmux.
	token := newToken()
	cmd := a.command(socket, "list-panes", "-a", "-F", token+" "+listFormat)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &stderr, time.Second
	if err := run(ctx, cmd, listTime); err != nil {
		if why := strings.TrimSpace(clean.Line(stderr.String())); why != "" {
			return nil, errors.New("tmux says: " + why)
		}
		return nil, fmt.Errorf("tmux list-panes: %w", err)
	}
	return parseListing(out.String(), token), nil
}

// run runs a command, and kills it when it takes too long.
func run(ctx context.Context, cmd *exec.Cmd, limit time.Duration) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	return errors.Join(cmd.Wait(), ctx.Err())
}

// parseListing parses the lines that begin with the token; it leaves out those
// that it cannot parse.
func parseListing(text, token string) *listing {
	l := &listing{}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), token+" ")
		words := fields(line)
		if !ok || len(words) < 16 {
			continue
		}
		words = append(words, "") // a folder whose path is unknown
		number := func(i int) int { n, _ := strconv.Atoi(words[i]); return n }
		l.version, l.pid = words[0], number(1)
		p := &listedPane{
			sessionID: words[2], windowID: words[3], id: words[4], pid: number(5), cols: number(6), rows: number(7),
			dead: words[8] == "1", exit: -1, window: number(10), place: number(11),
			session: clean.Line(words[14]), command: clean.Line(words[15]), cwd: clean.Text(words[16]),
		}
		if exit, err := strconv.Atoi(strings.TrimPrefix(words[9], "x")); err == nil {
			p.exit = exit
		}
		if !identifier(p.sessionID, '$') || !identifier(p.windowID, '@') || !identifier(p.id, '%') {
			continue
		}
		l.shows(p, int64(number(12)), words[13])
	}
	// tmux, too, takes the one that comes last for the last used.
	slices.SortStableFunc(l.sessions, func(a, b *session) int { return int(a.used - b.used) })
	return l
}

// shows adds a pane, which several sessions may show.
func (l *listing) shows(p *listedPane, used int64, unattached string) {
	i := slices.IndexFunc(l.sessions, func(s *session) bool { return s.id == p.sessionID })
	if i < 0 {
		i = len(l.sessions)
		fragile := !slices.Contains([]string{"x", "x0", "xoff"}, unattached)
		l.sessions = append(l.sessions, &session{id: p.sessionID, used: used, fragile: fragile})
	}
	if s := l.sessions[i]; !slices.Contains(s.windows, p.windowID) {
		s.windows = append(s.windows, p.windowID)
	}
	if !slices.ContainsFunc(l.panes, func(old *listedPane) bool { return old.id == p.id }) {
		l.panes = append(l.panes, p)
	}
}

// identifier reports whether a word is a sign and a number, the form of tmux's ids:
// such a word is safe in a command.
func identifier(word string, sign byte) bool {
	if len(word) < 2 || word[0] != sign {
		return false
	}
	_, err := strconv.ParseUint(word[1:], 10, 32)
	return err == nil
}
