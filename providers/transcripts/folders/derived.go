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

// render returns the text of the file.
func (f derivedFile) render(ctx context.Context) ([]byte, error) {
	err := f.t.Cache.Current(ctx, f.s, false)
	v, _ := f.t.Catalogue.View(f.s)
	fault := v.Published.Fault
	if err != nil && (fault == "" || f.name == filesName) {
		return nil, err // but the digest and meta.json of a session with a fault say what it is, and why
	}
	if strings.HasPrefix(f.name, BlocksName+"/") {
		return f.block()
	}
	if f.name == metaName {
		return f.meta(&v)
	}
	var text []byte
	f.t.Cache.WithEntry(f.s, func(b *cache.Entry) {
		if f.name == digestName && b.Generation == 0 && fault != "" {
			text = fmt.Appendf(nil, "# Digest of %s session %s\nThe session cannot be read, see %s beside this file: %s\n", v.Info.Agent, clean.Line(v.Info.ID), statusName, fault)
		} else if f.name == digestName {
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
	// Source is the path of the agent's own log or database, Bytes the length of the
	// log, 0 for a database.
	Source string `json:"source"`
	Bytes  int64  `json:"bytes,omitempty"`
	// Deleted says that the agent no longer has the session: Source is in the archive.
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
