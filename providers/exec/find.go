package exec

import (
	"context"
	"path"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/fulltext"
)

// Search implements facts.Searcher: it finds the outputs that are listed, by their words and
// their paths.
func (p *Provider) Search(ctx context.Context, words, in string, limit int) (facts.Findings, error) {
	q := fulltext.Query{Words: words, Limit: limit}
	if in != "" {
		q.Only = func(t fulltext.Text) bool { return t.Session == in || strings.HasPrefix(t.Session, in+"/") }
	}
	return p.fulltext.Find(ctx, q, func(h fulltext.Hit, _ []fulltext.Hit) (facts.Match, bool) {
		return facts.Match{
			Path: h.Text.Session, Kind: "output", Title: h.Text.Session,
			Why: wording.Minute(h.Text.Time) + ": " + h.Line, Evidence: facts.Evidence{Time: h.Text.Time},
		}, true
	})
}

// library is the outputs that are listed, as the full-text index sees them.
type library struct{ p *Provider }

// good returns the last good output and where it is, if the output is at a path; or
// nil.
func (o *output) good(at string) (*body, string) {
	if o.Failed == "" {
		return &o.Body, at
	}
	return o.Good, at + goodSuffix
}

// Texts implements fulltext.Library.
func (l library) Texts() (all []fulltext.Text) {
	for _, f := range l.p.all() {
		now := f.p.opts.Env.Now()
		f.mu.Lock()
		for name, o := range f.outputs {
			if b, at := o.good(path.Join(f.name, name)); b != nil && now.Before(o.ends(f.lifetime)) {
				all = append(all, fulltext.Text{
					Session: at, Title: strings.NewReplacer("/", " ", ".", " ", "_", " ").Replace(path.Join(f.name, name)),
					Generation: uint32(hash(b.File)), Size: b.Size, Time: b.At,
				})
			}
		}
		f.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b fulltext.Text) int { return b.Time.Compare(a.Time) })
	return all
}

// Open implements fulltext.Library.
func (l library) Open(t fulltext.Text) (fulltext.File, error) {
	folder, name, _ := strings.Cut(t.Session, "/")
	for _, f := range l.p.all() {
		if f.name != folder {
			continue
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		o := f.outputs[strings.TrimSuffix(name, goodSuffix)]
		if o == nil {
			break
		}
		if b, at := o.good(o.Path); b != nil && at == name && uint32(hash(b.File)) == t.Generation {
			return fulltext.Open(b.node), nil
		}
	}
	return nil, fs.ErrNotExist
}
