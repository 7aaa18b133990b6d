package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	fragile bool // it is destroyed when its last client leaves
}

// listing is what a server lists.
type listing struct {
	version  string
	sessions []*session
	panes    []*listedPane
}

// listFormat has the names and paths last, which may have a tab in them.
const listFormat = "#{version}\t#{session_id}\t#{window_id}\t#{pane_id}\t#{pane_pid}\t#{pane_width}\t#{pane_height}\t" +
	"#{pane_dead}\t#{pane_dead_status}\t#{window_index}\t#{pane_index}\t#{destroy-unattached}\t" +
	"#{session_name}\t#{pane_current_command}\t#{pane_current_path}"

// listTime is how long a server may take to list its panes.
const listTime = 10 * time.Second

// list lists the panes of a server.
func (a *Adopter) list(ctx context.Context, socket string) (*listing, error) {
	// The path of a folder may contain line feeds: lines that begin with the
	// token were written by tmux.
	token := newToken()
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	cmd := command(socket, "list-panes", "-a", "-F", token+"\t"+listFormat)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &stderr, time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("tmux list-panes: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	if err := errors.Join(cmd.Wait(), ctx.Err()); err != nil {
		return nil, fmt.Errorf("tmux list-panes: %s: %w", strings.TrimSpace(clean.Line(stderr.String())), err)
	}
	return parseListing(out.String(), token), nil
}

// parseListing parses the lines that begin with the token; it leaves out those
// that it cannot parse.
func parseListing(text, token string) *listing {
	l := &listing{}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), token+"\t")
		words := strings.SplitN(line, "\t", 15)
		if !ok || len(words) < 15 {
			continue
		}
		number := func(i int) int { n, _ := strconv.Atoi(words[i]); return n }
		l.version = words[0]
		p := &listedPane{
			sessionID: words[1], windowID: words[2], id: words[3], pid: number(4), cols: number(5), rows: number(6),
			dead: words[7] == "1", exit: -1, window: number(9), place: number(10),
			session: clean.Line(words[12]), command: clean.Line(words[13]), cwd: clean.Text(words[14]),
		}
		if exit, err := strconv.Atoi(words[8]); err == nil {
			p.exit = exit
		}
		if identifier(p.sessionID, '$') && identifier(p.windowID, '@') && identifier(p.id, '%') {
			l.shows(p, words[11])
		}
	}
	return l
}

// shows adds a pane, which several sessions may show.
func (l *listing) shows(p *listedPane, unattached string) {
	i := slices.IndexFunc(l.sessions, func(s *session) bool { return s.id == p.sessionID })
	if i < 0 {
		i = len(l.sessions)
		l.sessions = append(l.sessions, &session{id: p.sessionID, fragile: !slices.Contains([]string{"", "0", "off"}, unattached)})
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
