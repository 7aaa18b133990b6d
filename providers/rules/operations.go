package rules

import (
	"context"
	"fmt"
	"path/filepath"

	"ctxfs/fs"
)

// PathQuery names a path, which is absolute.
type PathQuery struct {
	Path string `json:"path"`
}

// OpFor tells which rules hold for a path, which need not exist.
var OpFor = fs.Op[PathQuery, Page]{Name: "rules-for"}

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
	}
}
