// Package hooks answers the hooks of agents: it tells a session what matters to it now,
// once, and within a budget. It knows no provider by name: what has news is a
// [facts.HookSource]. What it knows itself is which calls fail again and again
// (repeats.go).
//
// The order of its parts: form (what agents write and read), engine.go ([Engine.Answer]),
// compose.go (the choice among all news), ledger.go (which sessions were told what, and
// its cost), settings.go (the table of config.toml).
package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/facts"
	"ctxfs/providers/hooks/form"
)

// usualTimeout is how long a hook may take that does not say it itself.
const usualTimeout = time.Second

// patience is how long the sources may take together, of what a hook may take. An agent
// waits for its hook; they are usually done within some milliseconds, but not while a
// machine is busy, or a workspace is looked at for the first time.
func patience(timeout time.Duration) time.Duration {
	return cmp.Or(max(timeout, 0), usualTimeout) * 6 / 10
}

// mostStarts is how often a session asks for its first page while that does not exist.
const mostStarts = 6

// sameStart is how long after a start another one of the session, for the same reason, is
// the same: agents run each other's hooks, and some run theirs twice.
const sameStart = time.Minute

// Options are what an Engine needs.
type Options struct {
	// Sources returns the sources of news. It is called for each moment.
	Sources func() []facts.HookSource
	// Settings is the path of config.toml, State the folder for the ledger.
	Settings, State string
	// Root returns the folder in which the tree is shown, or "".
	Root func() string
	// Page returns the text of AGENTS.md, or nil.
	Page func(ctx context.Context) (string, error)
	// Files returns which files a call of a tool writes, as far as its arguments tell, and
	// the line that it gives to a shell. Paths may be relative.
	Files func(tool string, input json.RawMessage) (writes []string, command string)
	Now   func() time.Time
	// Offline only reads the ledger.
	Offline bool
	Log     *slog.Logger
}

// Engine answers hooks. It is safe for concurrent use.
type Engine struct {
	opts   Options
	ledger *ledger

	repeats *repeats
	busy    [64]sync.Mutex // by the sum of a session: it has one moment at a time

	mu       sync.Mutex
	settings settings
	problems []fs.Problem
	prompts  map[string]turn // by session, where the agent could not be told anything with them
	begun    map[string]start
}

// start is that a session was told what it begins with, and nothing has come since.
type start struct {
	source string
	at     time.Time
}

// New returns an engine, which has read its settings and its ledger.
func New(o Options) *Engine {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{opts: o, prompts: make(map[string]turn), begun: make(map[string]start), repeats: &repeats{failing: make(map[string]failing)}}
	if o.Root == nil {
		e.opts.Root = func() string { return "" }
	}
	e.ledger = openLedger(o.State, o.Now, o.Offline)
	e.Reload()
	return e
}

// Query is one run of a hook: the agent and the event that the command line names, what
// stands on standard input, and the folder in which the hook was started.
type Query struct {
	Agent, Event string
	Input        []byte
	Dir          string
	Timeout      time.Duration // of the hook; 0 is the usual one
}

