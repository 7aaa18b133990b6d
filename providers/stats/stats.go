// Package stats tells what an agent's context costs: what the user's servers, skills and
// rules take in every request of an agent that is given them, what the tree takes instead,
// how tools were called, and what sessions have spent.
//
// It knows no provider by name. What there is to tell comes from those that are a
// [facts.CostSource], a [facts.CallSource], a [facts.ResultSource] or facts.Sources; package prices says what tokens cost, and
// package spending counts what was spent. static.go counts what stands in every request,
// called.go calls and
// files.
package stats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/factbook"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/stats/prices"
	"ctxfs/providers/stats/spending"
)

// Options are what a [Counter] counts.
type Options struct {
	// Costs returns what all providers know, see [facts.CostSource], and what could not be
	// counted.
	Costs func(ctx context.Context, dir string) ([]facts.Cost, error)
	// Calls returns what all providers know, see [facts.CallSource].
	Calls func(ctx context.Context, q facts.CallsQuery) ([]facts.ToolCalls, error)
	// Stored returns what all providers know, see [facts.ResultSource].
	Stored func(ctx context.Context, q facts.CallsQuery) ([]facts.StoredResults, error)
	// Spent is what all providers know of requests to models.
	Spent facts.Source[facts.Calls]
	// Page returns the text of AGENTS.md.
	Page func(ctx context.Context) (string, error)
	// Told returns what hooks have told to how many sessions, in tokens.
	Told func(ctx context.Context) (sessions, tokens int, err error)
	// ProjectOf returns the root of the project that a folder is in, or the folder itself;
	// "" for "".
	ProjectOf func(dir string) string
	// Config is the path of config.toml, Cache a folder for what can be counted again.
	Config, Cache string
	Now           func() time.Time
}

// Section is a part of a [Report].
type Section string

// The sections.
const (
	Static   Section = "static"   // what stands in every request
	Calls    Section = "calls"    // calls per tool
	Files    Section = "files"    // long results in files
	Spending Section = "spending" // tokens and money of sessions
)

// Query selects what is counted.
type Query struct {
	// Sections are those that are wanted; none stands for all.
	Sections []Section
	// Dir is the folder in which an agent works, an absolute path, or "".
	Dir string
	// Zone is the time zone of the days, by its IANA name, or Offset seconds east of UTC
	// where that is "".
	Zone   string
	Offset int
	// Since and Until are the first and the last day, as 2006-01-02; "" for all.
	Since, Until string
	// Agent, Server, Model and Project choose: an agent by its id, a server by its folder,
	// a model by a part of its name, a project by its folder. "" is any.
	Agent, Server, Model, Project string
}

// Report is what was counted. What was not asked for is nil.
type Report struct {
	Time time.Time `json:"time"`
	// Since and Until are those of the query.
	Since    string           `json:"since,omitempty"`
	Until    string           `json:"until,omitempty"`
	Static   *StaticReport    `json:"static,omitempty"`
	Calls    *CallsReport     `json:"calls,omitempty"`
	Files    *FilesReport     `json:"files,omitempty"`
	Spending *spending.Report `json:"spending,omitempty"`
	// Problems are why something is missing.
	Problems []string `json:"problems,omitempty"`
}

// OpStats counts.
var OpStats = fs.Op[Query, Report]{Name: "stats", Slow: true, Effect: fs.Reads}

// Counter answers [OpStats].
type Counter struct {
	opts Options

	reading sync.Mutex // of the book of what was spent: one at a time
}

// New returns a counter.
func New(o Options) *Counter { return &Counter{opts: o} }

// Operations returns the operations.
func (c *Counter) Operations() []fs.Operation { return []fs.Operation{OpStats.Handle(c.count)} }

