package memory

import (
	"context"

	"ctxfs/fs"
)

// The names in the root that no section has.
const (
	indexName   = "INDEX.md"
	summaryName = "SUMMARY.md"
	inboxName   = "inbox"
	userName    = "user"
	// proposedName is where what may be worth remembering is listed.
	proposedName = "proposed"
)

// folder is the provider's root. It is filled when something in it is first asked for.
type folder struct {
	fs.Folder
	provider *Provider
}

func newFolder(p *Provider) *folder { return &folder{provider: p} }

// Lookup implements fs.Dir.
func (f *folder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if name != inboxName {
		f.provider.shown()
	}
	return f.Folder.Lookup(ctx, name)
}

// List implements fs.Dir.
func (f *folder) List(ctx context.Context) ([]fs.Entry, error) {
	f.provider.shown()
	return f.Folder.List(ctx)
}

// Computed implements fs.Computed: the first reader waits until the memories were read.
func (f *folder) Computed() {}
