package mcp

import (
	"slices"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/policy"
)

// idleRules finds the rules of the policy that hold for nothing: a rule that
// was misspelt, or whose server was renamed, protects nobody, and nobody would
// notice. It remembers what it found until the policy, the servers or their
// tools change.
type idleRules struct {
	mu       sync.Mutex
	of       *policy.Policy
	seen     []ruledServer
	problems []fs.Problem
}

// ruledServer is what of a server decides which rules hold for something.
type ruledServer struct {
	server *server
	file   string
	off    bool                // it is disabled
	shown  *catalogue.Snapshot // nil where its tools are not known
}

// find tells of the rules that hold for nothing. What was not found the last
// time is logged.
func (i *idleRules) find(p *Provider) []fs.Problem {
	policy := p.policy.Load()
	var seen []ruledServer
	for _, s := range p.all() {
		s.mu.Lock()
		seen = append(seen, ruledServer{s, s.file, s.def.Disabled, s.shown})
		s.mu.Unlock()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == policy && slices.Equal(i.seen, seen) {
		return i.problems
	}
	before := i.problems
	i.of, i.seen, i.problems = policy, seen, policy.Ineffective(knownServers(seen))
	for _, problem := range i.problems {
		if !p.opts.Offline && !slices.Contains(before, problem) {
			p.env.Log.Warn("a rule of the policy is without effect", "problem", problem.What)
		}
	}
	return i.problems
}

func knownServers(all []ruledServer) (known []policy.Server) {
	for _, s := range all {
		k := policy.Server{Names: s.server.names(), Disabled: s.off}
		if s.shown != nil {
			k.Tools = s.shown.ToolNames()
		}
		known = append(known, k)
	}
	return known
}