// Answer returns how the hook ends. An error is a hook that cannot be answered; its agent
// is told nothing then. What the answer has counts as told, so ctx must last until the
// answer arrives.
func (e *Engine) Answer(ctx context.Context, q Query) (form.Output, error) {
	in, err := form.Parse(q.Agent, q.Event, q.Input)
	if err != nil {
		return form.Output{}, err
	}
	set := e.current()
	if !set.enabled || in.Kind == "" {
		return form.Output{}, nil
	}
	in.Dir = cmp.Or(in.Dir, q.Dir)
	if set.off[facts.NewsFinding] {
		in.Prompt = "" // nothing is looked up for it
	}
	key := sessionKey(in)
	defer e.alone(in.Session)() // of whatever agent: they run each other's hooks
	s := e.ledger.session(key)
	m := e.moment(in, s, set)
	if e.startedBefore(in) {
		e.ledger.visited(key, m, false, true, in.Cleared)
		return form.Output{}, nil
	}
	moments, starts := e.moments(in, m, s)
	started := starts && (set.start == startNone || set.off[facts.NewsStart])
	defer func() { e.ledger.visited(key, m, starts, started, in.Kind == facts.Prompted || in.Cleared) }()
	if len(moments) == 0 {
		return form.Output{}, nil
	}
	news := e.ask(ctx, moments, set, patience(q.Timeout))
	answer, said := compose(news, set, e.ledger.session(key), in, starts)
	if ctx.Err() != nil {
		return form.Output{}, context.Cause(ctx)
	}
	out := in.Output(answer)
	if out != (form.Output{}) {
		e.ledger.record(key, m, said)
		page := slices.ContainsFunc(said, func(t told) bool { return isPage(t.Kind) })
		if page && in.Subagent == "" && (in.Kind == facts.SessionStarts || in.Kind == facts.Compacted) {
			e.began(in)
		}
		started = started || starts && slices.ContainsFunc(said, func(t told) bool { return t.Kind == facts.NewsStart })
	}
	return out, nil
}

// startedBefore reports whether a hook is about a start that another hook has just
// reported, and the session was told its first page.
func (e *Engine) startedBefore(in *form.Input) bool {
	if in.Subagent != "" {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s, ok := e.begun[in.Session]
	if ok && (in.Kind == facts.SessionStarts || in.Kind == facts.Compacted) && s.source == in.Source && e.opts.Now().Sub(s.at) < sameStart {
		return true
	}
	delete(e.begun, in.Session)
	return false
}

func (e *Engine) began(in *form.Input) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.begun) > maxSessions {
		clear(e.begun)
	}
	e.begun[in.Session] = start{in.Source, e.opts.Now()}
}

// sessionKey names the context that is told something: a subagent has one of its own.
func sessionKey(in *form.Input) string {
	if in.Subagent == "" {
		return in.Agent + "/" + in.Session
	}
	return in.Agent + "/" + in.Session + "/" + in.Subagent
}

// alone waits until no other moment of a session is answered, and returns the function
// that ends this one.
func (e *Engine) alone(session string) (done func()) {
	h := fnv.New32a()
	_, _ = io.WriteString(h, session)
	one := &e.busy[h.Sum32()%uint32(len(e.busy))]
	one.Lock()
	return one.Unlock
}

// moment returns the moment as sources are asked about it.
func (e *Engine) moment(in *form.Input, s session, set settings) facts.Moment {
	m := facts.Moment{
		Kind: in.Kind, Agent: in.Agent, Session: in.Session, Subagent: in.Subagent, Dir: in.Dir,
		Root: e.opts.Root(), Time: e.opts.Now(), Last: s.Last, Turn: s.Turn, Prompt: in.Prompt, Call: in.Call,
	}
	m.Told = func(kind facts.NewsKind, key string) bool { return s.Told[keyOf(kind, key)] }
	if c := m.Call; c != nil && e.opts.Files != nil {
		c.Writes, c.Command = e.opts.Files(c.Tool, c.Input)
		c.Writes = slices.DeleteFunc(absolute(in.Dir, c.Writes), func(path string) bool { return path == "" })
	}
	if c := m.Call; c != nil { // what is switched off is not prepared either
		c.MayRefuse = c.MayRefuse && !set.off[facts.NewsStale]
		c.MayReplace = c.MayReplace && !set.off[facts.NewsResults]
	}
	return m
}

