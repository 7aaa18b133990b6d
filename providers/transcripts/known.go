package transcripts

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/internal/clean"
)

// Known is what is known of a session without reading all of it.
type Known struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	// Path is that of its folder in the provider's.
	Path  string    `json:"path"`
	Title string    `json:"title"`
	CWD   string    `json:"cwd"`
	Start time.Time `json:"start,omitzero"`
	// Last is when something happened in it; where its messages were not read
	// yet, when its log was written to.
	Last time.Time `json:"last,omitzero"`
	// Events is nil until it was rendered.
	Events *int `json:"events"`
	// Log is the agent's own file or database.
	Log string `json:"log"`
	// Parent is the id of the session that started it as a subagent.
	Parent string `json:"parent,omitempty"`
	// Fault says why it cannot be read.
	Fault string `json:"fault,omitempty"`
	// By says how it was found: [ByName], [ByEnvironment] or [ByFolder]. Others
	// is how many more were found so.
	By     string `json:"by,omitempty"`
	Others int    `json:"others,omitempty"`
}

// Sessions lists the sessions that are no subagents', the newest first; below a
// folder if that is not "", in any of its names.
func (p *Provider) Sessions(ctx context.Context, below []string) ([]Known, error) {
	if err := p.known(ctx); err != nil {
		return nil, err
	}
	c := p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	var found []*session
	for _, s := range c.byID {
		if s.parent == nil && (len(below) == 0 || slices.ContainsFunc(below, func(dir string) bool { return within(s.info.CWD, dir) })) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *session) int { return cmp.Or(b.lastTime().Compare(a.lastTime()), byTime(b, a)) })
	list := make([]Known, 0, len(found))
	for _, s := range found {
		list = append(list, p.tellOf(s))
	}
	return list, nil
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return path != "" && err == nil && filepath.IsLocal(rel)
}

// lastTime is when something last happened in a session: by what was rendered of
// it, else by its file. The caller holds the catalogue's lock.
func (s *session) lastTime() time.Time {
	if s.info.Last.IsZero() || s.behind() {
		return s.modTime().Truncate(time.Second)
	}
	return s.info.Last
}

// tellOf tells of a session. The caller holds the catalogue's lock.
func (p *Provider) tellOf(s *session) Known {
	k := Known{
		ID: s.id, Agent: s.agent, Path: s.path(), Title: clean.Line(s.info.Title), CWD: clean.Line(s.info.CWD),
		Start: s.info.Start.UTC(), Last: s.lastTime().UTC(), Fault: s.shown.Fault,
	}
	if s.parent != nil {
		k.Parent = s.parent.id
	}
	if s.shown.Generation > 0 {
		events := s.shown.Events
		k.Events = &events
	}
	if src := s.source(); src != nil {
		k.Log = src.path
	}
	return k
}
