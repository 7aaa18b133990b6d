// Package repeats notices calls that an agent makes again and again, and that fail in the
// same way each time.
package repeats

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/regexps"
)

const (
	// enough is the number of failures of a call at which its agent is told.
	enough = 3
	// mostSessions is how many sessions are remembered, mostCalls how many calls of each.
	mostSessions = 64
	mostCalls    = 200
	// maxOutput is how much is read of an output, in bytes: of its beginning and of its end.
	maxOutput = 16 << 10
	// causeLength and lineLength are how much is shown of a failure and of a command line.
	causeLength = 160
	lineLength  = 120
)

// Options are what a Watcher needs.
type Options struct {
	// Signature returns what a tool of an MCP server takes, "" if that is not known.
	Signature func(server, tool string) string
}

// Watcher has seen the calls of sessions, as far as their hooks tell. It forgets them with
// the process. It is safe for concurrent use.
type Watcher struct {
	opts Options

	mu       sync.Mutex
	sessions []*session // the one that was here last at the end
}

var _ fs.Herald = (*Watcher)(nil)

// New returns a Watcher that has seen nothing.
func New(o Options) *Watcher { return &Watcher{opts: o} }

// session is what is known of one context: that of a session or of a subagent.
type session struct {
	agent, id, subagent string
	calls               []*call  // the one that was made last at the end
	counted             []string // the ids of calls that are in calls; the last one at the end
}

// call is a call that was made, however often.
type call struct {
	same     string // what makes calls the same: the tool and its arguments
	like     string // what makes calls alike: the server's tool, the program
	line     string // the command line, or the arguments for a server; "" for others
	failures int    // in the same way, since it last worked
	failure  string // the way
	worked   time.Time
}

// News implements fs.Herald: that a call has failed for the third time in the same way since
// it last worked, with what is known of how it works.
func (w *Watcher) News(_ context.Context, m fs.Moment) []fs.News {
	if m.Kind != fs.AfterTool || m.Call == nil || m.Session == "" {
		return nil
	}
	is := identify(m.Call)
	if is.same == "" {
		return nil
	}
	failed, cause := failureOf(m.Call)
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.session(m)
	c := s.call(is)
	if !s.isCounted(m.Call.ID) {
		c.count(failed, cause, m.Time)
	}
	if !failed || c.failures < enough {
		return nil
	}
	return []fs.News{{
		Kind: fs.NewsRepeats, Rank: fs.Behind, Key: c.same + c.failure + c.worked.Format(time.RFC3339Nano),
		Text: fmt.Sprintf("This call has now failed %d times in the same way: %s. %s", c.failures, quote(cause, causeLength), w.advice(m.Call, c, s)),
	}}
}

// advice says what is known of how a call works.
func (w *Watcher) advice(made *fs.AgentCall, c *call, s *session) string {
	var all []string
	if server, tool := toolOf(made); server != "" && w.opts.Signature != nil {
		if signature := w.opts.Signature(server, tool); signature != "" {
			all = append(all, "It takes: "+clean.Cut(clean.Line(signature), 2*lineLength)+" (`?` marks what may be left out).")
		}
	}
	switch other := s.alike(c); {
	case !c.worked.IsZero():
		all = append(all, "The same call worked "+wording.Time(c.worked)+": look for what has changed since.")
	case other != nil:
		all = append(all, fmt.Sprintf("This one worked %s: %s.", wording.Time(other.worked), quote(other.line, lineLength)))
	}
	if len(all) == 0 {
		all = append(all, "Find the cause, or do something else, before you make it again.")
	}
	return strings.Join(all, " ")
}

// session returns what is remembered of a moment's session, which is now the last one. The
// caller holds mu.
func (w *Watcher) session(m fs.Moment) *session {
	i := slices.IndexFunc(w.sessions, func(s *session) bool {
		return s.agent == m.Agent && s.id == m.Session && s.subagent == m.Subagent
	})
	s := &session{agent: m.Agent, id: m.Session, subagent: m.Subagent}
	if i >= 0 {
		s = w.sessions[i]
		w.sessions = slices.Delete(w.sessions, i, i+1)
	}
	w.sessions = append(w.sessions, s)
	w.sessions = w.sessions[max(0, len(w.sessions)-mostSessions):]
	return s
}

// call returns what is remembered of a call, which is now the last one.
func (s *session) call(is call) *call {
	c := &is
	if i := slices.IndexFunc(s.calls, func(c *call) bool { return c.same == is.same }); i >= 0 {
		c = s.calls[i]
		s.calls = slices.Delete(s.calls, i, i+1)
	}
	s.calls = append(s.calls, c)
	s.calls = s.calls[max(0, len(s.calls)-mostCalls):]
	return c
}

// isCounted reports whether a call was seen before, by the id that its agent gives it, and
// remembers it: an agent may run several hooks for one call.
func (s *session) isCounted(id string) bool {
	if id == "" || slices.Contains(s.counted, id) {
		return id != ""
	}
	s.counted = append(s.counted, id)
	s.counted = s.counted[max(0, len(s.counted)-mostCalls):]
	return false
}