// moments returns the moments whose news can be told now: that of the hook, and before it
// those at which the session should have been told something and could not. These are its
// start, where hooks were not there yet or the agent has no event for it, the compaction,
// where the agent tells only that it comes, and the user's message. Starts reports whether
// the session is told now what it begins with, if there is such a page: that of a workspace
// that is new may be there a little later, at one of the moments that follow.
func (e *Engine) moments(in *form.Input, m facts.Moment, s session) (all []facts.Moment, starts bool) {
	key := sessionKey(in)
	if !in.Says {
		if in.Kind == facts.Prompted {
			e.keepPrompt(key, turn{in.Prompt, s.Turn})
		}
		if c := in.Call; c != nil && (c.MayRefuse || in.Kind == facts.AfterTool) { // sources note what was called
			return []facts.Moment{m}, false
		}
		return nil, false
	}
	another := func(kind facts.MomentKind, of turn) {
		other := m
		other.Kind, other.Call, other.Prompt, other.Turn = kind, nil, of.prompt, of.before
		all = append(all, other)
	}
	if in.Cleared {
		e.ledger.cleared(key)
	}
	if in.Kind == facts.SessionStarts || in.Kind == facts.Compacted {
		return []facts.Moment{m}, true
	}
	message, late := turn{}, false
	if in.Kind == facts.AfterTool {
		message, late = e.takePrompt(key)
	}
	switch {
	case in.Subagent != "" || in.Kind != facts.Prompted && in.Kind != facts.AfterTool:
	case s.Compacting:
		e.ledger.cleared(key)
		another(facts.Compacted, turn{before: s.Turn})
		starts = true
	case !s.Started && s.starts < mostStarts && (in.Kind == facts.Prompted || late || !s.Turn.IsZero()):
		another(facts.SessionStarts, turn{before: s.Turn})
		starts = true
	}
	if late {
		another(facts.Prompted, message)
	}
	return append(all, m), starts
}

// turn is a message of the user, and when the turn before it began.
type turn struct {
	prompt string
	before time.Time
}

func (e *Engine) keepPrompt(key string, t turn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.prompts) > maxSessions {
		clear(e.prompts)
	}
	e.prompts[key] = t
}

func (e *Engine) takePrompt(key string) (t turn, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok = e.prompts[key]
	delete(e.prompts, key)
	return t, ok
}

// ask asks all sources at once, and returns what they have said in time: by rank, then in
// the order of the sources.
func (e *Engine) ask(ctx context.Context, moments []facts.Moment, set settings, patience time.Duration) []facts.News {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sources := append(e.opts.Sources(), e.repeats)
	type answer struct {
		of   int
		news []facts.News
	}
	answers := make(chan answer, len(sources)+1)
	for i, h := range sources {
		cell.Go(func() {
			var news []facts.News
			defer func() { answers <- answer{i, news} }()
			for _, m := range moments {
				news = append(news, h.News(ctx, m)...)
			}
		})
	}
	by := make([][]facts.News, len(sources))
	for range sources {
		select {
		case a := <-answers:
			by[a.of] = a.news
			continue
		case <-ctx.Done():
		}
		break
	}
	for range len(answers) { // that have come when the time is up
		a := <-answers
		by[a.of] = a.news
	}
	all := slices.Concat(by...)
	all = e.startPage(ctx, moments, all, set)
	slices.SortStableFunc(all, func(a, b facts.News) int { return cmp.Compare(a.Rank, b.Rank) })
	return all
}

// startPage replaces the page that a session begins with, where the user wants another one
// or none.
func (e *Engine) startPage(ctx context.Context, moments []facts.Moment, all []facts.News, set settings) []facts.News {
	if set.start == startHere {
		return all
	}
	all = slices.DeleteFunc(all, func(n facts.News) bool { return n.Kind == facts.NewsStart })
	starts := slices.ContainsFunc(moments, func(m facts.Moment) bool { return m.Kind == facts.SessionStarts || m.Kind == facts.Compacted })
	if set.start != startAgents || !starts || e.opts.Page == nil {
		return all
	}
	page, err := e.opts.Page(ctx)
	if err != nil || page == "" {
		return all
	}
	return append(all, facts.News{Kind: facts.NewsStart, Key: sum(page), Rank: facts.Orienting, Text: page})
}
