package hooks

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
)

// OpCosts returns what hooks have told agents.
var OpCosts = fs.Op[fs.None, Costs]{Name: "hook-costs", Effect: fs.Reads}

// Costs is what hooks have told agents, and what that has cost.
type Costs struct {
	// Kinds has the cost of each kind of news since the ledger was started.
	Kinds map[string]Cost `json:"kinds"`
	// Sessions is how many sessions of the last weeks were told something, Tokens what these
	// were told in all.
	Sessions int `json:"sessions"`
	Tokens   int `json:"tokens"`
	// Recent are the last runs of hooks that told something, the last one at the end.
	Recent []Telling `json:"recent"`
	// Off reports that hooks are switched off.
	Off bool `json:"off,omitempty"`
}

// Telling is one run of a hook that told something.
type Telling struct {
	At      time.Time        `json:"at"`
	Agent   string           `json:"agent"`
	Session string           `json:"session"`
	Moment  facts.MomentKind `json:"moment"`
	Kinds   []facts.NewsKind `json:"kinds"`
	Tokens  int              `json:"tokens"`
}

// Costs answers [OpCosts].
func (e *Engine) Costs(context.Context, fs.None) (Costs, error) {
	c := Costs{Kinds: make(map[string]Cost), Off: !e.current().enabled}
	l := e.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.Copy(c.Kinds, l.total)
	for _, s := range l.sessions {
		if s.Spent > 0 {
			c.Sessions++
			c.Tokens += s.Spent
		}
	}
	for _, one := range l.recent[max(0, len(l.recent)-maxRecent):] {
		t := Telling{At: one.At, Moment: one.Moment}
		t.Agent, t.Session, _ = strings.Cut(one.Session, "/")
		for _, n := range one.Told {
			if !slices.Contains(t.Kinds, n.Kind) {
				t.Kinds = append(t.Kinds, n.Kind)
			}
			t.Tokens += n.Tokens
		}
		c.Recent = append(c.Recent, t)
	}
	return c, nil
}
