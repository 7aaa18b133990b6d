package stats

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/stats/prices"
	"ctxfs/providers/stats/spending"
)

// StaticReport is what stands in every request of an agent that is given all servers, and
// what of the tree does instead.
type StaticReport struct {
	// Agent is the agent whose skills and rules are counted: they are not the same for all.
	// It is that of the query, or the one with the most tokens of them. Of servers those of
	// all agents are counted, unless the query has an agent.
	Agent string `json:"agent,omitempty"`
	// Dir is the folder in which it works.
	Dir string `json:"dir,omitempty"`
	// Items are servers, skills and rules, of each kind what takes most first.
	Items []Item `json:"items"`
	// Kinds has the sums of the items of each kind; Injected that of all of them.
	Kinds    []Sum `json:"kinds"`
	Injected int   `json:"injected_tokens"`
	// Page is what AGENTS.md takes, all of it: it has the lines of the items, too. Told is
	// what hooks have told a session by its end, on average over so many Sessions. Tree is
	// both.
	Page     int `json:"page_tokens"`
	Told     int `json:"told_tokens"`
	Sessions int `json:"told_sessions"`
	Tree     int `json:"tree_tokens"`
	// Money is what that costs; nil where no price is known.
	Money *Money `json:"money,omitempty"`
}

// Item is a server, a skill or a file of rules.
type Item struct {
	facts.Cost
	// Tree is what names it in AGENTS.md; 0 where it is not named.
	Tree int `json:"tree_tokens"`
}

// Sum is the sum of the items of a kind.
type Sum struct {
	Kind  facts.CostKind `json:"kind"`
	Items int            `json:"items"`
	// Unknown is how many of them are not in Tokens.
	Unknown int `json:"unknown,omitempty"`
	// Count is how many tools servers have.
	Count  int `json:"count,omitempty"`
	Tokens int `json:"tokens"`
	Tree   int `json:"tree_tokens"`
}

// Money is what tokens of every request cost, in US dollars.
type Money struct {
	// Model is the one that took most tokens in sessions. Input and CacheRead are its
	// prices of a million tokens.
	Model     string  `json:"model"`
	Input     float64 `json:"input"`
	CacheRead float64 `json:"cache_read"`
	// Injected and Tree are what they cost in a request that reads them for the first
	// time, and where they are read from a cache.
	Injected       float64 `json:"injected"`
	Tree           float64 `json:"tree"`
	InjectedCached float64 `json:"injected_cached"`
	TreeCached     float64 `json:"tree_cached"`
	// Requests is how many requests sessions have made in the time of the query, and Saved
	// what the difference between Injected and Tree is in as many, read from a cache.
	Requests int     `json:"requests"`
	Saved    float64 `json:"saved_cached"`
}

// static counts what stands in every request.
func (c *Counter) static(ctx context.Context, q Query) (*StaticReport, []error) {
	var problems []error
	all, err := c.opts.Costs(ctx, q.Dir)
	if err != nil {
		problems = append(problems, err)
	}
	page, err := c.opts.Page(ctx)
	if err != nil {
		problems = append(problems, fmt.Errorf("AGENTS.md is not counted: %w", err))
	}
	sessions, told, err := c.opts.Told(ctx)
	if err != nil {
		problems = append(problems, fmt.Errorf("what hooks say is not counted: %w", err))
	}
	r := &StaticReport{Dir: q.Dir, Agent: cmp.Or(q.Agent, most(all)), Items: []Item{}, Page: tokens.Count(page), Sessions: sessions}
	r.Told = told / max(sessions, 1)
	r.Tree = r.Page + r.Told
	named := words(page)
	for _, one := range all {
		if !given(one, r.Agent) && (q.Agent != "" || one.Kind != facts.ServerCost) || q.Server != "" && (one.Kind != facts.ServerCost || one.Name != q.Server) {
			continue
		}
		item := Item{Cost: one}
		if text := named[one.Name]; text != "" && one.Kind != facts.RuleCost {
			item.Tree = tokens.Count(text + ", ")
		}
		r.Items = append(r.Items, item)
	}
	slices.SortFunc(r.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(b.Tokens, a.Tokens), strings.Compare(a.Name, b.Name))
	})
	r.sum()
	return r, problems
}

// kinds are the kinds in their order.
var kinds = []facts.CostKind{facts.ServerCost, facts.SkillCost, facts.RuleCost}

// given reports whether an agent is given something.
func given(c facts.Cost, agent string) bool {
	return c.Agents == nil || slices.Contains(c.Agents, agent)
}

// most returns the agent with the most tokens of skills and rules, or "".
func most(all []facts.Cost) (agent string) {
	sums := make(map[string]int)
	for _, one := range all {
		if one.Kind != facts.ServerCost {
			for _, id := range one.Agents {
				sums[id] += one.Tokens
			}
		}
	}
	for id, n := range sums {
		if agent == "" || n > sums[agent] || n == sums[agent] && id < agent {
			agent = id
		}
	}
	return agent
}

// words returns what a page says of the things that it names, by their names: the name
// with the remark in brackets that follows, as in "github (12), notes", or a line of a list
// such as "- pdf — Reads PDF files.".
func words(page string) map[string]string {
	named := make(map[string]string)
	add := func(text string) {
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "- "), " ")
		if _, known := named[name]; !known {
			named[name] = text
		}
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "- ") {
			add(line)
		} else if _, list, ok := strings.Cut(line, ": "); ok {
			for _, one := range strings.Split(list, ", ") {
				add(one)
			}
		}
	}
	return named
}

// sum makes the sums of the kinds.
func (r *StaticReport) sum() {
	for _, kind := range kinds {
		s := Sum{Kind: kind}
		for _, i := range r.Items {
			if i.Kind != kind {
				continue
			}
			s.Items++
			s.Count += i.Count
			s.Tokens += i.Tokens
			s.Tree += i.Tree
			if i.Unknown != "" {
				s.Unknown++
			}
		}
		r.Kinds = append(r.Kinds, s)
		r.Injected += s.Tokens
	}
}

// price says what the tokens cost, by the model that took most tokens in sessions and whose
// price is known: spent are those of the query, ever those of all time, which are used
// instead of an empty spent. Without such a model nothing is said.
func (r *StaticReport) price(list *prices.List, spent, ever *spending.Report, now time.Time) {
	models := slices.Clone(ever.Models)
	slices.SortStableFunc(models, func(a, b spending.Row) int { return cmp.Compare(b.Total, a.Total) })
	for _, m := range models {
		p, ok := list.Of(m.Name, now)
		if !ok || p.Input == 0 {
			continue
		}
		cost := func(n int) float64 { return p.Input * float64(n) / 1e6 }
		cached := func(n int) float64 { return p.CacheRead * float64(n) / 1e6 }
		r.Money = &Money{
			Model: m.Name, Input: p.Input, CacheRead: p.CacheRead,
			Injected: cost(r.Injected), Tree: cost(r.Tree), InjectedCached: cached(r.Injected), TreeCached: cached(r.Tree),
			Requests: spent.Calls, Saved: cached(max(r.Injected-r.Tree, 0)) * float64(spent.Calls),
		}
		return
	}
}
