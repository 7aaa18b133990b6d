package transcripts

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"

	"ctxfs/providers/facts"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/uses"
)

var _ facts.UsageSource = (*Provider)(nil)

// usesFormat is the version of what package uses finds in a transcript.
const usesFormat = 3

// Uses implements facts.UsageSource: a part for each session, of what is rendered of it. A
// session that is not rendered yet, or again, teaches what it has taught so far.
func (p *Provider) Uses(ctx context.Context, known func(string) string) iter.Seq[facts.UsePart] {
	return func(yield func(facts.UsePart) bool) {
		if p.scanner.Wait(ctx) != nil {
			return
		}
		for _, s := range p.catalogue.All() {
			if ctx.Err() != nil || !yield(p.usesOf(s, known)) {
				return
			}
		}
	}
}

func (p *Provider) usesOf(s *catalogue.Session, known func(string) string) facts.UsePart {
	v, _ := p.catalogue.View(s)
	part := facts.UsePart{Name: "transcripts/" + s.Agent + "/" + s.ID, Path: s.ByIDPaths()[0]} // shorter than its own, and stays
	part.Version = fmt.Sprintf("%d.%d.%d", usesFormat, v.Published.Generation, v.Published.Size)
	had := known(part.Name)
	if had == part.Version || v.Published.Generation == 0 {
		part.Version, part.Unchanged = had, true
		return part
	}
	var err error
	if part.Uses, err = p.readUses(s, &v); err != nil { // it is rendered again, or gone
		part.Version, part.Unchanged = had, true
		return part
	}
	for i := range part.Uses {
		if u := &part.Uses[i]; u.Time.IsZero() {
			u.Time = v.ModTime
		}
	}
	return part
}

func (p *Provider) readUses(s *catalogue.Session, v *catalogue.View) ([]facts.Use, error) {
	f, err := os.Open(p.cache.Transcript(s, v.Published.Generation))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return uses.Read(s.Agent, v.Parent != nil, io.NewSectionReader(f, 0, v.Published.Size))
}
