package terminals

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/internal/sockets"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

// Nothing reports that a program listens, so programs are looked at: soon after a command
// has started or has printed something while it does not listen yet, and less and less
// often while nothing changes.
const (
	surveySoon = 250 * time.Millisecond
	surveyLate = 30 * time.Second
	surveyIdle = time.Hour // nothing runs
)

// maxReady is how much of a command's output is searched for its ready line, in bytes.
const maxReady = 256 << 10

// serving is what a running command offers.
type serving struct {
	command time.Time // when the command began
	pid     int       // of the process that listens
	listens []string  // "127.0.0.1:3000", sorted
	ready   string    // the line that says that it is ready, or ""
}

// survey finds out what running commands offer, and publishes it.
func (p *Provider) survey(context.Context) {
	if !p.surveyed() {
		p.blink.Store(int64(surveyIdle))
	}
}

// nextSurvey returns the time to the next survey if nothing changes.
func (p *Provider) nextSurvey() time.Duration {
	next := time.Duration(p.blink.Load())
	p.blink.CompareAndSwap(int64(next), int64(max(next, min(2*next, surveyLate))))
	return next
}

// lookSoon makes survey look soon.
func (p *Provider) lookSoon() {
	p.blink.Store(int64(surveySoon))
	p.surveys.Poke()
}

// allServe reports whether there is nothing to look for after changes: nothing has
// started or ended, and what has printed something listens and has said so. The caller
// holds mu.
func (p *Provider) allServe(c changes, changed []string) bool {
	if len(changed) > 0 {
		return false
	}
	for path := range c.grown {
		id, _, _ := strings.Cut(strings.TrimSuffix(path, ".txt"), "/")
		if s, ok := p.serving[id]; !ok || s.ready == "" {
			return false
		}
	}
	return true
}

// surveyed looks at all commands that run, publishes what they offer if that is news, and
// reports whether there are any.
func (p *Provider) surveyed() bool {
	found := make(map[string]serving)
	running := false
	var table *procs.Table
	listeners := new(sockets.Listeners)
	shown := p.shown.Load()
	for _, t := range slices.Backward(shown.terminals) { // a shared socket is that of the oldest
		if !t.Running() || t.CommandStarted == nil || t.Pid == 0 {
			continue
		}
		if running = true; table == nil {
			table = procs.Now()
		}
		if s := servingOf(t, table, listeners); len(s.listens) > 0 {
			if old, ok := shown.serving[t.ID]; ok && old.command.Equal(s.command) && slices.Equal(old.listens, s.listens) && old.ready != "" {
				s.ready = old.ready
			} else {
				s.ready = readyLine(t, s.listens)
			}
			found[t.ID] = s
		}
	}
	same := func(a, b serving) bool {
		return a.command.Equal(b.command) && a.pid == b.pid && a.ready == b.ready && slices.Equal(a.listens, b.listens)
	}
	p.mu.Lock()
	changed := !maps.EqualFunc(found, p.serving, same)
	if changed {
		p.serving = found
		p.publish()
	}
	p.mu.Unlock()
	if changed {
		p.opts.Env.Changed(indexName)
	}
	return running
}

// servingOf returns where a running command listens.
func servingOf(t *record.Terminal, table *procs.Table, listeners *sockets.Listeners) serving {
	s := serving{command: *t.CommandStarted}
	for _, process := range table.Tree(t.Pid, holder.MarkOf(t)) {
		for _, at := range listeners.Of(process.PID) {
			if address, ok := strings.CutPrefix(at, "tcp "); ok {
				s.listens = append(s.listens, address)
				if s.pid == 0 {
					s.pid = process.PID
				}
			}
		}
	}
	slices.Sort(s.listens)
	s.listens = slices.Compact(s.listens)
	return s
}

var (
	readyURL   = regexps.Lazy(`(?i)\b(https?|wss?|tcp|unix|postgres(ql)?|redis|mysql|mongodb)://`)
	readyWords = regexps.Lazy(`(?i)\b(ready|listening|listens|started|serving|running on|running at|available (on|at)|accepting connections|up and running)\b`)
)

// readyLine returns the line by which a command has said that it is ready to be asked at
// one of its addresses; "" if it has not. That is the first with the port in a URL of the
// web, else the first with the port and a word for it, else the first with such a word.
func readyLine(t *record.Terminal, listens []string) string {
	output, err := t.Current()
	if err != nil {
		return ""
	}
	text, _ := io.ReadAll(io.NewSectionReader(output, 0, maxReady)) // what can be read
	return readyIn(string(text), listens)
}

// readyIn is readyLine for a text.
func readyIn(text string, listens []string) string {
	var ports []string
	for _, at := range listens {
		ports = append(ports, at[strings.LastIndexByte(at, ':')+1:])
	}
	numbers := regexp.MustCompile(`(^|\D)(` + strings.Join(ports, "|") + `)(\D|$)`)
	best, rank := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(clean.Line(line))
		named := numbers.MatchString(line)
		r := 0
		switch {
		case named && strings.Contains(line, "http") && readyURL().MatchString(line):
			r = 3
		case named && (readyURL().MatchString(line) || readyWords().MatchString(line)):
			r = 2
		case readyWords().MatchString(line):
			r = 1
		}
		if r > rank {
			best, rank = line, r
		}
	}
	return clean.Cut(best, commandLen)
}

// String says what a command offers, for its line in the index.
func (s serving) String() string {
	text := fmt.Sprintf("; listens at %s (pid %d)", clean.Cut(strings.Join(s.listens, ", "), commandLen), s.pid)
	if s.ready != "" {
		text += ": `" + strings.ReplaceAll(s.ready, "`", "'") + "`"
	}
	return text
}
