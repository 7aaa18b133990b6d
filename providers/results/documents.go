package results

import (
	"iter"
	"slices"

	"ctxfs/fs"
	"ctxfs/fs/wording"
)

// Documents implements fs.Provider: one for each result, the newest first.
func (p *Provider) Documents() iter.Seq[fs.Document] {
	entries := p.shown.Load().entries
	return func(yield func(fs.Document) bool) {
		for _, e := range slices.Backward(entries) {
			if !yield(e.document()) {
				return
			}
		}
	}
}

func (e *entry) document() fs.Document {
	server, tool := cell(e.origin.Server), cell(e.origin.Tool)
	title := tool
	if server != "" {
		title = server + "/" + tool
	}
	return fs.Document{
		Path: e.name, Title: title + " " + wording.Time(e.time),
		Fields: map[string]string{"name": e.name, "server": server, "tool": tool},
	}
}
