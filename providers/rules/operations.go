package rules

import (
	"context"
	"fmt"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/providers/rules/check"
)

// PathQuery names a path, which is absolute.
type PathQuery struct {
	Path string `json:"path"`
}

// OpFor tells which rules hold for a path, which need not exist.
var OpFor = fs.Op[PathQuery, Page]{Name: "rules-for"}

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
var OpCheck = fs.Op[PathQuery, Checked]{Name: "rules-check", Slow: true}

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
