package mcp

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/nearest"
)

// idleRules finds the rules of the policy that hold for nothing: a rule that
// was misspelt, or whose server was renamed, protects nobody, and nobody would
// notice. It remembers what it found until the policy, the servers or their
// tools change.
type idleRules struct {
	mu       sync.Mutex
	of       *policy
	seen     []knownServer
	problems []fs.Problem
}

// knownServer is a server as far as rules are concerned.
type knownServer struct {
	server *server
	file   string
	off    bool      // it is disabled
	shown  *snapshot // nil where its tools are not known
}

// find tells of the rules that hold for nothing. What was not found the last
// time is logged.
func (i *idleRules) find(p *Provider) []fs.Problem {
	policy := p.policy.Load()
	var seen []knownServer
	for _, s := range p.all() {
		s.mu.Lock()
		seen = append(seen, knownServer{s, s.file, s.def.disabled, s.shown})
		s.mu.Unlock()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == policy && slices.Equal(i.seen, seen) {
		return i.problems
	}
	before := i.problems
	i.of, i.seen, i.problems = policy, seen, policy.idle(seen)
	for _, problem := range i.problems {
		if !p.opts.Offline && !slices.Contains(before, problem) {
			p.env.Log.Warn("a rule of the policy is without effect", "problem", problem.What)
		}
	}
	return i.problems
}

// idle tells of the rules that hold for nothing.
func (p *policy) idle(servers []knownServer) (problems []fs.Problem) {
	all := make([]candidate, len(servers))
	for i, s := range servers {
		all[i] = newCandidate(s)
	}
	for _, rules := range [][]rule{p.deny, p.confirm, p.allow} {
		for _, r := range rules {
			if what := r.idle(all); what != "" {
				problems = append(problems, fs.Problem{
					What: fmt.Sprintf("%s %q in %s:%d is without effect: %s", r.key, clean.Line(r.text), p.path, r.line, what),
					Mend: "correct it in [mcp.policy] of " + p.path + ", or take it out; the names: ctxfs tools",
				})
			}
		}
	}
	return problems
}

// candidate is a server for which a rule may hold.
type candidate struct {
	file     string
	off      bool
	servers  []string // its names, that of its folder first
	subjects []subject
	tools    []string // their own names and those of their files
	known    bool     // the tools are
}

func newCandidate(s knownServer) candidate {
	c := candidate{file: s.file, off: s.off, servers: s.server.names()}
	if s.shown == nil {
		return c
	}
	for _, t := range s.shown.toolNames() {
		c.known = true
		c.subjects = append(c.subjects, newSubject(c.servers, t.name, t.file))
		c.tools = append(c.tools, clean.Line(t.name), t.file)
	}
	return c
}

// idle says why the rule holds for no tool that is known, or "". A rule for the
// tools of all servers whatever they are called is a precaution, and is only
// told of where it seems to be misspelt.
func (r rule) idle(all []candidate) string {
	holds := rule.covers
	if r.key == "allow" {
		holds = rule.names
	}
	var concerned []candidate
	var servers, tools []string
	unknown, unseen := false, false
	for _, c := range all {
		for _, s := range c.subjects {
			if s.find([]rule{r}, holds) != nil {
				return ""
			}
		}
		servers = append(servers, c.servers...)
		if r.concernsAny(c.servers) {
			concerned = append(concerned, c)
			tools = append(tools, c.tools...)
			unknown = unknown || !c.known
			unseen = unseen || !c.known && !c.off
		}
	}
	anywhere := r.splits[0][0][0] == '*' && len(r.splits[0][0]) == 1
	switch {
	case anywhere && (unseen || strings.ContainsAny(string(r.splits[0][1]), "*?")):
		return ""
	case anywhere:
		if near := r.nearest(tools, 1); near != "" {
			return fmt.Sprintf("no known server has such a tool; did you mean %q?", clean.Line(near))
		}
		return ""
	case len(concerned) == 0:
		text := "no known server is called that"
		if near := r.nearest(servers, 0); near != "" {
			text += fmt.Sprintf("; did you mean %q?", clean.Line(near))
		}
		return text
	case unknown:
		return ""
	}
	text := fmt.Sprintf("server %s has no such tool", concerned[0].file)
	if len(concerned) > 1 {
		text = fmt.Sprintf("none of the %d servers that it is for has such a tool", len(concerned))
	}
	if near := r.nearest(tools, 1); near != "" {
		text += fmt.Sprintf("; did you mean %q?", clean.Line(near))
	}
	return text
}

func (r rule) concernsAny(servers []string) bool {
	return slices.ContainsFunc(servers, func(server string) bool {
		return slices.ContainsFunc(spellings(server), r.concerns)
	})
}

// nearest is the known name that was probably meant by one side of the rule,
// 0 for the server and 1 for the tool.
func (r rule) nearest(known []string, side int) string {
	folded := make([]string, len(known))
	for i, name := range known {
		folded[i] = names.Fold(name)
	}
	for _, split := range r.splits {
		if near := nearest.Of(string(split[side]), folded); near != "" {
			return known[slices.Index(folded, near)]
		}
	}
	return ""
}
