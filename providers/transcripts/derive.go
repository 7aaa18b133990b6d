package transcripts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/transcripts/event"
)

// digestTokens is how long digest.md may be, in tokens (o200k).
const digestTokens = 2000

// derive makes one of the files that tell of a session as a whole.
func (p *Provider) derive(ctx context.Context, s *session, name string) ([]byte, error) {
	err := p.current(ctx, s)
	p.list.mu.RLock()
	info, fault := s.info, s.shown.Fault
	p.list.mu.RUnlock()
	if err != nil && (fault == "" || name == filesName) {
		return nil, err // but what a session is, and why it cannot be read, can be told
	}
	if strings.HasPrefix(name, blocksName+"/") {
		return p.block(s, name)
	}
	if name == metaName {
		return p.meta(s)
	}
	var text []byte
	p.peek(s, func(b *book) {
		if name == digestName && b.Generation == 0 && fault != "" {
			text = fmt.Appendf(nil, "# Digest of %s session %s\nThe session cannot be read, see %s beside this file: %s\n", info.Agent, clean.Line(info.ID), statusName, fault)
		} else if name == digestName {
			text = b.Summary.Digest(b.Session, digestTokens, tokens.Count)
		} else {
			text = b.Summary.Files()
		}
	})
	return text, nil
}

// meta is meta.json.
type meta struct {
	event.Session
	// Source is where the agent keeps the session, Bytes how long that is: of a
	// session in a database not known, 0.
	Source string `json:"source"`
	Bytes  int64  `json:"bytes,omitempty"`
	// Deleted says that the agent no longer has it: Source is in the archive.
	Deleted bool `json:"deleted,omitempty"`
	// Events counts the records, Results the texts in results/.
	Events  int `json:"events"`
	Results int `json:"results"`
	// Transcript is the length of transcript.md in bytes.
	Transcript int64    `json:"transcript_bytes"`
	Subagents  []string `json:"subagents,omitempty"`
	Changed    string   `json:"changed"`
}

func (p *Provider) meta(s *session) ([]byte, error) {
	c := p.list
	c.mu.RLock()
	m := meta{Session: s.info, Events: s.shown.Events, Results: s.shown.Results, Transcript: s.shown.Size, Changed: s.modTime().UTC().Format(time.RFC3339Nano)}
	m.TitleRank = 0
	m.Aliases = slices.Clone(m.Aliases)
	for i := range m.Aliases {
		m.Aliases[i] = clean.Line(m.Aliases[i])
	}
	for _, text := range []*string{&m.ID, &m.Parent, &m.ForkOf, &m.CWD, &m.Project, &m.Model, &m.Branch, &m.Program} {
		*text = clean.Line(*text)
	}
	if src := s.source(); src != nil {
		m.Source = clean.Line(src.path)
		m.Deleted = p.isArchived(src.path)
		if src.key == "" {
			m.Bytes = src.stat.Size
		}
	}
	for _, child := range sortedBy(s.children, func(s *session) string { return s.name }) {
		m.Subagents = append(m.Subagents, subagentsName+"/"+child.name)
	}
	c.mu.RUnlock()
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}
