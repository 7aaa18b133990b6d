package transcripts

import (
	"context"
	"errors"
	"strings"
	"time"

	"ctxfs/fs/await"
	"ctxfs/fs/wording"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/render"
)

var _ await.Awaiter = (*Provider)(nil)

const (
	// turnQuiet is how long nothing is written after an agent has spoken when its turn has
	// ended: a call may follow what it says, as a record of its own.
	turnQuiet = 3 * time.Second
	// maxAwaited is how many sessions are offered by name, those that are alive.
	maxAwaited = 50
)

// Awaits implements await.Awaiter.
func (p *Provider) Awaits() []await.Awaitable {
	a := await.Awaitable{Kind: "session", Name: "ID", Until: []string{"--idle", "--asks"}}
	p.catalogue.Each(func(s *catalogue.Session, v *catalogue.View) {
		if v.Live && v.Parent == nil && len(a.Names) < maxAwaited {
			a.Names = append(a.Names, s.ID)
		}
	})
	return []await.Awaitable{a}
}

// Await implements await.Awaiter: an agent has ended its turn, or has asked a person
// something, as far as its log tells.
func (p *Provider) Await(ctx context.Context, c await.Condition) (await.Pending, error) {
	switch {
	case c.Name == "":
		return nil, &await.AwaitError{State: await.NoSense, What: "session: which one? give its id", Mend: "list them: ctxfs history --all"}
	case c.Until != "--idle" && c.Until != "--asks":
		return nil, &await.AwaitError{State: await.NoSense, What: "what of session " + c.Name + "?", Mend: "give one of --idle, --asks"}
	case !p.opts.Watch:
		return nil, &await.AwaitError{State: await.NeedsProcess, What: "sessions are watched by the background process only", Mend: "ctxfs mount"}
	}
	if err := p.scanner.WaitBriefly(ctx); err != nil {
		return nil, err
	}
	s, err := named(p.catalogue, Wanted{Session: c.Name, Tree: strings.TrimPrefix(c.Name, "transcripts/"), Files: []string{c.Name}})
	if err != nil {
		unclear := (*UnclearError)(nil)
		if errors.As(p.stillLooking(err), &unclear) {
			return nil, &await.AwaitError{State: await.Unnamed, What: unclear.What, Mend: unclear.Mend}
		}
		return nil, err
	}
	w := &sessionWait{p: p, s: s, asks: c.Until == "--asks", quiet: c.Quiet}
	if w.quiet <= 0 {
		w.quiet = turnQuiet
	}
	return w, nil
}

type sessionWait struct {
	p     *Provider
	s     *catalogue.Session
	asks  bool
	quiet time.Duration
}

// Paths implements await.Pending.
func (*sessionWait) Paths() []string { return nil }

// Check implements await.Pending.
func (w *sessionWait) Check(ctx context.Context) (await.Standing, error) {
	var b render.Brief
	refused := w.p.cache.CurrentEntry(ctx, w.s, func(e *cache.Entry) { b = e.Summary.Brief() })
	if ctx.Err() != nil {
		return await.Standing{}, ctx.Err()
	}
	v, there := w.p.catalogue.View(w.s)
	name := "session " + w.s.ID
	if !there {
		return await.Standing{State: await.Never, What: name + " was deleted"}, nil
	}
	path := w.p.catalogue.Path(w.s) + "/transcript.md"
	s := await.Standing{Path: path, More: "ctxfs cat " + wording.ShellWord("transcripts/"+path) + " | tail -40"}
	if refused != nil || v.Published.Generation == 0 {
		s.What = name + " cannot be read now"
		return s, nil
	}
	waits := w.p.opts.Env.Now().Sub(v.ModTime)
	switch {
	case w.asks && b.Asks != "" && (b.Waiting || waits >= w.quiet):
		s.State, s.What = await.Met, name+" asks: "+words(b.Asks)
	case !w.asks && b.Rests && waits >= w.quiet:
		s.State, s.What = await.Met, name+" has ended its turn"
		if b.Asks != "" {
			s.What += " and asks: " + words(b.Asks)
		}
	case w.asks && b.Asks != "", !w.asks && b.Rests:
		s.What, s.Again = name+" has just spoken", time.Now().Add(w.quiet-waits)
	case b.Waiting && b.Asks != "":
		s.What = name + " asks: " + words(b.Asks)
	case b.Waiting:
		s.What = name + " waits for " + words(b.Doing)
	case b.Rests:
		s.What = name + " has ended its turn"
	default:
		s.What = name + " is at work"
	}
	return s, nil
}
