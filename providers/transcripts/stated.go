package transcripts

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path"

	"ctxfs/providers/facts"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/statements"
)

var _ facts.StatementSource = (*Provider)(nil)

// statementsFormat is the version of what package statements finds in a transcript.
const statementsFormat = 2

// Statements implements facts.StatementSource: a part for each session of a person, of what is
// rendered of it. One that is not rendered yet, or again, has what it had so far.
func (p *Provider) Statements(ctx context.Context, known func(string) string) iter.Seq[facts.StatementPart] {
	return func(yield func(facts.StatementPart) bool) {
		if p.scanner.Wait(ctx) != nil {
			return
		}
		for _, s := range p.catalogue.All() {
			if ctx.Err() != nil {
				return
			}
			if v, _ := p.catalogue.View(s); v.Parent == nil && !yield(p.statementsOf(ctx, s, &v, known)) {
				return
			}
		}
	}
}

func (p *Provider) statementsOf(ctx context.Context, s *catalogue.Session, v *catalogue.View, known func(string) string) facts.StatementPart {
	part := facts.StatementPart{
		Name: "transcripts/" + s.Agent + "/" + s.ID, Agent: s.Agent, Session: s.ID,
		Path: path.Join(s.ByIDPaths()[0], "transcript.md"), Dir: v.Info.CWD,
	}
	part.Version = fmt.Sprintf("%d.%d.%d", statementsFormat, v.Published.Generation, v.Published.Size)
	had := known(part.Name)
	if had == part.Version || v.Published.Generation == 0 {
		part.Version, part.Unchanged = had, true
		return part
	}
	f, err := os.Open(p.cache.Transcript(s, v.Published.Generation))
	if err == nil {
		part.Statements, err = statements.Read(until{ctx, io.NewSectionReader(f, 0, v.Published.Size)})
		f.Close()
	}
	if err != nil { // it is rendered again, or gone, or ctx has ended
		part.Version, part.Unchanged = had, true
		return part
	}
	for i := range part.Statements {
		if one := &part.Statements[i]; one.Time.IsZero() {
			one.Time = v.ModTime
		}
	}
	return part
}

// until reads until ctx has ended.
type until struct {
	ctx context.Context
	r   io.Reader
}

func (u until) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}
