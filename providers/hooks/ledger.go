package hooks

import (
	"bufio"
	"cmp"
	"encoding/json"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/jsonlines"
)

const (
	// ledgerFormat is the version of the ledger; a ledger of another version is
	// discarded.
	ledgerFormat = 1
	// maxLedger is the size in bytes above which the ledger is rewritten, without what is
	// older than maxAge, with at most maxSessions sessions.
	maxLedger   = 2 << 20
	maxAge      = 30 * 24 * time.Hour
	maxSessions = 1000
	// maxTold is how many pieces of news are remembered of a session.
	maxTold = 2000
)

// entry is a line of the ledger: what a session was told, or that it was at a moment.
type entry struct {
	At      time.Time        `json:"at,omitzero"`
	Turn    time.Time        `json:"turn,omitzero"`     // when a turn began
	Session string           `json:"session,omitempty"` // its key
	Moment  facts.MomentKind `json:"moment,omitempty"`
	Told    []told           `json:"told,omitempty"`
	// Started, Compacting and Cleared are what became of the session's context.
	Started    bool `json:"started,omitempty"`
	Compacting bool `json:"compacting,omitempty"`
	Cleared    bool `json:"cleared,omitempty"`
	// Known and Pages are what was told in entries that were dropped, by their sums, and
	// Spent its cost; Total is the cost of all entries before.
	Known []string        `json:"known,omitempty"`
	Pages []string        `json:"pages,omitempty"`
	Spent int             `json:"spent,omitempty"`
	Total map[string]Cost `json:"total,omitempty"`
}

// Cost counts what was told of a kind of news, in pieces and in tokens.
type Cost struct {
	Times  int `json:"times"`
	Tokens int `json:"tokens"`
}

// session is what the ledger knows of one.
type session struct {
	Last, Turn          time.Time
	Started, Compacting bool
	starts              int // how often what it begins with was asked for, since this process runs
	Told                map[string]bool
	pages               map[string]bool // of Told, what may be told again to a new context
	Spent               int             // tokens
}

// ledger remembers what sessions were told, in a file that is appended to, so that no
// restart and no kill tells them again. It is bounded.
type ledger struct {
	path    string
	now     func() time.Time
	offline bool

	mu       sync.Mutex
	sessions map[string]*session
	total    map[string]Cost
	recent   []entry
	size     int64
}

// maxRecent is how many entries are kept for [Engine.Costs].
const maxRecent = 50

func openLedger(dir string, now func() time.Time, offline bool) *ledger {
	l := &ledger{path: filepath.Join(dir, "told.jsonl"), now: now, offline: offline, sessions: make(map[string]*session), total: make(map[string]Cost)}
	f, err := os.Open(l.path)
	if err != nil {
		return l
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 4*maxLedger))
	lines.Buffer(nil, 1<<20)
	first := true
	for lines.Scan() {
		var head struct {
			Format int `json:"format"`
		}
		if first {
			if first = false; json.Unmarshal(lines.Bytes(), &head) != nil || head.Format != ledgerFormat {
				return l
			}
			l.size = int64(len(lines.Bytes()))
			continue
		}
		l.size += int64(len(lines.Bytes())) + 1
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil { // else a kill has left half of it
			l.apply(e)
		}
	}
	return l
}

// apply adds an entry to what is known. The caller holds mu, or is the only one.
func (l *ledger) apply(e entry) {
	for kind, c := range e.Total {
		l.add(kind, c)
	}
	if e.Session == "" {
		return
	}
	s := l.sessions[e.Session]
	if s == nil {
		s = &session{Told: make(map[string]bool), pages: make(map[string]bool)}
		l.sessions[e.Session] = s
	}
	if e.Moment != "" && (e.Moment != facts.SessionStarts || s.Last.IsZero()) {
		s.Last = e.At
	}
	if !e.Turn.IsZero() {
		s.Turn = e.Turn
	}
	s.Compacting = (s.Compacting || e.Compacting) && !e.Cleared
	s.Started = s.Started || e.Started
	if e.Cleared {
		for key := range s.pages {
			delete(s.Told, key)
		}
		clear(s.pages)
	}
	for _, key := range slices.Concat(e.Known, e.Pages) {
		s.Told[key] = true
	}
	for _, key := range e.Pages {
		s.pages[key] = true
	}
	s.Spent += e.Spent
	for _, t := range e.Told {
		l.add(string(t.Kind), Cost{1, t.Tokens})
		if len(s.Told) >= maxTold {
			continue
		}
		s.Told[t.Key] = true
		if t.Page {
			s.pages[t.Key] = true
		}
		if t.Kind != facts.NewsResults {
			s.Spent += t.Tokens
		}
	}
	if len(e.Told) > 0 {
		l.recent = append(l.recent, e)
		if len(l.recent) > 2*maxRecent {
			l.recent = slices.Clone(l.recent[len(l.recent)-maxRecent:])
		}
	}
}