// count answers a query.
func (c *Counter) count(ctx context.Context, q Query) (Report, error) {
	if q.Project != "" {
		q.Project = cmp.Or(c.opts.ProjectOf(q.Project), q.Project)
	}
	zone, err := zoneOf(q)
	if err != nil {
		return Report{}, err
	}
	r := Report{Time: c.opts.Now(), Since: q.Since, Until: q.Until}
	since, until, err := days(q, zone)
	if err != nil {
		return Report{}, err
	}
	failed := func(err error) {
		if err != nil {
			r.Problems = append(r.Problems, clean.Line(err.Error()))
		}
	}
	wants := func(s Section) bool { return len(q.Sections) == 0 || slices.Contains(q.Sections, s) }
	list := prices.Load(c.opts.Config)
	for _, p := range list.Problems {
		r.Problems = append(r.Problems, clean.Line(p.What))
	}
	var spent, ever *spending.Report
	if wants(Spending) || wants(Static) {
		spent, ever, err = c.spent(ctx, q, zone, list)
		failed(err)
	}
	if wants(Spending) {
		r.Spending = spent
	}
	if wants(Static) {
		var problems []error
		r.Static, problems = c.static(ctx, q)
		r.Static.price(list, spent, ever, c.opts.Now())
		for _, err := range problems {
			failed(err)
		}
	}
	asked := facts.CallsQuery{Since: since, Until: until, Server: q.Server, Agent: q.Agent, Project: q.Project}
	if wants(Calls) {
		all, err := c.opts.Calls(ctx, asked)
		failed(err)
		r.Calls = newCalls(all)
	}
	if wants(Files) {
		all, err := c.opts.Stored(ctx, asked)
		failed(err)
		r.Files = newFiles(all)
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	r.Problems = append(r.Problems, c.misnamed(ctx, q)...)
	return r, nil
}

// misnamed reports that the agent or the server that a query names is unknown, and has no
// call either.
func (c *Counter) misnamed(ctx context.Context, q Query) (problems []string) {
	tell := func(what, name string, known []string, calls facts.CallsQuery) {
		if name == "" || slices.Contains(known, name) {
			return
		}
		if called, _ := c.opts.Calls(ctx, calls); len(called) > 0 { // its error was told
			return
		}
		text := fmt.Sprintf("no %s is called %q", what, clean.Line(name))
		if meant := nearest.Of(name, known); meant != "" {
			text += fmt.Sprintf("; did you mean %q?", meant)
		}
		problems = append(problems, text)
	}
	var ids, servers []string
	for _, a := range agents.All() {
		ids = append(ids, a.ID)
	}
	tell("agent", q.Agent, ids, facts.CallsQuery{Agent: q.Agent})
	if q.Server != "" {
		all, _ := c.opts.Costs(ctx, q.Dir)
		for _, one := range all {
			if one.Kind == facts.ServerCost {
				servers = append(servers, one.Name)
			}
		}
		tell("server", q.Server, servers, facts.CallsQuery{Server: q.Server})
	}
	return problems
}

// spent counts what sessions have spent: what the query asks for, and ever.
func (c *Counter) spent(ctx context.Context, q Query, zone *time.Location, list *prices.List) (spent, ever *spending.Report, err error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	book := factbook.Open[facts.Calls](filepath.Join(c.opts.Cache, "spending.jsonl"), nil)
	book.Refresh(ctx, c.opts.Spent)
	if err = book.Save(); err != nil {
		err = fmt.Errorf("what was read of sessions is not kept, and read again next time: %w", err)
	}
	asked := spending.Query{
		Zone: zone, Since: q.Since, Until: q.Until, Agent: q.Agent, Model: q.Model, Project: q.Project, ProjectOf: c.opts.ProjectOf,
		Price: func(call facts.ModelCall) (float64, bool) {
			p, ok := list.Of(call.Model, call.Time)
			return p.Cost(call.Tokens), ok
		},
	}
	report := spending.Count(book.Parts(), asked)
	if report.Calls > 0 {
		return &report, &report, err
	}
	asked.Since, asked.Until = "", ""
	all := spending.Count(book.Parts(), asked)
	return &report, &all, err
}

// zoneOf returns the time zone of a query.
func zoneOf(q Query) (*time.Location, error) {
	if q.Zone == "" {
		return time.FixedZone("", q.Offset), nil
	}
	zone, err := time.LoadLocation(q.Zone)
	if err != nil {
		return nil, fmt.Errorf("the time zone %s is not known here", clean.Line(q.Zone))
	}
	return zone, nil
}

// days returns the beginning of the first day and the end of the last one; zero is any.
func days(q Query, zone *time.Location) (since, until time.Time, err error) {
	if q.Since != "" {
		if since, err = time.ParseInLocation(time.DateOnly, q.Since, zone); err != nil {
			return since, until, errors.New("the first day is not as 2006-01-02")
		}
	}
	if q.Until != "" {
		if until, err = time.ParseInLocation(time.DateOnly, q.Until, zone); err != nil {
			return since, until, errors.New("the last day is not as 2006-01-02")
		}
		until = until.AddDate(0, 0, 1)
	}
	return since, until, nil
}
