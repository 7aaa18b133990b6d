package find

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/find/suggest"
	"ctxfs/providers/internal/regexps"
)

var _ facts.HookSource = (*Finder)(nil)

const (
	// promptMatches is how many matches are looked at for each sentence of a message.
	promptMatches = 20
	// mostMet is how many sessions are remembered, and mostUsed how many things each of
	// them has used.
	mostMet      = 64
	mostUsedHere = 500
	// maxCall is how much is looked at of what a call says, in bytes.
	maxCall = 16 << 10
)

// News implements facts.HookSource. At a message of the user it tells of the tools, the skill and
// the past session that are surely meant, but of none that the session has used, or that
// its agent shows it anyway; see package suggest.
func (f *Finder) News(ctx context.Context, m facts.Moment) (news []facts.News) {
	switch m.Kind {
	case facts.AfterTool:
		f.met.note(m)
	case facts.Prompted:
		find := func(ctx context.Context, want string) ([]facts.Match, error) {
			return f.Find(ctx, want, Options{Limit: promptMatches, Caller: fs.Standpoint{Dir: m.Dir}})
		}
		ctx, cancel := early(ctx)
		defer cancel()
		for _, s := range suggest.Choose(suggest.Candidates(ctx, find, m.Prompt), suggest.Usual(), m, func(match facts.Match) bool {
			return match.Quiet || elsewhere(match, m.Dir) || slices.Contains(match.Known, m.Agent) ||
				match.Evidence.Session != "" && match.Evidence.Session == m.Session || f.met.has(m, match)
		}) {
			news = append(news, facts.News{Kind: facts.NewsFinding, Key: s.Path, Rank: facts.Helpful, Text: s.Text})
		}
	}
	return news
}

// early returns a context that ends while there is still time to tell what was found.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*3/4)
}

// elsewhere reports whether a tool or a skill belongs to another project than that of a
// folder.
func elsewhere(m facts.Match, dir string) bool {
	return m.Kind != "session" && m.Evidence.Place != "" && !fs.Within(dir, m.Evidence.Place)
}

// met is what sessions have used, as far as their hooks tell.
type met struct {
	mu       sync.Mutex
	sessions []*metSession // the one that was here last at the end
}

type metSession struct {
	agent, id string
	used      map[string]bool // server/tool, and paths of the tree
}

var (
	// called is a call of a tool in a shell.
	called = regexps.Lazy(`\bctxfs\s+call\s+([\w.-]+)[\s/]+([\w.-]+)`)
	// opened is a path of the tree, of a tool or of a skill.
	opened = regexps.Lazy(`\b(?:mcps/([\w.~-]+)/(?:tools|bin)/([\w~-]+)|(skills/[\w~-]+))`)
)

// note remembers what a call has used.
func (a *met) note(m facts.Moment) {
	if m.Call == nil {
		return
	}
	var used []string
	if m.Call.Server != "" {
		used = append(used, m.Call.Server+"/", m.Call.Server+"/"+m.Call.Tool)
	}
	text := m.Call.Command
	if text == "" {
		text = string(m.Call.Input)
	}
	text = text[:min(len(text), maxCall)]
	for _, c := range called().FindAllStringSubmatch(text, -1) {
		used = append(used, c[1]+"/"+c[2])
	}
	for _, c := range opened().FindAllStringSubmatch(text, -1) {
		if c[3] != "" {
			used = append(used, c[3])
		} else {
			used = append(used, c[1]+"/"+c[2])
		}
	}
	if len(used) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.session(m)
	if s == nil {
		s = &metSession{agent: m.Agent, id: m.Session, used: make(map[string]bool)}
	} else {
		a.sessions = slices.DeleteFunc(a.sessions, func(other *metSession) bool { return other == s })
	}
	a.sessions = append(a.sessions, s)
	a.sessions = a.sessions[max(0, len(a.sessions)-mostMet):]
	for _, one := range used {
		if len(s.used) < mostUsedHere {
			s.used[one] = true
		}
	}
}

// session returns what is remembered of a moment's session, or nil. The caller holds mu.
func (a *met) session(m facts.Moment) *metSession {
	i := slices.IndexFunc(a.sessions, func(s *metSession) bool { return s.agent == m.Agent && s.id == m.Session })
	if i < 0 {
		return nil
	}
	return a.sessions[i]
}

// has reports whether a session has used what was found. An agent that has called a tool of
// a server by itself has all tools of it.
func (a *met) has(m facts.Moment, found facts.Match) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.session(m)
	if s == nil {
		return false
	}
	name := found.Whole
	if found.Signature != "" {
		name, _, _ = strings.Cut(found.Signature, "(")
	}
	server, _, _ := strings.Cut(name, "/")
	return s.used[name] || found.Signature != "" && s.used[server+"/"]
}