// count notes how a call that was made ended.
func (c *call) count(failed bool, cause string, at time.Time) {
	if !failed {
		c.failures, c.failure, c.worked = 0, "", at
		return
	}
	if way := normal(cause); way == c.failure {
		c.failures++
	} else {
		c.failures, c.failure = 1, way
	}
}

// alike returns the last call of the same program or tool that worked, and whose command
// line is known; nil if there is none.
func (s *session) alike(c *call) *call {
	for _, other := range slices.Backward(s.calls) {
		if other != c && other.like == c.like && other.line != "" && other.failures == 0 && !other.worked.IsZero() {
			return other
		}
	}
	return nil
}

// identify returns what makes a call the one that it is; nothing for one without arguments
// that are known.
func identify(c *fs.AgentCall) (is call) {
	server, tool := toolOf(c)
	switch {
	case c.Command != "":
		line := strings.Join(strings.Fields(c.Command), " ")
		is.line, is.like = clean.Prefix(line, 4*lineLength), program(line)
		if server != "" {
			is.like = server + "/" + tool
		}
		is.same = sum("shell", line)
	case c.Tool != "" && len(c.Input) > 0:
		arguments := canonical(c.Input)
		if is.like = server + "/" + tool; server != "" {
			is.line = clean.Prefix(arguments, 4*lineLength)
		}
		is.same = sum(c.Server, c.Tool, arguments)
	}
	return is
}

// called is a call of an MCP server's tool in a shell.
var called = regexps.Lazy(`\bctxfs\s+call\s+([\w.-]+)[\s/]+([\w.-]+)`)

// toolOf returns the tool of an MCP server that is called, by the agent or in a shell.
func toolOf(c *fs.AgentCall) (server, tool string) {
	if c.Server != "" {
		return c.Server, c.Tool
	}
	if found := called().FindStringSubmatch(c.Command); found != nil {
		return found[1], found[2]
	}
	return "", c.Tool
}

// program returns the program of a command line, and what it is to do: "npm test".
func program(line string) string {
	if _, rest, ok := strings.Cut(line, "&& "); ok && strings.HasPrefix(line, "cd ") {
		line = rest
	}
	words := strings.Fields(line)
	return strings.Join(words[:min(2, len(words))], " ")
}

// canonical returns arguments without regard to the order of members and to spaces.
func canonical(input json.RawMessage) string {
	if len(input) > maxOutput {
		return string(input)
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return string(input)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(input)
	}
	return string(text)
}

func sum(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h[:8])
}

var (
	// exited is how agents write that a command has failed that do not tell their hooks so:
	// at the beginning of its output, but for those of ended and trailer.
	exited = regexps.Lazy(`(?im)^\W*(?:process )?exit(?:ed with)?[ _]?(?:code|status)?[:= ]+[1-9]\d*\b`)
	// ended is the end of such an output as Copilot CLI writes it.
	ended = regexps.Lazy(`(?:^|\n)<exited with exit code -?[1-9]\d*>\s*$`)
	// trailer is what Gemini CLI writes after the output of a command, with broken if it has
	// failed. Before the output stands heading, for one without a word empty.
	trailer = regexps.Lazy(`(?:\n(?:Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)+\s*$`)
	broken  = regexps.Lazy(`\nExit Code: -?[1-9]`)
)

const (
	heading = "Output: "
	empty   = "(empty)"
)

// failureOf reports whether a call has failed, and why.
func failureOf(c *fs.AgentCall) (failed bool, cause string) {
	text := c.Output
	if len(text) > 2*maxOutput {
		text = text[:maxOutput] + "\n" + text[len(text)-maxOutput:]
	}
	failed = c.Failed
	output, fromGemini := strings.CutPrefix(text, heading)
	if fromGemini {
		end := trailer().FindString(output)
		failed = failed || broken().MatchString(end)
		text = strings.TrimPrefix(strings.TrimSuffix(output, end), empty)
	} else {
		head, _, _ := strings.Cut(text, "\n\n")
		failed = failed || exited().MatchString(head[:min(len(head), 500)]) || ended().MatchString(text)
		text = ended().ReplaceAllString(text, "")
	}
	if !failed {
		return false, ""
	}
	return true, clean.Prefix(excerpt.Cause(exited().ReplaceAllString(text, "")), 4*causeLength)
}

// changing is what is another one each time that a call fails: times, addresses, numbers.
var changing = regexps.Lazy(`0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}|\d+`)

// normal returns a failure without what changes from one time to the next.
func normal(cause string) string { return sum(changing().ReplaceAllString(cause, "#")) }

// quote returns foreign words as they may be shown.
func quote(text string, length int) string {
	text = clean.Cut(clean.Line(mask.Text(text)), length)
	if text == "" {
		return "without a word"
	}
	return "`" + strings.ReplaceAll(text, "`", "'") + "`"
}
