package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/plans"
)

// knownPause is the time between two looks at what is left to be rendered.
const knownPause = 20 * time.Millisecond

// plansKnown waits until all sessions are found and rendered.
func (p *Provider) plansKnown(ctx context.Context) bool {
	if !p.scanner.Done() && p.scanner.Wait(ctx) != nil {
		return false
	}
	for p.catalogue.Summarize(0).Left > 0 {
		select {
		case <-time.After(knownPause):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (p *Provider) plansOf(ctx context.Context, s *catalogue.Session, v *catalogue.View, had string, part *facts.Part[facts.Plan]) bool {
	part.Session, part.Title, part.Dir, part.Time = v.Info.ID, v.Info.Title, v.Info.CWD, v.ModTime
	part.Version = fmt.Sprintf("%d.%d.%d", plansFormat, v.Published.Generation, v.Published.Size)
	if part.Subagent = v.Parent != nil || v.Info.Parent != ""; part.Subagent { // its lists are its own
		part.Version, part.Unchanged = subagent, had == subagent
		return true
	}
	if had == part.Version || had == part.Version+waiting || v.Published.Generation == 0 {
		part.Keep(had)
		return true
	}
	r := planReader{p.cache, p.catalogue, p.opts.Env.Log}
	if part.Unchanged = r.hasOnlyGrown(s, v, had); part.Unchanged {
		return true
	}
	all, more, err := r.read(ctx, s, v, maxLineage)
	if err != nil { // it is rendered again, or gone
		part.Keep(had)
		return true
	}
	if part.Facts = all; more {
		part.Version += waiting
	}
	return true
}

// subagent is the version of the plans of a subagent's session, which never has
// plans.
const subagent = "subagent"

// waiting ends the version of plans that may change with whatever is said next.
const waiting = "?"

type planReader struct {
	cache     *cache.Cache
	catalogue *catalogue.Catalogue
	log       *slog.Logger
}

// hasOnlyGrown reports whether a transcript is what it was in another version of its
// plans, and what was appended plans nothing. So a session that goes on is not read from
// its beginning each time.
func (r planReader) hasOnlyGrown(s *catalogue.Session, v *catalogue.View, had string) bool {
	var format, generation, size int64
	if n, _ := fmt.Sscanf(had, "%d.%d.%d", &format, &generation, &size); n != 3 || strings.HasSuffix(had, waiting) ||
		format != plansFormat || generation != int64(v.Published.Generation) || size > v.Published.Size {
		return false
	}
	f, err := os.Open(r.cache.Transcript(s, v.Published.Generation))
	if err != nil {
		return false
	}
	defer f.Close()
	touched, err := plans.Touches(io.NewSectionReader(f, size, v.Published.Size-size))
	return err == nil && !touched
}

// maxLineage is through how many forks a list of tasks is followed to where they were
// created.
const maxLineage = 8

func (r planReader) read(ctx context.Context, s *catalogue.Session, v *catalogue.View, lineage int) (all []facts.Plan, more bool, err error) {
	f, err := os.Open(r.cache.Transcript(s, v.Published.Generation))
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	from := plans.Source{
		Transcript: io.NewSectionReader(f, 0, v.Published.Size),
		Whole:      func(name string) (string, error) { return r.result(ctx, s, v, name) },
	}
	if v.Info.ForkOf != "" && lineage > 0 {
		from.Before = func() []facts.Task { return r.tasksBefore(ctx, s.Agent, v.Info.ForkOf, lineage-1) }
	}
	return plans.Read(from)
}

// result returns a text that the transcript of a session does not show whole.
func (r planReader) result(ctx context.Context, s *catalogue.Session, v *catalogue.View, name string) (string, error) {
	all, _, err := r.cache.Results(ctx, s, v.Published.Generation, v.Published.Results)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(one cache.Result) bool { return one.Name == name })
	if i < 0 {
		return "", fs.ErrNotExist
	}
	text, err := all[i].Text(r.cache.EntryDir(s.Agent, s.ID), v.Published.Generation, v.Source)
	return string(text), err
}

// tasksBefore returns the tasks of the session that another one is a fork of.
func (r planReader) tasksBefore(ctx context.Context, agent, id string, lineage int) []facts.Task {
	s := r.catalogue.ByKey(agent, id)
	if s == nil {
		return nil
	}
	v, _ := r.catalogue.View(s)
	all, _, err := r.read(ctx, s, &v, lineage)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.log.Debug("plans of the session before", "session", id, "error", err)
	}
	for _, plan := range slices.Backward(all) {
		if plan.Kind == facts.TaskList {
			return plan.Tasks
		}
	}
	return nil
}
