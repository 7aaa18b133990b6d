package results

import (
	"context"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/fulltext"
)

var _ facts.Searcher = (*Provider)(nil)

// Search implements facts.Searcher. It finds the results that contain the words, or
// whose tool does. Titles name the server and the tool, and Why also says when the
// result was saved. A result is found as soon as it exists; if very much is not
// indexed yet, only the newest of it is. The provider is not an fs.Documented: each
// result would be named after its tool, and a hundred calls of one would be listed
// before the tool itself.
func (p *Provider) Search(ctx context.Context, words, in string, limit int) (facts.Findings, error) {
	q := fulltext.Query{Words: words, Limit: limit}
	if in != "" {
		q.Only = func(t fulltext.Text) bool { return t.Session == in }
	}
	return p.fulltext.Find(ctx, q, func(h fulltext.Hit, _ []fulltext.Hit) (facts.Match, bool) {
		return facts.Match{
			Path: h.Text.Session, Kind: "result", Title: strings.ReplaceAll(h.Text.Title, " ", "/"),
			Why: wording.Minute(h.Text.Time) + " " + h.Text.Title + ": " + h.Line, Evidence: facts.Evidence{Time: h.Text.Time},
		}, true
	})
}

// Start implements fs.Starter: it indexes in the background.
func (p *Provider) Start() { _ = p.fulltext.Begin() }

// library is the results that are text, as the full-text index sees them.
type library struct{ p *Provider }

// Texts implements fulltext.Library.
func (l library) Texts() []fulltext.Text {
	entries := l.p.shown.Load().entries
	all := make([]fulltext.Text, 0, len(entries))
	for _, e := range slices.Backward(entries) {
		if isText(e.name) {
			all = append(all, e.text())
		}
	}
	return all
}

func (e *entry) text() fulltext.Text {
	title := strings.TrimSpace(cell(e.origin.Server) + " " + cell(e.origin.Tool))
	return fulltext.Text{Session: e.name, Title: title, Generation: uint32(e.disk ^ e.disk>>32), Size: e.size, Time: e.time}
}

// Open implements fulltext.Library.
func (l library) Open(t fulltext.Text) (fulltext.File, error) {
	node, err := l.p.root.Lookup(context.Background(), t.Session)
	if err != nil {
		return nil, err
	}
	f, ok := node.(fs.File)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return fulltext.Open(f), nil
}

// isText reports, by the ending of its name, whether a result is text. Everything
// that was stored without an ending of its own is.
func isText(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case extJSON, extLines, extText, "css", "csv", "diff", "html", "js", "log", "md", "svg", "toml", "tsv", "xml", "yaml":
		return true
	}
	return false
}