func (l *ledger) add(kind string, c Cost) {
	was := l.total[kind]
	l.total[kind] = Cost{was.Times + c.Times, was.Tokens + c.Tokens}
}

// session returns a copy of what is known of a session.
func (l *ledger) session(key string) session {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[key]
	if s == nil {
		return session{}
	}
	c := *s
	c.Told = maps.Clone(s.Told)
	return c
}

// visited records that a session was at a moment, whether it asked then for what it begins
// with, and whether it was told that. Most moments need no line: only those after which the
// session is in another state, and a user's message, have one.
func (l *ledger) visited(key string, m facts.Moment, starts, started, turn bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[key]
	e := entry{At: m.Time, Session: key, Moment: m.Kind, Compacting: m.Kind == facts.Compacting, Started: started && (s == nil || !s.Started)}
	if turn {
		e.Turn = m.Time
	}
	l.apply(e)
	if starts {
		l.sessions[key].starts++
	}
	if e.Started || e.Compacting || turn {
		l.write(e)
	}
}

// record records what a session was told.
func (l *ledger) record(key string, m facts.Moment, all []told) {
	if len(all) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := entry{At: m.Time, Session: key, Moment: m.Kind, Told: all}
	l.apply(e)
	l.write(e)
}

// cleared records that the context of a session is a new one.
func (l *ledger) cleared(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[key]
	if s == nil || len(s.pages) == 0 && !s.Compacting {
		return
	}
	e := entry{Session: key, Cleared: true}
	l.apply(e)
	l.write(e)
}

// write appends an entry to the file. It need not reach the disk before the agent is
// answered: a kill of this process loses nothing that was written. What cannot be written
// is known until the process ends. The caller holds mu.
func (l *ledger) write(e entry) {
	if l.offline {
		return
	}
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	switch {
	case l.size > maxLedger:
		l.renew()
		return
	case l.size == 0:
		if jsonlines.Write(l.path, ledgerFormat, slices.Values([]entry(nil))) != nil {
			return
		}
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		l.size = 0 // it was deleted
		return
	}
	defer f.Close()
	n, _ := f.Write(append(append([]byte("\n"), line...), '\n'))
	l.size += int64(n)
}

// renew rewrites the file with what is still needed. The caller holds mu.
func (l *ledger) renew() {
	keys := slices.SortedFunc(maps.Keys(l.sessions), func(a, b string) int {
		return cmp.Or(l.sessions[b].Last.Compare(l.sessions[a].Last), cmp.Compare(a, b))
	})
	oldest := l.now().Add(-maxAge)
	var kept []entry
	for i, key := range keys {
		s := l.sessions[key]
		if i >= maxSessions || s.Last.Before(oldest) {
			delete(l.sessions, key)
			continue
		}
		e := entry{At: s.Last, Turn: s.Turn, Session: key, Moment: facts.AfterTool, Started: s.Started, Compacting: s.Compacting, Spent: s.Spent}
		for _, sum := range slices.Sorted(maps.Keys(s.Told)) {
			if s.pages[sum] {
				e.Pages = append(e.Pages, sum)
			} else {
				e.Known = append(e.Known, sum)
			}
		}
		kept = append(kept, e)
	}
	kept = append(kept, entry{At: l.now(), Total: l.total})
	if jsonlines.Write(l.path, ledgerFormat, slices.Values(kept)) != nil {
		return
	}
	if info, err := os.Stat(l.path); err == nil {
		l.size = info.Size()
	}
}

// sum returns a short sum of a text.
func sum(text string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return strconv.FormatUint(h.Sum64(), 36)
}
