package fleet

import (
	"slices"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/server"
)

// Summaries returns the summaries of all servers, and the problems of
// configuration files and of ineffective rules of the policy.
func (f *Fleet) Summaries() ([]server.Summary, []fs.Problem) {
	f.mu.Lock()
	servers, problems := f.servers, f.problems
	f.mu.Unlock()
	all := make([]server.Summary, len(servers))
	seen := make([]ruleTarget, len(servers))
	for i, s := range servers {
		all[i] = s.Summary()
		seen[i] = ruleTarget{s, all[i].File, all[i].Disabled, all[i].Shown}
	}
	found, fresh := f.idleRules.find(f.Policy(), seen)
	if !f.o.Server.Offline {
		for _, problem := range fresh {
			f.o.Server.Env.Log.Warn("a rule of the policy has no effect", "problem", problem.What)
		}
	}
	return all, slices.Concat(problems, found)
}

// ineffectiveRules caches the problems of rules of the policy that match nothing,
// until the policy, the servers or their tools change.
type ineffectiveRules struct {
	mu       sync.Mutex
	of       *policy.Policy
	seen     []ruleTarget
	problems []fs.Problem
}

// ruleTarget is the part of a server that decides which rules are effective.
type ruleTarget struct {
	server *server.Server
	file   string
	off    bool                // it is disabled
	shown  *catalogue.Snapshot // nil where its tools are not known
}

// find returns the problems of ineffective rules, and which of them are new.
func (i *ineffectiveRules) find(by *policy.Policy, seen []ruleTarget) (all, fresh []fs.Problem) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == by && slices.Equal(i.seen, seen) {
		return i.problems, nil
	}
	before := i.problems
	i.of, i.seen, i.problems = by, seen, by.Ineffective(knownServers(seen))
	fresh = slices.DeleteFunc(slices.Clone(i.problems), func(p fs.Problem) bool { return slices.Contains(before, p) })
	return i.problems, fresh
}

func knownServers(all []ruleTarget) (known []policy.Server) {
	for _, s := range all {
		k := policy.Server{Names: s.server.Names(), Disabled: s.off}
		if s.shown != nil {
			k.Tools = s.shown.ToolNames()
		}
		known = append(known, k)
	}
	return known
}
