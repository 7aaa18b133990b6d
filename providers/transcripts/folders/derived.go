package folders

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
)

// digestTokens is the largest length of digest.md, in tokens (o200k).
const digestTokens = 2000

func (f derivedFile) render(ctx context.Context) (text []byte, err error) {
	derive := func(b *cache.Entry) { text = f.digest(b) }
	switch f.name {
	case filesName:
		err = f.t.Cache.CurrentEntry(ctx, f.s, func(b *cache.Entry) { text = b.Summary.Files() })
		return text, err
	case digestName:
		err = f.t.Cache.CurrentEntry(ctx, f.s, derive)
	default:
		err = f.t.Cache.Current(ctx, f.s, false)
	}
	v, _ := f.t.Catalogue.View(f.s)
	if err != nil && v.Published.Fault == "" {
		return nil, err // else what is known of the session is shown, and why it cannot be read
	}
	switch {
	case strings.HasPrefix(f.name, BlocksName+"/"):
		return f.block()
	case f.name == metaName:
		return f.meta(&v)
	case err != nil:
		f.t.Cache.WithEntry(f.s, derive)
	}
	return text, nil
}

// digest is digest.md.
func (f derivedFile) digest(b *cache.Entry) []byte {
	v, _ := f.t.Catalogue.View(f.s)
	if fault := v.Published.Fault; b.Generation == 0 && fault != "" {
		return fmt.Appendf(nil, "# Digest of %s session %s\nThe session cannot be read, see %s beside this file: %s\n", v.Info.Agent, clean.Line(v.Info.ID), statusName, fault)
	}
	return b.Summary.Digest(b.Session, digestTokens, tokens.Count)
}

// meta is meta.json.
type meta struct {
	event.Session
	// Source is the path of the agent's own log or database, Bytes the length of the
	// log, 0 for a database.
	Source string `json:"source"`
	Bytes  int64  `json:"bytes,omitempty"`
	// Deleted reports that the agent no longer has the session: Source is in the archive.
	Deleted bool `json:"deleted,omitempty"`
	// Events is the number of events, Results that of the texts in results/.
	Events  int `json:"events"`
	Results int `json:"results"`
	// Transcript is the length of transcript.md in bytes.
	Transcript int64    `json:"transcript_bytes"`
	Subagents  []string `json:"subagents,omitempty"`
	Changed    string   `json:"changed"`
}

func (f derivedFile) meta(v *catalogue.View) ([]byte, error) {
	m := meta{Session: v.Info, Events: v.Published.Events, Results: v.Published.Results, Transcript: v.Published.Size, Changed: v.ModTime.UTC().Format(time.RFC3339Nano)}
	m.TitleRank = 0
	m.Aliases = slices.Clone(m.Aliases)
	for i := range m.Aliases {
		m.Aliases[i] = clean.Line(m.Aliases[i])
	}
	for _, text := range []*string{&m.ID, &m.Parent, &m.ForkOf, &m.CWD, &m.Project, &m.Model, &m.Branch, &m.Program} {
		*text = clean.Line(*text)
	}
	if v.Source != nil {
		m.Source = clean.Line(v.Source.Path)
		m.Deleted = f.t.Archive.Contains(v.Source.Path)
	}
	m.Bytes, _ = v.Log()
	for _, name := range f.t.Catalogue.Subagents(f.s) {
		m.Subagents = append(m.Subagents, catalogue.Subagents+"/"+name)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}
