package skills

import (
	"context"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// folder is the provider's root. Without a watch it is filled when it is first asked for.
type folder struct {
	fs.Folder
	provider *Provider
}

// Attr implements fs.Node.
func (f *folder) Attr(ctx context.Context) (fs.Attr, error) {
	f.provider.studied()
	return f.Folder.Attr(ctx)
}

// Lookup implements fs.Dir.
func (f *folder) Lookup(ctx context.Context, name string) (fs.Node, error) {
	f.provider.studied()
	return f.Folder.Lookup(ctx, name)
}

// List implements fs.Dir.
func (f *folder) List(ctx context.Context) ([]fs.Entry, error) {
	f.provider.studied()
	return f.Folder.List(ctx)
}

// Computed implements fs.Computed: what is watched answers from memory, and anything else
// looks at projects first.
func (f *folder) Computed() {}

// patience is how long a project's folder may take to answer.
const patience = 2 * time.Second

// shownPath returns a path as a user writes it, in one line: one with characters that are
// not seen as a word of bash and zsh, $'…'.
func (p *Provider) shownPath(path string) string {
	shown := wording.Tilde(path, p.opts.Home)
	if clean.Line(shown) == shown {
		return shown
	}
	quoted := strconv.Quote(path)
	return "$'" + strings.NewReplacer(`\\`, `\\`, `\"`, `"`, "'", `\'`).Replace(quoted[1:len(quoted)-1]) + "'"
}
