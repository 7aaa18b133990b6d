package transcripts

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/folders"
)

var _ facts.Searcher = (*Provider)(nil)

// Search implements facts.Searcher. It finds words in all sessions at or below a path of
// the provider's folder, "" for all: the best first. The paths are those of blocks (see
// package folders), the titles name session and block, and Why also says when, by whom and
// in which folder it was said. What is published is found at once; of logs that are not
// rendered yet the newest, up to maxCatchUp.
func (p *Provider) Search(ctx context.Context, words, in string, limit int) (facts.Findings, error) {
	in, err := p.Canonical(ctx, in)
	if err != nil {
		return facts.Findings{}, err
	}
	if err := p.catchUp(ctx, in); err != nil {
		return facts.Findings{}, err
	}
	q := fulltext.Query{Words: words, Limit: limit}
	if in != "" {
		q.Only = func(t fulltext.Text) bool {
			s := p.sessionNamed(t.Session)
			return s != nil && fs.Within(p.catalogue.Path(s), in)
		}
	}
	return p.fulltext.Find(ctx, q, func(h fulltext.Hit, _ []fulltext.Hit) (f facts.Match, ok bool) {
		s := p.sessionNamed(h.Text.Session)
		if s == nil {
			return f, false
		}
		v, _ := p.catalogue.View(s)
		at := p.catalogue.Path(s)
		if at == "" {
			return f, false
		}
		f = facts.Match{Kind: kind, Whole: at, Evidence: facts.Evidence{
			Time: cmp.Or(h.Time, v.ModTime), Place: v.Info.CWD, Own: h.Kind == "user" && h.Name != event.Injected, Session: s.ID, Part: at,
		}}
		if h.Number > 0 {
			f.Path, f.Title = at+"/"+folders.BlocksName+"/"+folders.BlockName(h.Number), fmt.Sprintf("%s-%05d", v.Name, h.Number)
		} else {
			f.Path, f.Title = path.Join(at, folders.TranscriptName), v.Name
		}
		said := h.Kind
		if !h.Time.IsZero() {
			said = wording.Minute(h.Time) + " " + said
		}
		if h.Name != "" {
			said += " " + h.Name
		}
		if v.Info.CWD != "" {
			said += " in " + clean.Line(wording.Tilde(v.Info.CWD, p.opts.Home))
		}
		f.Why = strings.TrimSpace(said+": ") + " " + h.Line
		return f, true
	})
}

// kind is the kind of matches and documents.
const kind = "session"

// maxCatchUp is how much of the agents' logs is rendered for a search, in bytes:
// about a second's work.
const maxCatchUp = 64 << 20

// storeSize stands for the size of a session in a database, in bytes.
const storeSize = 256 << 10

// catchUp renders the newest of what is not rendered yet, as far as maxCatchUp
// goes.
func (p *Provider) catchUp(ctx context.Context, in string) error {
	budget := int64(maxCatchUp)
	for _, s := range p.catalogue.Behind() {
		v, _ := p.catalogue.View(s)
		if v.Source == nil || v.Source.Format == nil && p.opts.Watch || in != "" && !fs.Within(p.catalogue.Path(s), in) {
			continue
		}
		size := int64(storeSize)
		if n, ok := v.Log(); ok {
			size = max(n-v.Published.Offset, 0)
		}
		if budget -= size; budget < 0 {
			break
		}
		_ = p.cache.Refresh(ctx, s) // told as the session's state
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// library are the transcripts as the full-text index sees them.
type library struct{ p *Provider }

// Texts implements fulltext.Library.
func (l library) Texts() (all []fulltext.Text) {
	l.p.catalogue.Each(func(s *catalogue.Session, v *catalogue.View) {
		if v.Published.Generation > 0 && v.Published.Size > 0 {
			all = append(all, fulltext.Text{Session: s.Agent + "/" + s.ID, Generation: v.Published.Generation, Size: v.Published.Size, Time: v.ModTime})
		}
	})
	slices.SortFunc(all, func(a, b fulltext.Text) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Session, b.Session))
	})
	return all
}

// Open implements fulltext.Library.
func (l library) Open(t fulltext.Text) (fulltext.File, error) {
	s := l.p.sessionNamed(t.Session)
	if s == nil {
		return nil, os.ErrNotExist
	}
	return os.Open(l.p.cache.Transcript(s, t.Generation))
}

// sessionNamed returns the session of a [fulltext.Text]; nil if it is gone.
func (p *Provider) sessionNamed(name string) *catalogue.Session {
	agent, id, _ := strings.Cut(name, "/")
	return p.catalogue.ByKey(agent, id)
}

// Documents implements fs.Documented: one for each session that is not a
// subagent's, found by its title and its folder. Its text is found by Search: that
// is too much to be held in memory.
func (p *Provider) Documents(string) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		if !p.opts.Watch {
			p.scanner.First()
		}
		for _, s := range p.catalogue.All() {
			v, _ := p.catalogue.View(s)
			path := p.catalogue.Path(s)
			if v.Parent != nil || path == "" {
				continue
			}
			if !yield(fs.Document{
				Path: path + "/" + folders.TranscriptName, Whole: path, Title: v.Info.Title, Kind: kind, Time: v.ModTime, Place: v.Info.CWD,
				Fields: map[string]string{
					"title": v.Info.Title, "agent": s.Agent,
					"description": fmt.Sprintf("%s, %s, %s", v.Date(), s.Agent, v.Info.CWD),
				},
			}) {
				return
			}
		}
	}
}
