package transcripts

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/statements"
	"ctxfs/providers/transcripts/uses"
)

// The versions of what is found in a transcript, and of what the readers find of requests to
// models.
const (
	usesFormat       = 3 // by package uses
	statementsFormat = 2 // by package statements
	plansFormat      = 1 // by package plans
	spentFormat      = 1
)

// Facts implements facts.Provider. Uses, statements and plans are what is rendered of a
// session: one that is not rendered yet, or again, has what it had so far. Plans wait for no
// scan.
func (p *Provider) Facts() facts.Sources {
	return facts.Sources{
		Uses:       partsOf(p, true, p.usesOf),
		Statements: partsOf(p, true, p.statementsOf),
		Plans:      partsOf(p, false, p.plansOf),
		Calls:      partsOf(p, true, p.callsOf),
		Complete:   p.plansKnown,
	}
}

// partsOf yields a part for each session that of fills in, and reports to have. It is given
// the version that the caller has. Wait waits for the scan.
func partsOf[T any](p *Provider, wait bool, of func(ctx context.Context, s *catalogue.Session, v *catalogue.View, had string, part *facts.Part[T]) bool) facts.Source[T] {
	return func(ctx context.Context, known func(string) string) iter.Seq[facts.Part[T]] {
		return func(yield func(facts.Part[T]) bool) {
			if wait && p.scanner.Wait(ctx) != nil {
				return
			}
			for _, s := range p.catalogue.All() {
				v, there := p.catalogue.View(s)
				if !there {
					continue
				}
				part := facts.Part[T]{Name: "transcripts/" + s.Agent + "/" + s.ID, Path: s.ByIDPaths()[0], Agent: s.Agent, Session: s.ID} // a path shorter than its own, which stays
				ok := of(ctx, s, &v, known(part.Name), &part)
				if ctx.Err() != nil || ok && !yield(part) {
					return
				}
			}
		}
	}
}

// inTranscript fills a part with what read finds in the transcript of a session. What has no
// time, to which when points, has that of the session.
func inTranscript[T any](ctx context.Context, p *Provider, s *catalogue.Session, v *catalogue.View, had string, part *facts.Part[T], format int, read func(io.Reader) ([]T, error), when func(*T) *time.Time) {
	part.Version = fmt.Sprintf("%d.%d.%d", format, v.Published.Generation, v.Published.Size)
	if had == part.Version || v.Published.Generation == 0 {
		part.Keep(had)
		return
	}
	f, err := os.Open(p.cache.Transcript(s, v.Published.Generation))
	if err == nil {
		part.Facts, err = read(until{ctx, io.NewSectionReader(f, 0, v.Published.Size)})
		f.Close()
	}
	if err != nil { // it is rendered again, or gone, or ctx has ended
		part.Keep(had)
	}
	for i := range part.Facts {
		if t := when(&part.Facts[i]); t.IsZero() {
			*t = v.ModTime
		}
	}
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

func (p *Provider) usesOf(ctx context.Context, s *catalogue.Session, v *catalogue.View, had string, part *facts.Part[facts.Use]) bool {
	inTranscript(ctx, p, s, v, had, part, usesFormat, func(r io.Reader) ([]facts.Use, error) { return uses.Read(s.Agent, v.Parent != nil, r) }, func(u *facts.Use) *time.Time { return &u.Time })
	return true
}

// statementsOf has no part for the session of a subagent: a person said nothing there.
func (p *Provider) statementsOf(ctx context.Context, s *catalogue.Session, v *catalogue.View, had string, part *facts.Part[facts.Statement]) bool {
	part.Path, part.Dir = path.Join(part.Path, "transcript.md"), v.Info.CWD
	if v.Parent != nil {
		return false
	}
	inTranscript(ctx, p, s, v, had, part, statementsFormat, statements.Read, func(s *facts.Statement) *time.Time { return &s.Time })
	return true
}
