package rules

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/rules/check"
	"ctxfs/providers/rules/scope"
)

// PathQuery names a path, which is absolute.
type PathQuery struct {
	Path string `json:"path"`
}

// OpFor tells which rules hold for a path, which need not exist.
var OpFor = fs.Op[PathQuery, Page]{Name: "rules-for", Effect: fs.Reads}

// Checked are the faults in the rules of a project.
type Checked struct {
	// Project is the root of the project that has the folder that was named, or that
	// folder.
	Project string `json:"project"`
	// Files is how many files of rules it has.
	Files    int             `json:"files"`
	Findings []check.Finding `json:"findings"`
	// Notes are what could not be looked into.
	Notes []string `json:"notes,omitempty"`
}

// OpCheck checks the rules of the project of a folder; of the home folder, those of the
// user.
var OpCheck = fs.Op[PathQuery, Checked]{Name: "rules-check", Slow: true, Effect: fs.Reads}

// Costs implements facts.CostSource: the rules that agents always read for a folder; without one
// those of the user.
func (p *Provider) Costs(_ context.Context, dir string) (all []facts.Cost, _ error) {
	dir = cmp.Or(dir, p.opts.Home)
	page, err := p.page(dir)
	if err != nil {
		return nil, fmt.Errorf("the rules for %s are not counted: %w", p.tilde(dir), err)
	}
	for _, r := range page.Rules {
		if r.Applies == scope.Always {
			all = append(all, facts.Cost{Kind: facts.RuleCost, Name: p.tilde(r.Source[0]), Agents: r.Agents, Tokens: tokens.Count(r.text)})
		}
	}
	return all, nil
}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{
		OpFor.Handle(func(_ context.Context, q PathQuery) (Page, error) {
			if !filepath.IsAbs(q.Path) {
				return Page{}, fmt.Errorf("%q is not an absolute path", q.Path)
			}
			page, err := p.page(q.Path)
			if err != nil {
				return Page{}, fmt.Errorf("%s does not answer: %w", q.Path, err)
			}
			return *page, nil
		}),
		OpCheck.Handle(func(ctx context.Context, q PathQuery) (Checked, error) {
			if !filepath.IsAbs(q.Path) {
				return Checked{}, fmt.Errorf("%q is not an absolute path", q.Path)
			}
			return p.check(ctx, q.Path)
		}),
	}
}
