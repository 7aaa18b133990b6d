// Package spending counts the tokens and the money of requests to models: by day, agent,
// model and project. What the requests were comes from providers ([facts.Calls]);
// what they cost from their agents or, where those do not say, from prices.
package spending

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
)

// Query says what is counted.
type Query struct {
	// Zone is the time zone of the days. Since and Until are the first and the last day,
	// as 2006-01-02; "" for all. Calls without a time are of no day.
	Zone         *time.Location
	Since, Until string
	// Agent, Model and Project are what a call must be of; "" for any. A model may be only
	// a part of the name, a project a folder above that in which the session worked.
	Agent, Model, Project string
	// Price returns what a call costs, in US dollars; false if that is unknown.
	Price func(facts.ModelCall) (dollars float64, ok bool)
	// ProjectOf returns the project that a folder is of.
	ProjectOf func(dir string) string
}

// Sum is what some calls took.
type Sum struct {
	Calls  int          `json:"calls"`
	Tokens facts.Tokens `json:"tokens"`
	Total  int64        `json:"total_tokens"`
	// Cost is in US dollars, as far as prices are known: Unpriced counts the tokens
	// without a price.
	Cost     float64 `json:"cost"`
	Unpriced int64   `json:"unpriced_tokens,omitempty"`
}

func (s *Sum) add(o Sum) {
	s.Calls += o.Calls
	s.Tokens = s.Tokens.Add(o.Tokens)
	s.Total += o.Total
	s.Cost += o.Cost
	s.Unpriced += o.Unpriced
}

// Row is a line of a table: a day, an agent, a model or a project. Foreign names are made
// safe.
type Row struct {
	Name string `json:"name"`
	Sum
	// Of are the parts of the row by model: of a day, so that it can be compared with what
	// else counts.
	Of []Row `json:"models,omitempty"`
}

// Session is a session of an agent with what it took.
type Session struct {
	Agent string `json:"agent"`
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Path  string `json:"path,omitempty"`
	Sum
}

// Report is what was counted.
type Report struct {
	Sum
	// Days are in their order, the last one being for calls without a time, whose name is
	// "". All else begins with what costs most.
	Days     []Row     `json:"days"`
	Agents   []Row     `json:"agents"`
	Models   []Row     `json:"models"`
	Projects []Row     `json:"projects"`
	Sessions []Session `json:"sessions"`
	// Unknown are the models without a price.
	Unknown []string `json:"unknown_models,omitempty"`
}

// mostSessions is how many sessions a report has.
const mostSessions = 20

// call is a call that counts, with its part.
type call struct {
	facts.ModelCall
	of *facts.Part[facts.Calls]
}

// Count counts the calls of sessions, each once: see [facts.ModelCall].
func Count(parts []facts.Part[facts.Calls], q Query) Report {
	c := counter{query: q, days: make(map[string]*day), agents: make(map[string]*Sum), models: make(map[string]*Sum),
		projects: make(map[string]*Sum), sessions: make(map[*facts.Part[facts.Calls]]*Sum), unknown: make(map[string]bool), names: make(map[string]string)}
	for kept := range once(parts) {
		c.count(kept)
	}
	return c.report()
}

