package transcripts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/source"
)

// callsOf has a part for each session whose agent says what requests took. It reads the
// agents' own logs, and nothing that was rendered of them; a log that has changed is read
// whole. Of a session that is only in the archive, whose events have no tokens, the caller
// keeps what it knew.
func (p *Provider) callsOf(ctx context.Context, s *catalogue.Session, v *catalogue.View, had string, part *facts.Part[facts.Calls]) (ok bool) {
	part.Title, part.Dir, part.Subagent = v.Info.Title, v.Info.CWD, v.Parent != nil || v.Info.Parent != ""
	if v.Source == nil {
		return false
	}
	src := *v.Source
	if src.Format == nil {
		src.Format = p.scanner.Format(src.Path)
	}
	keep := src.Format == nil || p.archive.Contains(src.Path)
	read := func(func(facts.ModelCall)) error { return nil }
	root := rootOf(p.catalogue, s.Agent, v)
	switch format := src.Format.(type) {
	case history.Log:
		if format.Spent == nil {
			break
		}
		ok = true
		if info, err := os.Stat(src.Path); err == nil { // it may have grown since it was looked at
			src.Stat, src.Stamp = source.StatOf(info), ""
		}
		read = func(out func(facts.ModelCall)) error {
			return spentInLog(ctx, src.Path, format, history.Spending{Session: s.ID, Root: root}, out)
		}
	case history.Store:
		if ok = format.Spent != nil; ok {
			read = func(out func(facts.ModelCall)) error { return format.Spent(ctx, src.Path, src.Key, out) }
		}
	}
	if !ok || keep {
		part.Keep(had)
		return keep && had != ""
	}
	part.Version = fmt.Sprintf("%d.%s.%s", spentFormat, src.Stamp, root)
	if src.Stamp == "" {
		part.Version = fmt.Sprintf("%d.%d.%d.%d.%s", spentFormat, src.Stat.Size, src.Stat.ModTime, src.Stat.Inode, root)
	}
	if part.Unchanged = had == part.Version; part.Unchanged {
		return true
	}
	var calls unique
	_, err := source.Guard(func() (any, error) { return nil, read(calls.add) })
	if err != nil && (had != "" || len(calls.list) == 0) { // it is looked at again
		part.Keep(had)
		return had != ""
	}
	if part.Facts = facts.Pack(calls.list); err != nil {
		part.Version += "?"
	}
	return true
}

// OpSpent returns what the requests of one session took, without those of its subagents, as
// far as its log has it.
var OpSpent = fs.Op[Wanted, SessionSpent]{Name: "session-spent", Slow: true, Effect: fs.Reads}

// SessionSpent is what the requests of a session took.
type SessionSpent struct {
	// Requests is how many there were; 0 also where the agent does not log them.
	Requests int          `json:"requests"`
	Tokens   facts.Tokens `json:"tokens"`
	// Cost is what the agent says, in US dollars.
	Cost float64 `json:"cost"`
}

// sessionSpent answers [OpSpent].
func (p *Provider) sessionSpent(ctx context.Context, w Wanted) (sum SessionSpent, err error) {
	s, err := named(p.catalogue, w)
	if err != nil {
		return sum, err
	}
	v, there := p.catalogue.View(s)
	if !there {
		return sum, nil
	}
	var part facts.Part[facts.Calls]
	p.callsOf(ctx, s, &v, "", &part)
	for _, calls := range part.Facts {
		for c := range calls.Each {
			sum.Requests++
			sum.Tokens = sum.Tokens.Add(c.Tokens)
			sum.Cost += c.Cost
		}
	}
	return sum, ctx.Err()
}

// rootOf returns the id of the session with which the line of forks and subagents of a
// session begins; "" if the session is none of these, or one of them is missing.
func rootOf(c *catalogue.Catalogue, agent string, v *catalogue.View) string {
	root, info := "", v.Info
	for range maxLineage {
		before := cmp.Or(info.ForkOf, info.Parent)
		if before == "" || before == info.ID {
			return root
		}
		s := c.ByKey(agent, before)
		if s == nil {
			return ""
		}
		above, _ := c.View(s)
		root, info = s.ID, above.Info
	}
	return root
}

// spentInLog reads a log whole.
func spentInLog(ctx context.Context, path string, format history.Log, of history.Spending, out func(facts.ModelCall)) (err error) {
	log, err := source.OpenLog(path, format.Compressed, 0)
	if err != nil {
		return err
	}
	defer log.Close()
	lines := &source.Lines{From: log}
	of.Lines = func(yield func([]byte) bool) {
		for {
			var line []byte
			if line, _, _, err = lines.Next(ctx); err != nil || !yield(line) {
				return
			}
		}
	}
	format.Spent(of, out)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// unique are the calls of one session without those that are there already: most are
// logged once for each block of an answer.
type unique struct {
	list  []facts.ModelCall
	byKey map[uint64]int
}

func (u *unique) add(c facts.ModelCall) {
	i, known := u.byKey[c.Key]
	switch {
	case c.Key == 0:
		u.list = append(u.list, c)
	case !known:
		if u.byKey == nil {
			u.byKey = make(map[uint64]int)
		}
		u.byKey[c.Key] = len(u.list)
		u.list = append(u.list, c)
	case c.Replaces(u.list[i]):
		u.list[i] = c
	}
}
