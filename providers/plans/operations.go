package plans

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
)

// Query asks for what is planned.
type Query struct {
	// Dir is a folder, an absolute path: what is of the project that has it. "" stands for
	// all projects.
	Dir string `json:"dir,omitempty"`
}

// Answer is what is planned, the newest first.
type Answer struct {
	// Open are the tasks that are still to be done, Plans all lists and plans.
	Open  []Open `json:"open"`
	Plans []Plan `json:"plans"`
	// Reading is set as long as sessions are being read for the first time: there may be
	// more, and others.
	Reading bool `json:"reading"`
	// Left is how many older plans are not shown, and Notes what could not be read.
	Left  int      `json:"left,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Open is an open task.
type Open struct {
	Text    string    `json:"text"`
	State   string    `json:"state"`
	Agent   string    `json:"agent"`
	Project string    `json:"project,omitempty"` // the absolute path of its folder
	Session string    `json:"session,omitempty"` // its folder in the tree
	Path    string    `json:"path"`              // of the list in the tree
	Time    time.Time `json:"time,omitzero"`     // when the list was last written
	Trusted bool      `json:"trusted"`
}

// Plan is a list of tasks, or a plan.
type Plan struct {
	Title   string          `json:"title"`
	Kind    facts.PlanKind  `json:"kind"`
	State   facts.PlanState `json:"state"`
	Agent   string          `json:"agent"`
	Project string          `json:"project,omitempty"`
	Session string          `json:"session,omitempty"`
	Source  string          `json:"source,omitempty"` // the agent's own file
	Path    string          `json:"path"`
	Time    time.Time       `json:"time,omitzero"`
	Trusted bool            `json:"trusted"`
	Tasks   []facts.Task    `json:"tasks,omitempty"`
}

// OpPlans tells what is planned. It waits briefly for sessions that are being read for the
// first time.
var OpPlans = fs.Op[Query, Answer]{Name: "plans", Effect: fs.Reads}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{OpPlans.Handle(func(ctx context.Context, q Query) (Answer, error) {
		if q.Dir != "" && !filepath.IsAbs(q.Dir) {
			return Answer{}, fmt.Errorf("%q is not an absolute path", q.Dir)
		}
		p.wait(ctx)
		return p.answer(q), nil
	})}
}

// answer returns what is planned in the project of a folder, or in all.
func (p *Provider) answer(q Query) Answer {
	s := p.shown()
	a := Answer{Open: []Open{}, Plans: []Plan{}, Reading: !s.complete, Left: s.left, Notes: s.notes}
	root := ""
	if q.Dir != "" {
		root = p.rootOf(q.Dir)
	}
	for _, project := range s.projects {
		if q.Dir != "" && project.root != root && (project.root == "" || !fs.Within(project.root, filepath.Clean(q.Dir))) {
			continue
		}
		for _, t := range project.open {
			a.Open = append(a.Open, Open{
				Text: t.Text, State: string(t.State), Agent: t.entry.agent, Project: project.root, Session: t.entry.path,
				Path: t.entry.place(), Time: t.entry.time, Trusted: t.entry.trusted,
			})
		}
		for _, e := range project.entries {
			a.Plans = append(a.Plans, Plan{
				Title: cmp.Or(e.title, e.name), Kind: e.plan.Kind, State: e.plan.State, Agent: e.agent, Project: project.root, Session: e.path,
				Source: e.file, Path: e.place(), Time: e.time, Trusted: e.trusted, Tasks: e.plan.Tasks,
			})
		}
	}
	return a
}