// once yields each call once. Only those that may be there several times are kept in
// memory, some 200 bytes each, until all are known.
func once(parts []facts.Part[facts.Calls]) iter.Seq[call] {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b facts.Part[facts.Calls]) int { return cmp.Compare(a.Agent, b.Agent) })
	return func(yield func(call) bool) {
		var s same
		for i := range parts {
			p := &parts[i]
			if i == 0 || p.Agent != parts[i-1].Agent {
				s = same{keys: make(map[uint64]int), copies: make(map[uint64]int), aside: make(map[uint64]int)}
			}
			for _, packed := range p.Facts {
				for c := range packed.Each {
					if c.Key != 0 || c.Copy != 0 {
						s.add(call{c, p})
					} else if !yield(call{c, p}) {
						return
					}
				}
			}
			if i+1 < len(parts) && p.Agent == parts[i+1].Agent {
				continue
			}
			for _, c := range s.kept {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// same finds calls that are the same as earlier ones.
type same struct {
	kept                []call
	keys, copies, aside map[uint64]int
}

func (s *same) add(c call) {
	i, known := s.find(c)
	if !known {
		i = len(s.kept)
		s.kept = append(s.kept, c)
	} else if c.Replaces(s.kept[i].ModelCall) {
		s.kept[i] = c
	}
	s.note(s.keys, c.Key, i)
	s.note(s.copies, c.Copy, i)
	if c.Aside {
		s.note(s.aside, c.Copy, i)
	}
}

func (s *same) note(in map[uint64]int, key uint64, i int) {
	if _, known := in[key]; key != 0 && !known {
		in[key] = i
	}
}

func (s *same) find(c call) (i int, known bool) {
	if i, known = s.keys[c.Key]; known {
		return i, true
	}
	if c.Aside {
		i, known = s.copies[c.Copy]
	} else {
		i, known = s.aside[c.Copy]
	}
	return i, known
}

type day struct {
	Sum
	models map[string]*Sum
}

type counter struct {
	query                    Query
	all                      Sum
	days                     map[string]*day
	agents, models, projects map[string]*Sum
	sessions                 map[*facts.Part[facts.Calls]]*Sum
	unknown                  map[string]bool
	names                    map[string]string // of projects, by folder
}

func (c *counter) count(one call) {
	q := &c.query
	name := ""
	if !one.Time.IsZero() {
		name = one.Time.In(q.Zone).Format(time.DateOnly)
	}
	if q.Since != "" && name < q.Since || q.Until != "" && (name > q.Until || name == "") ||
		q.Agent != "" && one.of.Agent != q.Agent || q.Model != "" && !strings.Contains(one.Model, q.Model) {
		return
	}
	project, known := c.names[one.of.Dir]
	if !known {
		project = q.ProjectOf(one.of.Dir)
		c.names[one.of.Dir] = project
	}
	if q.Project != "" && project != q.Project && !fs.Within(one.of.Dir, q.Project) {
		return
	}
	s := Sum{Calls: 1, Tokens: one.Tokens, Total: one.Tokens.Total(), Cost: one.Cost}
	if one.Cost == 0 && s.Total > 0 {
		if dollars, known := q.Price(one.ModelCall); known {
			s.Cost = dollars
		} else {
			s.Unpriced = s.Total
			c.unknown[clean.Line(one.Model)] = true
		}
	}
	d := c.days[name]
	if d == nil {
		d = &day{models: make(map[string]*Sum)}
		c.days[name] = d
	}
	d.add(s)
	c.all.add(s)
	add(d.models, one.Model, s)
	add(c.agents, one.of.Agent, s)
	add(c.models, one.Model, s)
	add(c.projects, project, s)
	add(c.sessions, one.of, s)
}

func add[K comparable](to map[K]*Sum, name K, s Sum) {
	sum := to[name]
	if sum == nil {
		sum = new(Sum)
		to[name] = sum
	}
	sum.add(s)
}

func (c *counter) report() Report {
	r := Report{Sum: c.all, Agents: rows(c.agents), Models: rows(c.models), Projects: rows(c.projects), Unknown: slices.Sorted(maps.Keys(c.unknown))}
	names := slices.Sorted(maps.Keys(c.days))
	if len(names) > 0 && names[0] == "" {
		names = append(names[1:], "")
	}
	for _, name := range names {
		d := c.days[name]
		r.Days = append(r.Days, Row{Name: name, Sum: d.Sum, Of: rows(d.models)})
	}
	for p, sum := range c.sessions {
		r.Sessions = append(r.Sessions, Session{Agent: clean.Line(p.Agent), ID: clean.Line(p.Session), Title: clean.Line(p.Title), Path: clean.Line(p.Path), Sum: *sum})
	}
	slices.SortFunc(r.Sessions, func(a, b Session) int {
		return cmp.Or(costlier(a.Sum, b.Sum), strings.Compare(a.Agent, b.Agent), strings.Compare(a.ID, b.ID))
	})
	r.Sessions = r.Sessions[:min(mostSessions, len(r.Sessions))]
	return r
}

func rows(of map[string]*Sum) []Row {
	all := make([]Row, 0, len(of))
	for name, sum := range of {
		all = append(all, Row{Name: clean.Line(name), Sum: *sum})
	}
	slices.SortFunc(all, func(a, b Row) int { return cmp.Or(costlier(a.Sum, b.Sum), strings.Compare(a.Name, b.Name)) })
	return all
}

// costlier orders what costs more before what costs less.
func costlier(a, b Sum) int {
	return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Total, a.Total))
}
