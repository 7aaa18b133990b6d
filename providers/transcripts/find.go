package transcripts

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/fulltext"
)

// Search implements fs.Searcher. It finds what was said in all sessions at or below a path of the provider's
// folder, "" for all: the best first. Paths are those of blocks, each with the ends
// of its neighbours and how to read on, titles name session and block, and Why also
// tells when and by whom it was said. What is in the transcripts can be found, at
// once; where very much was not read or indexed yet, the newest of that can.
func (p *Provider) Search(ctx context.Context, words, in string, limit int) ([]fs.Match, error) {
	in, err := p.Canonical(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := p.catchUp(ctx, in); err != nil {
		return nil, err
	}
	q := fulltext.Query{Words: words, Limit: limit}
	if in != "" {
		q.Only = func(t fulltext.Text) bool {
			s := p.sessionNamed(t.Session)
			return s != nil && isBelow(p.pathOf(s), in)
		}
	}
	result, err := p.fulltext.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	var all []fs.Match
	for _, h := range result.Hits {
		s := p.sessionNamed(h.Text.Session)
		if s == nil {
			continue
		}
		p.list.mu.RLock()
		at, name := s.path(), s.name
		p.list.mu.RUnlock()
		if at == "" {
			continue
		}
		f := fs.Match{Score: h.Score}
		if h.Number > 0 {
			f.Path, f.Title = at+"/"+blocksName+"/"+blockName(h.Number), fmt.Sprintf("%s-%05d", name, h.Number)
		} else {
			f.Path, f.Title = path.Join(at, transcriptName), name
		}
		said := h.Kind
		if !h.Time.IsZero() {
			said = wording.Minute(h.Time) + " " + said
		}
		if h.Name != "" {
			said += " " + h.Name
		}
		f.Why = strings.TrimSpace(said+": ") + " " + h.Line
		all = append(all, f)
	}
	return all, nil
}

// isBelow tells whether a path is at or below another one.
func isBelow(path, in string) bool { return path == in || strings.HasPrefix(path, in+"/") }

// maxCatchUp is how much of the agents' logs is rendered for a search, in bytes:
// what a second is enough for.
const maxCatchUp = 64 << 20

// storeSize stands for the size of a session in a database.
const storeSize = 256 << 10

// catchUp renders the newest of what is not rendered yet, as far as that is a
// matter of a moment.
func (p *Provider) catchUp(ctx context.Context, in string) error {
	type late struct {
		s    *session
		time time.Time
		size int64
	}
	var all []late
	c := p.list
	c.mu.RLock()
	for _, s := range c.byID {
		src := s.source()
		if src == nil || !s.behind() || s.shown.Evicted || src.format == nil && p.opts.Watch || in != "" && !isBelow(s.path(), in) {
			continue
		}
		size := int64(storeSize)
		if src.key == "" {
			size = max(src.stat.Size-s.shown.Offset, 0)
		}
		all = append(all, late{s, s.modTime(), size})
	}
	c.mu.RUnlock()
	slices.SortFunc(all, func(a, b late) int { return b.time.Compare(a.time) })
	budget := int64(maxCatchUp)
	for _, l := range all {
		if budget -= l.size; budget < 0 {
			break
		}
		_ = p.render(ctx, l.s, rendering{unasked: true}) // told as the session's state
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// library are the transcripts as the full-text index sees them.
type library struct{ p *Provider }

// Texts implements fulltext.Library.
func (l library) Texts() []fulltext.Text {
	c := l.p.list
	c.mu.RLock()
	all := make([]fulltext.Text, 0, len(c.byID))
	for _, s := range c.byID {
		if s.shown.Generation > 0 && s.shown.Size > 0 {
			all = append(all, fulltext.Text{Session: s.agent + "/" + s.id, Generation: s.shown.Generation, Size: s.shown.Size, Time: s.modTime()})
		}
	}
	c.mu.RUnlock()
	slices.SortFunc(all, func(a, b fulltext.Text) int {
		if n := b.Time.Compare(a.Time); n != 0 {
			return n
		}
		return strings.Compare(a.Session, b.Session)
	})
	return all
}

// Open implements fulltext.Library.
func (l library) Open(t fulltext.Text) (fulltext.File, error) {
	s := l.p.sessionNamed(t.Session)
	if s == nil {
		return nil, os.ErrNotExist
	}
	return os.Open(l.p.bookPath(s, transcriptFileName(t.Generation)))
}

// sessionNamed is the session that the full-text index knows by a name; nil if
// it is gone.
func (p *Provider) sessionNamed(name string) *session {
	agent, id, _ := strings.Cut(name, "/")
	p.list.mu.RLock()
	defer p.list.mu.RUnlock()
	return p.list.byID[sessionKey{agent, id}]
}
